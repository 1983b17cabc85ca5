"""Covariance of every column with a numeric target."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk
from lookalike.errors import ShapeError
from lookalike.kernels.compensated import join_means, two_sum
from lookalike.kernels.moments import ColumnMoments
from lookalike.kernels.native_arrays import native_matrix
from lookalike.kernels.scatter import SCATTER_BLOCK_ROWS
from lookalike.reductions.columns import Columns
from lookalike.typing import AnyArray, Array


class TargetMoments(NamedTuple):
    """Moments of the columns, and of the target over the rows that have each value."""

    columns: ColumnMoments
    mean: Array  # (d,), of the target
    tail: Array  # (d,), what the mean has beyond its 53 bits
    scatter: Array  # (d,), of the target
    cross: Array  # (d,), sum of w (x - mean)(y - mean)


class TargetColumns:
    r"""Scatter of every column, of the target, and of both together.

    .. math:: c_j = \sum_n w_n (x_{nj} - \bar x_j)(y_n - \bar y)

    over the rows in which column j has a value. Pieces are joined with the pairwise update of
    [Chan83].
    """

    def init(self, n_features: int) -> TargetMoments:
        """Return the moments of no rows."""
        zero = np.zeros(n_features)
        return TargetMoments(Columns().init(n_features), zero, zero, zero, zero)

    def update(self, state: TargetMoments, chunk: Chunk) -> TargetMoments:
        """Join the rows of `chunk`."""
        if chunk.y is None:
            raise ShapeError("Covariances with a target need a number for every row. Give y.")
        n_features = chunk.X.shape[1]
        columns = Columns().update(Columns().init(n_features), chunk)
        y = np.asarray(chunk.y, np.float64)
        weight = np.ones(len(y)) if chunk.weight is None else chunk.weight
        center = float(y[weight > 0].mean()) if weight.any() else 0.0
        total, square, cross = _sums(chunk.X, y - center, weight, columns)
        known = columns.count > 0
        drift = np.divide(total, columns.count, out=np.zeros(n_features), where=known)
        mean, tail = two_sum(np.full(n_features, center), drift)
        scatter = np.maximum(square - columns.count * drift * drift, 0.0)
        return self.merge(state, TargetMoments(columns, mean, tail, scatter, cross))

    def merge(self, left: TargetMoments, right: TargetMoments) -> TargetMoments:
        """Join two groups of rows."""
        mine, theirs = left.columns, right.columns
        columns = Columns().merge(mine, theirs)
        share = np.divide(
            theirs.count, columns.count, out=np.zeros_like(columns.count), where=columns.count > 0
        )
        mean, tail, difference = join_means((left.mean, left.tail), (right.mean, right.tail), share)
        alone = mine.count == 0  # nothing to be far from
        column_gap = (theirs.mean - mine.mean) + (theirs.tail - mine.tail)
        between = mine.count * share * difference
        return TargetMoments(
            columns,
            np.where(alone, right.mean, mean),
            np.where(alone, right.tail, tail),
            left.scatter + right.scatter + between * difference,
            left.cross + right.cross + between * column_gap,
        )

    def finalize(self, state: TargetMoments) -> TargetMoments:
        """Return the moments."""
        return state


def _sums(
    X: AnyArray | sp.csr_array, y: Array, weight: Array, columns: ColumnMoments
) -> tuple[Array, Array, Array]:
    """Return the sums of w y, w y^2 and w (x - mean) y over the values present in each column."""
    wy = weight * y
    if sp.issparse(X):  # what is not stored is zero, not missing
        total, square = np.full((2, X.shape[1]), [[wy.sum()], [wy @ y]])
        return total, square, X.T @ wy - columns.mean * total
    X = native_matrix(X)
    total, square, cross = (np.zeros(X.shape[1]) for _ in range(3))
    for start in range(0, len(X), SCATTER_BLOCK_ROWS):
        part = slice(start, start + SCATTER_BLOCK_ROWS)
        difference = X[part] - columns.mean
        difference -= columns.tail
        present = ~np.isnan(difference)
        if present.all():
            total += wy[part].sum()
            square += wy[part] @ y[part]
        else:
            difference[~present] = 0.0
            total += wy[part] @ present
            square += (wy[part] * y[part]) @ present
        cross += wy[part] @ difference
    return total, square, cross
