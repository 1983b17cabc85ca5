"""From words to numbers: which terms a document holds, and how much each one counts."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from lookalike.errors import ParameterError, ShapeError
from lookalike.models.text.porter import porter
from lookalike.typing import Array

WEIGHTINGS = ("tfidf", "raw", "log_entropy")
STEMS = (None, "porter")


class StemTokenizer:
    """Cuts a text into words, leaves out stop words, and gives the stems of the others."""

    def __init__(self, token_pattern: str, stop_words: Collection[str]) -> None:
        self.token_pattern = token_pattern
        self.stop_words = frozenset(stop_words)

    def __call__(self, text: str) -> list[str]:
        """Return the stems in `text`, in order."""
        words = re.findall(self.token_pattern, text)
        return [porter(word) for word in words if word not in self.stop_words]


def vectorizer_for(
    *, stem: str | None, stop_words: Any, token_pattern: str, **others: Any
) -> CountVectorizer:
    """Return scikit-learn's counter of terms; stop words are taken out before words are cut."""
    if stem is None:
        return CountVectorizer(stop_words=stop_words, token_pattern=token_pattern, **others)
    words: Collection[str] = ENGLISH_STOP_WORDS if stop_words == "english" else stop_words or ()
    if isinstance(words, str):
        raise ParameterError(f"stop_words={words!r} is not known. Give 'english' or a list.")
    tokenizer = StemTokenizer(token_pattern, words)
    return CountVectorizer(tokenizer=tokenizer, token_pattern=None, **others)


def learn_terms(vectorizer: CountVectorizer, texts: Sequence[str]) -> sp.csr_array:
    """Return the counts of the terms in `texts`, of which the vectorizer learns the terms."""
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
    r"""Return how much each term counts, whatever the document.

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


def _in_order(counts: Any) -> sp.csr_array:
    """Return counts as floats, with the terms of each row in order, so that sums have one order."""
    rows = sp.csr_array(counts, dtype=np.float64)
    rows.sort_indices()
    return rows
