"""Term counts of documents, from texts or matrices, and the weights of the terms."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.models.estimator import Model
from lookalike.models.text.documents import read_documents
from lookalike.models.text.porter import porter
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice, check_kind, shown

if TYPE_CHECKING:
    from sklearn.utils import Tags

TERM_WEIGHTINGS = ("tfidf", "raw", "log_entropy")
STEM_CHOICES = (None, "porter")
WORD_PATTERN = r"(?u)\b\w\w+\b"
PARAMETERS_NOT_OF_TEXTS = ("n_components", "weighting", "whiten", "column")


class TermCounts(Model):
    """A model of documents: reads them, learns their terms, and weights these."""

    _sparse_rows = True
    engine = "auto"  # the matrix lies in memory: no other engine is offered
    n_jobs = None
    weighting: str
    stem: str | None
    column: str | None
    vocabulary: object
    vectorizer_: CountVectorizer | None
    term_weights_: Array

    def _learn(
        self, X: object, decisions: Decisions
    ) -> tuple[sp.csr_array, CountVectorizer | None, AnyArray, Array]:
        """Return the counts to fit on, their vectorizer, their terms and the weights of these.

        The vectorizer is None where the columns of a matrix have no names to look for in texts.
        """
        check_choice("weighting", self.weighting, TERM_WEIGHTINGS)
        check_choice("stem", self.stem, STEM_CHOICES)
        counts, vectorizer, terms = self._read_terms(X, decisions)
        return counts, vectorizer, terms, global_weights(counts, self.weighting)

    def _read_terms(
        self, X: object, decisions: Decisions
    ) -> tuple[sp.csr_array, CountVectorizer | None, AnyArray]:
        read = read_documents(X, self.column, decisions)
        if not isinstance(read, list):
            self._refuse_text_parameters()
            self._note_columns(X, read, reset=True)
            counts = self._gather(read)
            return counts, *self._named_columns(read)
        vectorizer = self._vectorizer()
        counts = learn_terms(vectorizer, read)
        self.n_features_in_: int = counts.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        return counts, vectorizer, vectorizer.get_feature_names_out()

    def _vectorizer(self) -> CountVectorizer:
        require_texts("vocabulary", self.vocabulary)
        require_texts("stop_words", self.stop_words)
        check_kind("token_pattern", self.token_pattern, str)
        parameters = self.get_params(deep=False).items()
        return vectorizer_for(**{k: v for k, v in parameters if k not in PARAMETERS_NOT_OF_TEXTS})

    def _refuse_text_parameters(self) -> None:
        """Raise where a parameter says how texts are read, and there are none."""
        known = (*PARAMETERS_NOT_OF_TEXTS, "vocabulary")
        for name, parameter in inspect.signature(type(self)).parameters.items():
            if name not in known and getattr(self, name) != parameter.default:
                raise ParameterError(
                    f"{name}={getattr(self, name)!r} applies to texts, and X holds numbers. "
                    "Leave it out."
                )

    def _named_columns(self, source: Source) -> tuple[CountVectorizer | None, AnyArray]:
        names = [column.name for column in source.columns]
        if self.vocabulary is None:
            return None, np.array(names, dtype=object)
        vectorizer = self._vectorizer()
        vectorizer.fit([])
        terms = vectorizer.get_feature_names_out()
        if len(terms) != len(names):
            raise ShapeError(
                f"vocabulary has {len(terms)} terms, X {len(names)} columns. Give one per column."
            )
        return vectorizer, terms

    def _gather(self, source: Source) -> sp.csr_array:
        parts = [self._checked(source, chunk) for chunk in source.chunks()]
        return parts[0] if len(parts) == 1 else sp.vstack(parts, format="csr")

    def _checked(self, source: Source, chunk: Chunk) -> sp.csr_array:
        """Return the counts of a chunk: finite, and none negative where they are weighted."""
        require_finite(chunk.X, chunk.offset, source.columns)
        counts = sp.csr_array(chunk.X, dtype=np.float64)
        if self.weighting != "raw" and counts.nnz and counts.data.min() < 0:
            row, column = (part[0] for part in (counts < 0).nonzero())
            raise ParameterError(
                f"Negative values in data passed to LSA: {counts[row, column]:g} at row "
                f"{chunk.offset + row}, column {source.columns[column].name!r}, is not a count. "
                "Give counts, or weighting='raw'."
            )
        return counts

    def _count(self, texts: list[str]) -> sp.csr_array:
        if self.vectorizer_ is None:
            raise ParameterTypeError(
                "Fitted on a matrix whose columns have no names, texts cannot be read. Give "
                "counts, or fit with vocabulary=[…]."
            )
        return count_terms(self.vectorizer_, texts)

    def _weight(self, counts: sp.csr_array) -> sp.csr_array:
        return weighted(counts, self.weighting, self.term_weights_)

    def _rows(self, X: object) -> sp.csr_array:
        """Return the weighted terms of documents that were not fitted."""
        read = read_documents(X, self.column)
        if isinstance(read, list):
            return self._weight(self._count(read))
        self._note_columns(X, read, reset=False)
        return self._weight(self._gather(read))

    def _query(self, query: object) -> sp.csr_array:
        if isinstance(query, str):
            return self._weight(self._count([query]))
        return self._rows(query)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.weighting != "raw"
        return tags


class StemTokenizer:
    """Tokenizer that drops stop words and stems the other words."""

    def __init__(self, token_pattern: str, stop_words: Collection[str]) -> None:
        self.token_pattern = token_pattern
        self.stop_words: frozenset[str] = frozenset(stop_words)

    def __call__(self, text: str) -> list[str]:
        """Return the stems in `text`, in order."""
        words = re.findall(self.token_pattern, text)
        return [porter(word) for word in words if word not in self.stop_words]


def vectorizer_for(
    *, stem: str | None, stop_words: Any, token_pattern: str, **others: object
) -> CountVectorizer:
    """Return scikit-learn's vectorizer; stop words are dropped before words are stemmed."""
    if stem is None:
        return CountVectorizer(stop_words=stop_words, token_pattern=token_pattern, **others)
    words: Collection[str] = ENGLISH_STOP_WORDS if stop_words == "english" else stop_words or ()
    if isinstance(words, str):
        raise ParameterError(f"stop_words={words!r} is not known. Give 'english' or a list.")
    tokenizer = StemTokenizer(token_pattern, words)
    return CountVectorizer(tokenizer=tokenizer, token_pattern=None, **others)


