"""Count, mean, variance, smallest and largest value of every column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk
from lookalike.kernels.compensated import join_means
from lookalike.kernels.moments import ColumnMoments, column_moments
from lookalike.settings import require_memory
from lookalike.typing import AnyArray, Array


class ColumnSummary(NamedTuple):
    """Summary of each column, every field of shape (n_features,)."""

    count: Array  # type: ignore[assignment]  # hides tuple.count; weight of the values present
    mean: Array  # NaN where nothing is present
    variance: Array
    least: Array
    most: Array


class Columns:
    r"""Count, mean, variance, minimum and maximum of the values present in each column.

    .. math:: \bar x_j = \frac{1}{W_j} \sum_n w_n x_{nj}, \qquad
              v_j = \frac{1}{W_j - \mathrm{ddof}} \sum_n w_n (x_{nj} - \bar x_j)^2

    Pieces are joined with the pairwise update of [Chan83].

    Parameters
    ----------
    ddof : int
        0 divides by the count, 1 by one less.
    """

    on_gpu = True

    def __init__(self, *, ddof: int = 0) -> None:
        self.ddof = ddof

    def init(self, n_features: int) -> ColumnMoments:
        """Return the moments of no rows."""
        require_columns_fit(n_features, 6)
        zero, infinite = np.zeros(n_features), np.full(n_features, np.inf)
        return ColumnMoments(zero, zero, zero, zero, infinite, -infinite)

    def update(self, state: ColumnMoments, chunk: Chunk) -> ColumnMoments:
        """Join the moments of `chunk` to `state`."""
        gather = _sparse_moments if sp.issparse(chunk.X) else column_moments
        return self.merge(state, gather(chunk.X, chunk.weight))

    def merge(self, left: ColumnMoments, right: ColumnMoments) -> ColumnMoments:
        """Join two groups of rows."""
        count = left.count + right.count
        share = np.divide(right.count, count, out=np.zeros_like(count), where=count > 0)
        mean, tail, difference = join_means((left.mean, left.tail), (right.mean, right.tail), share)
        alone = left.count == 0  # nothing to be far from
        return ColumnMoments(
            count,
            np.where(alone, right.mean, mean),
            np.where(alone, right.tail, tail),
            left.scatter + right.scatter + left.count * share * difference * difference,
            np.minimum(left.least, right.least),
            np.maximum(left.most, right.most),
        )

    def finalize(self, state: ColumnMoments) -> ColumnSummary:
        """Return the summary; columns without a value have NaN."""
        known = state.count > 0
        degrees = state.count - self.ddof
        variance = np.divide(
            state.scatter, degrees, out=np.full_like(degrees, np.nan), where=known & (degrees > 0)
        )
        mean, least, most = (
            np.where(known, part, np.nan) for part in (state.mean, state.least, state.most)
        )
        return ColumnSummary(state.count, mean, variance, least, most)


def require_columns_fit(n_features: int, n_arrays: int) -> None:
    """Raise where some numbers for every column exceed the memory budget."""
    require_memory(
        8 * n_arrays * n_features,
        f"{n_arrays} numbers for each of {n_features:,} columns take",
        "Choose columns, or reduce them by hashing; K-nearest neighbors need no numbers for a "
        "column.",
    )


def _sparse_moments(X: sp.csr_array, weight: AnyArray | None) -> ColumnMoments:
    """Return the moments of sparse rows, their zeros counted and never stored."""
    X = X.tocsc()
    n_rows, n_features = X.shape
    value = X.data.astype(np.float64)
    w = np.ones(n_rows) if weight is None else np.asarray(weight, np.float64)
    column = np.repeat(np.arange(n_features), np.diff(X.indptr))
    w_value = w[X.indices]
    present = ~np.isnan(value)

    def total(terms: AnyArray) -> Array:
        return np.bincount(column[present], terms[present], minlength=n_features).astype(
            np.float64, copy=False
        )

    stored = total(w_value)
    unstored = np.bincount(column, w_value > 0, minlength=n_features) < np.count_nonzero(w > 0)
    left = w.sum() - np.bincount(column, w_value, minlength=n_features)  # weight not stored
    zeros = np.where(unstored, left, 0.0)  # of columns without zeros, rounding alone is left
    count = stored + zeros
    mean = np.divide(total(w_value * value), count, out=np.zeros(n_features), where=count > 0)
    scatter = total(w_value * (value - mean[column]) ** 2) + zeros * mean**2
    least, most = (np.full(n_features, sign * np.inf) for sign in (1, -1))
    counted = present & (w_value > 0)
    np.minimum.at(least, column[counted], value[counted])
    np.maximum.at(most, column[counted], value[counted])
    least = np.where(unstored, np.minimum(least, 0.0), least)
    most = np.where(unstored, np.maximum(most, 0.0), most)
    constant = least == most  # of which rounding would leave a deviation
    mean, scatter = np.where(constant, least, mean), np.where(constant, 0.0, scatter)
    return ColumnMoments(count, mean, np.zeros(n_features), scatter, least, most)
