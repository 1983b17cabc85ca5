"""A text column as a few numbers: the leading components of its tf-idf weights."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lookalike.data.source import Source
from lookalike.models.linalg.truncated_svd import truncated_svd
from lookalike.models.text.tfidf import TermWeights
from lookalike.typing import Array

MAX_TEXT_COMPONENTS = 50  # at most


class TextComponents:
    """The tf-idf weights of a column and their leading components, without any document.

    Parameters
    ----------
    weights : TermWeights
        Fitted.
    directions : ndarray of shape (n_components, n_terms)
        Of the components.
    scale : float
        What components are multiplied by, so that they count as much as the other columns.
    """

    weights: TermWeights
    directions: Array
    scale: float

    def __init__(self, weights: TermWeights, directions: Array, scale: float) -> None:
        self.weights, self.directions, self.scale = weights, directions, scale

    @property
    def names(self) -> list[str]:
        """The names of the components."""
        return [f"component {number + 1}" for number in range(len(self.directions))]

    def terms(self, source: Source) -> sp.csr_array:
        """Return the weighted terms of every document, times the scale."""
        return self.weights.transform(source) * self.scale

    def __call__(self, source: Source) -> Array:
        """Return the components of every document, (n, components)."""
        return np.asarray(self.weights.transform(source) @ self.directions.T) * self.scale


def text_components(source: Source, column: str, variance: float) -> TextComponents:
    """Learn the components of a text column, scaled such that their variances add to `variance`."""
    weights = TermWeights(column=column).fit(source)
    rows = weights.transform(source)
    most = min(MAX_TEXT_COMPONENTS, *rows.shape)
    values, directions, projected, _ = truncated_svd(rows, most)
    spread = float(projected.var(axis=0).sum())
    scale = float(np.sqrt(variance / spread)) if spread > 0 else 1.0
    return TextComponents(weights, np.ascontiguousarray(directions[values > 0]), scale)