def require_texts(name: str, value: object) -> None:
    """Raise unless a parameter is None, text, or a collection of texts."""
    if value is None or isinstance(value, str):
        return
    listed = isinstance(value, Collection) and getattr(value, "ndim", 1) == 1
    if not listed or not all(isinstance(term, str) for term in value):  # type: ignore[attr-defined]
        raise ParameterTypeError(f"{name}={shown(value)} is not a list of texts. Give one.")


def learn_terms(vectorizer: CountVectorizer, texts: Sequence[str]) -> sp.csr_array:
    """Fit the vectorizer to `texts`, and return their term counts."""
    try:
        return _in_order(vectorizer.fit_transform(texts))
    except ValueError as problem:
        if "vocabulary" in str(problem) or "no terms remain" in str(problem):
            raise ShapeError(
                f"No term is left in the {len(texts)} documents: {problem}. Give documents with "
                "words, fewer stop_words, or a lower min_df."
            ) from problem
        raise ParameterError(str(problem)) from problem


def count_terms(vectorizer: CountVectorizer, texts: Sequence[str]) -> sp.csr_array:
    """Return the counts of the terms that the vectorizer knows."""
    return _in_order(vectorizer.transform(texts))


def global_weights(counts: sp.csr_array, weighting: str) -> Array:
    r"""Return the global weight of each term.

    ===============  =======================================================================
    ``raw``          1
    ``tfidf``        :math:`\ln \frac{1 + N}{1 + n_j} + 1`, term j being in :math:`n_j` documents
    ``log_entropy``  :math:`1 + \sum_i p_{ij} \ln p_{ij} / \ln N`, with
                     :math:`p_{ij} = x_{ij} / \sum_i x_{ij}` [Dumais91]
    ===============  =======================================================================

    A term spread evenly over all documents has entropy weight 0; one in a single document, 1.
    """
    n_documents, n_terms = counts.shape
    present = np.bincount(counts.indices[counts.data != 0], minlength=n_terms)
    if weighting == "tfidf":
        return np.asarray(np.log((1 + n_documents) / (1 + present)) + 1)
    if weighting == "raw" or n_documents == 1:
        return np.ones(n_terms)
    total = np.bincount(counts.indices, counts.data, minlength=n_terms)
    share = counts.data / np.where(total > 0, total, 1.0)[counts.indices]
    parts = share * np.log(np.where(share > 0, share, 1.0))
    weights = 1 + np.bincount(counts.indices, parts, minlength=n_terms) / np.log(n_documents)
    return np.where(weights > 1e-12, weights, 0.0)  # below is the rounding of an even spread


def weighted(counts: sp.csr_array, weighting: str, weights: Array) -> sp.csr_array:
    r"""Return the weighted terms of documents; all but ``raw`` have length 1, or 0 when empty.

    ``tfidf`` multiplies the count by the global weight, ``log_entropy`` :math:`\ln(1 + x_{ij})`.
    """
    data = np.log1p(counts.data) if weighting == "log_entropy" else counts.data
    data = data * weights[counts.indices]
    if weighting != "raw":
        row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        length = np.sqrt(np.bincount(row, data * data, minlength=counts.shape[0]))
        data /= np.where(length > 0, length, 1.0)[row]
    return sp.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)


def _in_order(counts: object) -> sp.csr_array:
    """Return counts as floats with sorted indices, so that sums have one order."""
    rows = sp.csr_array(counts, dtype=np.float64)
    rows.sort_indices()
    return rows
