"""Number of rows and range of every column: the same bits however the rows are cut."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk
from lookalike.typing import Array, is_tensor, to_host


class Range(NamedTuple):
    """Number of rows, largest weight, and range of every column."""

    rows: int
    weighted: int  # rows whose weight is above zero
    heaviest: float  # the largest weight
    least: Array  # (d,)
    most: Array  # (d,)


class Ranges:
    """Number of rows, largest weight, smallest and largest value of every column.

    Nothing is rounded, so chunks, threads and engines make no difference.

    Examples
    --------
    >>> reduction = Ranges()
    >>> ranges = reduction.update(reduction.init(1), Chunk(np.array([[3.0], [-1.0]])))
    >>> ranges.rows, ranges.least.tolist(), ranges.most.tolist()
    (2, [-1.0], [3.0])
    """

    on_gpu = True

    def init(self, n_features: int) -> Range:
        """Return the ranges of no rows."""
        infinite = np.full(n_features, np.inf)
        return Range(0, 0, 0.0, infinite, -infinite)

    def update(self, state: Range, chunk: Chunk) -> Range:
        """Join the rows of `chunk`."""
        rows = chunk.X.shape[0]
        if not rows:
            return state
        least, most = (_ends(chunk.X, end) for end in (np.minimum, np.maximum))
        if chunk.weight is None:
            return self.merge(state, Range(rows, rows, 1.0, least, most))
        weighted = int(np.count_nonzero(chunk.weight))
        return self.merge(state, Range(rows, weighted, float(chunk.weight.max()), least, most))

    def merge(self, left: Range, right: Range) -> Range:
        """Join two groups of rows."""
        return Range(
            left.rows + right.rows,
            left.weighted + right.weighted,
            max(left.heaviest, right.heaviest),
            np.minimum(left.least, right.least),
            np.maximum(left.most, right.most),
        )

    def finalize(self, state: Range) -> Range:
        """Return the ranges."""
        return state


def _ends(X: Any, end: np.ufunc) -> Array:
    if sp.issparse(X):
        values = X.min(axis=0) if end is np.minimum else X.max(axis=0)
        return np.asarray(values.toarray(), np.float64).ravel()
    if is_tensor(X):
        values = X.amin(0) if end is np.minimum else X.amax(0)
        return np.asarray(to_host(values), np.float64)
    return np.asarray(end.reduce(X, axis=0), np.float64)
