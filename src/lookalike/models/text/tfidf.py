"""Term weighting: documents as rows of tf-idf or log-entropy weights."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse as sp

from lookalike.decisions import Decisions
from lookalike.models.estimator import check_is_fitted, with_callbacks
from lookalike.models.sklearn_bases import TransformerMixin
from lookalike.models.text.counts import WORD_PATTERN, TermCounts
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


TERM_ANALYZERS = ("word", "char", "char_wb")


class TermWeights(TransformerMixin, TermCounts):
    """Turn documents into sparse rows of weighted terms (tf-idf), of length 1.

    The first step of :class:`lookalike.LSA`: neighbors by the cosine of these rows are the
    standard way to compare documents.

    Parameters
    ----------
    weighting : {"tfidf", "log_entropy", "raw"}, default="tfidf"
        How a count becomes a weight; see :func:`lookalike.models.text.counts.global_weights`.
    column, stop_words, stem, lowercase, strip_accents, token_pattern, ngram_range, min_df, max_df
        As in :class:`lookalike.LSA`.
    analyzer : {"word", "char", "char_wb"}, default="word"
        Whether terms are of words, of characters, or of characters within words.
    max_features, vocabulary
        As in :class:`lookalike.LSA`.

    Attributes
    ----------
    terms_ : ndarray of str
        The terms, in the order of the columns.
    term_weights_ : ndarray of shape (n_terms,)
        The global weight of each term.
    vectorizer_ : CountVectorizer or None
        The vectorizer of texts.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    >>> rows = TermWeights().fit_transform(["car truck", "car flower", "flower"])
    >>> (rows @ rows.T).toarray().round(2)
    array([[1.  , 0.43, 0.  ],
           [0.43, 1.  , 0.71],
           [0.  , 0.71, 1.  ]])
    """

    terms_: AnyArray
    term_weights_: Array
    vectorizer_: BaseEstimator | None

    def __init__(
        self,
        weighting: str = "tfidf",
        *,
        column: str | None = None,
        stop_words: str | Collection[str] | None = None,
        stem: str | None = None,
        lowercase: bool = True,
        strip_accents: str | None = None,
        token_pattern: str = WORD_PATTERN,
        analyzer: str = "word",
        ngram_range: tuple[int, int] = (1, 1),
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        vocabulary: object = None,
    ) -> None:
        self.weighting = weighting
        self.column = column
        self.stop_words = stop_words
        self.stem = stem
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.token_pattern = token_pattern
        self.analyzer = analyzer
        self.ngram_range = ngram_range
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.vocabulary = vocabulary

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Learn the terms of the documents of `X`, one per row, and their weights; `y` is ignored.

        `X` is a list of str, a table with a column of text, or a matrix of counts.
        """
        check_choice("analyzer", self.analyzer, TERM_ANALYZERS)
        decisions = Decisions()
        _, self.vectorizer_, self.terms_, self.term_weights_ = self._learn(X, decisions)
        self.decisions_ = decisions
        return self

    def transform(self, X: object) -> sp.csr_array:
        """Return the weighted terms of the documents of `X`; words not met in fit do not count."""
        check_is_fitted(self)
        return self._rows(X)

    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
        """Return the terms."""
        check_is_fitted(self)
        return np.asarray(self.terms_, dtype=object)
