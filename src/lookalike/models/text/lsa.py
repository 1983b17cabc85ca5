"""Latent semantic analysis: documents, terms and queries in one space of few dimensions."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk
from lookalike.data.source import Source, is_source
from lookalike.data.sources.frames import like
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.index.rescale import scale_of
from lookalike.models.estimator import (
    Transformer,
    check_is_fitted,
    with_callbacks,
)
from lookalike.models.inputs import as_transformed
from lookalike.models.linalg.magnitude import squared_units
from lookalike.models.linalg.truncated_svd import Svd, truncated_svd
from lookalike.models.sklearn_bases import ClassNamePrefixFeaturesOutMixin
from lookalike.models.state import replace_state
from lookalike.models.text.counts import WORD_PATTERN, weighted
from lookalike.models.text.documents import read_documents
from lookalike.models.text.retrieval import Retrieval
from lookalike.typing import AnyArray, Array, TableLike
from lookalike.validation import check_choice, check_int, few, is_int

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


USUAL_COMPONENTS = 200  # where retrieval on Cranfield is best


class LSA(ClassNamePrefixFeaturesOutMixin, Transformer, Retrieval):
    r"""Latent semantic analysis: documents of one subject lie close, whichever words they use.

    .. math:: X \approx U_M D_M V_M^\top, \qquad z = V_M^\top x

    The rows of X are documents, its columns weighted terms [Barber, section 15.4, eq. 15.3.8
    with rows for columns]. Terms that occur together share directions, which mitigates synonymy
    and polysemy [UCSD]. A new document or query x is folded in by the same projection; with
    ``whiten=True`` it is :math:`D_M^{-1} V_M^\top x`, in which each direction counts alike.
    The matrix stays sparse, and the result does not depend on a random seed.

    Parameters
    ----------
    n_components : int or float, optional
        Number of components: a number, as many as explain this fraction (between 0 and 1) of
        the sum of squares of X, or at most 200 (None).
    weighting : {"log_entropy", "tfidf", "raw"}, default="log_entropy"
        How a count becomes a weight. ``"tfidf"`` is scikit-learn's. Rows are brought to length 1
        by both; ``"raw"`` takes the numbers as they are.
    whiten : bool, default=False
        Whether coordinates are divided by the singular values.
    column : str, optional
        The column of a table that holds the documents; its only text column when None.
    stop_words : "english", list of str, optional
        Words left out.
    stem : {None, "porter"}
        Whether English words are cut to their stems, so that *flow* and *flows* are one term.
    lowercase, strip_accents, token_pattern, ngram_range, min_df, max_df, max_features, vocabulary
        As scikit-learn's ``CountVectorizer`` has them. With a matrix, `vocabulary` names its
        columns, so that it can be searched by words.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_terms)
        The directions, by falling singular value; each has a positive largest entry.
    singular_values_, explained_variance_, explained_variance_ratio_ : ndarray (n_components,)
        As scikit-learn's ``TruncatedSVD`` has them.
    documents_ : ndarray of shape (n_documents, n_components)
        Where the documents lie; a document without a term lies at zero.
    terms_ : ndarray of str
        The terms, in the order of the columns.
    term_weights_ : ndarray of shape (n_terms,)
        The global weight of each term.
    document_terms_ : csr_array of shape (n_documents, n_terms)
        The weighted terms X.
    n_samples_fit_ : int
        The documents held.
    vectorizer_ : CountVectorizer or None
        The vectorizer of texts.
    rank_ : int
        Directions kept whose singular value is not zero.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    >>> from lookalike import LSA
    >>> lsa = LSA(n_components=2, weighting="raw").fit(
    ...     ["car truck", "truck lorry", "car lorry", "flower petal", "flower"])
    >>> lsa.search("truck", k=3)
    (array([0, 1, 2]), array([1., 1., 1.]))
    >>> lsa.related_terms("petal", k=1)[0]
    array(['flower'], dtype=object)
    """

    terms_: AnyArray
    documents_: Array
    components_: Array
    singular_values_: Array
    document_terms_: sp.csr_array
    n_samples_fit_: int
    explained_variance_ratio_: Array
    vectorizer_: BaseEstimator | None

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        weighting: str = "log_entropy",
        whiten: bool = False,
        column: str | None = None,
        stop_words: str | Collection[str] | None = None,
        stem: str | None = None,
        lowercase: bool = True,
        strip_accents: str | None = None,
        token_pattern: str = WORD_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        vocabulary: object = None,
    ) -> None:
        self.n_components = n_components
        self.weighting = weighting
        self.whiten = whiten
        self.column = column
        self.stop_words = stop_words
        self.stem = stem
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.vocabulary = vocabulary

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Find the directions in which the documents of `X` differ; `y` is ignored.

        `X` is what :class:`lookalike.text.TermWeights` takes: texts, a table with a column of them,
        or counts.
        """
        check_choice("whiten", self.whiten, (False, True))
        decisions = Decisions()
        counts, vectorizer, terms, weights = self._learn(X, decisions)
        rows = weighted(counts, self.weighting, weights)
        _note_empty(rows, decisions)
        svd = self._decompose(rows, decisions)
        self.vectorizer_, self.terms_ = vectorizer, terms
        self.term_weights_ = weights
        self._settle(rows, svd, decisions)
        self._of_source = is_source(X)
        return self

    def transform(self, X: object) -> TableLike:
        """Return where the documents of `X` lie: new ones are folded in."""
        check_is_fitted(self)
        read = read_documents(X, self.column)
        names = self.get_feature_names_out()
        if isinstance(read, list):
            documents = self._fold(self._weight(self._count(read)))
            if getattr(self, "_of_source", False):  # what follows was fitted on arrays
                return documents
            return like(X, documents, list(names))
        self._note_columns(X, read, reset=False)
        folded = self._engine(read).map(lambda chunk: self._fold_chunk(read, chunk), read)
        return like(X, np.concatenate(list(folded)), list(names))

    def first(self, n_components: int) -> LSA:
        """Return a copy that keeps the first directions alone, as if fitted with this many."""
        check_is_fitted(self)
        kept = check_int("n_components", n_components, least=1, most=len(self.components_))
        fewer: LSA = copy(self)
        fewer.n_components = kept
        for name in ("singular_values_", "explained_variance_", "explained_variance_ratio_"):
            setattr(fewer, name, getattr(self, name)[:kept])
        fewer.components_, fewer.documents_ = self.components_[:kept], self.documents_[:, :kept]
        fewer.rank_ = int(np.count_nonzero(fewer.singular_values_))
        return fewer

    def inverse_transform(self, X: object) -> TableLike:
        r"""Return the weighted terms :math:`V_M z` of documents that lie at `X`."""
        check_is_fitted(self)
        Z = as_transformed(X, len(self.components_), "coordinates")
        scale = self.singular_values_ if self.whiten else 1.0
        rows = (Z * scale) @ self.components_
        return like(X, rows.astype(Z.dtype, copy=False), list(self.terms_))

    @replace_state
    def partial_fit(self, X: object, y: object = None, *, method: str = "fold") -> Self:
        """Add documents to those that are searched; terms and their weights stay.

        ``method="fold"`` projects them onto the components, ``"refit"`` computes the components
        again from old and new documents. `decisions_` says how much of the new documents the
        components explain. `X` and `y` are as for `fit`.
        """
        if not hasattr(self, "components_"):
            return self.fit(X)
        check_choice("method", method, ("fold", "refit"))
        new = self._rows(X)
        rows = sp.vstack([self.document_terms_, new], format="csr")
        decisions = Decisions(list(self.decisions_))
        explained = f"components explain {_explain(new, self.components_):.1%} of the new squares"
        old = f"{_explain(self.document_terms_, self.components_):.1%} of the old"
        if method == "refit":
            self._settle(rows, truncated_svd(rows, len(self.components_)), decisions)
            explained += f", {_explain(new, self.components_):.1%} after the refit"
        else:
            self.documents_ = np.concatenate([self.documents_, self._fold(new)])
            self.document_terms_, self.n_samples_fit_ = rows, rows.shape[0]
        decisions.add("partial_fit", f"{new.shape[0]} documents by {method}", f"{explained}, {old}")
        self.decisions_ = decisions
        return self

    def _fold_chunk(self, source: Source, chunk: Chunk) -> AnyArray:
        folded = self._fold(self._weight(self._checked(source, chunk)))
        return folded.astype(np.float32 if chunk.X.dtype == np.float32 else np.float64, copy=False)

    def _decompose(self, rows: sp.csr_array, decisions: Decisions) -> Svd:
        most, n_components = min(rows.shape), self.n_components
        if isinstance(n_components, float | np.floating) and 0.0 < n_components < 1.0:
            return _explaining(rows, float(n_components), decisions)
        if n_components is None:
            kept = min(USUAL_COMPONENTS, most)
            decisions.add("n_components", kept, f"of at most {most}")
        elif not is_int(n_components):
            raise ParameterTypeError(
                f"n_components={n_components!r} is neither a whole number nor a fraction between "
                "0 and 1. Give one of these, or None."
            )
        elif not 1 <= n_components <= most:
            raise ParameterError(
                f"n_components={n_components} must be between 1 and the smaller of n_samples="
                f"{rows.shape[0]} and n_features={rows.shape[1]}. Choose n_components <= {most}."
            )
        else:
            kept = int(n_components)
        return truncated_svd(rows, kept)

    def _settle(self, rows: sp.csr_array, svd: Svd, decisions: Decisions) -> None:
        """Set the attributes that follow from the decomposition."""
        (values, components, projected, solver), scale = svd, _usual_scale(rows)
        variance, data = (projected * scale).var(axis=0), rows.data * scale
        squares = np.bincount(rows.indices, data**2, minlength=rows.shape[1]) / rows.shape[0]
        mean = np.bincount(rows.indices, data, minlength=rows.shape[1]) / rows.shape[0]
        total = float((squares - mean**2).sum())
        decisions.add(*solver)
        self.components_, self.singular_values_ = components, values
        self.rank_: int = int(np.count_nonzero(values))
        self.explained_variance_: Array = squared_units(variance, scale)
        self.explained_variance_ratio_ = variance / total if total > 0 else np.zeros_like(variance)
        self.documents_, self.document_terms_ = projected * self._scale(), rows
        self.n_samples_fit_ = rows.shape[0]
        self.decisions_: Decisions = decisions

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _explaining(rows: sp.csr_array, fraction: float, decisions: Decisions) -> Svd:
    """Return as many components as explain `fraction` of the sum of squares."""
    most, kept = min(rows.shape), 0
    scale = _usual_scale(rows)
    total = float(((rows.data * scale) ** 2).sum())
    while kept < most:
        kept = min(max(2 * kept, 64), most)
        values, components, projected, solver = truncated_svd(rows, kept)
        ratio = np.cumsum((values * scale) ** 2) / (total if total > 0 else 1.0)
        if ratio[-1] >= fraction:
            break
    kept = min(int(np.searchsorted(ratio, fraction)) + 1, most) if total > 0 else 1
    decisions.add("n_components", kept, f"they explain {ratio[kept - 1]:.4g} of the sum of squares")
    return values[:kept], components[:kept], projected[:, :kept], solver


def _usual_scale(rows: sp.csr_array) -> float:
    """Return the power of two that brings unusual values near 1, and 1 for usual ones."""
    return scale_of(float(np.abs(rows.data).max(initial=0.0)))


def _explain(rows: sp.csr_array, components: Array) -> float:
    """Return the part of the sum of squares of `rows` that lies along `components`."""
    rows = rows * _usual_scale(rows)
    total = float((rows.data**2).sum())
    return float((np.asarray(rows @ components.T) ** 2).sum()) / total if total > 0 else 1.0


def _note_empty(rows: sp.csr_array, decisions: Decisions) -> None:
    if not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    empty = np.flatnonzero(np.diff(rows.indptr) == 0)
    unused = np.count_nonzero(np.bincount(rows.indices, minlength=rows.shape[1]) == 0)
    if len(empty):
        numbers = few(empty.tolist(), 5)
        decisions.add("documents", "at zero", f"{len(empty)} have no weighted term: {numbers}")
    if unused:
        decisions.add("terms", "without effect", f"{unused} have no weight in any document")
