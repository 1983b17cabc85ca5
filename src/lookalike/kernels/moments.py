"""Count, mean, scatter, smallest and largest value of every column, in one native pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike import _core
from lookalike.kernels.compensated import two_sum
from lookalike.kernels.native_arrays import native_matrix, native_vector
from lookalike.typing import AnyArray, Array, is_tensor


class ColumnMoments(NamedTuple):
    """Sums over the values present in each column, all of shape (n_features,)."""

    count: Array  # type: ignore[assignment]  # hides tuple.count
    mean: Array
    tail: Array  # what the mean has beyond its 53 bits
    scatter: Array
    least: Array
    most: Array


def column_moments(X: AnyArray, weight: AnyArray | None = None) -> ColumnMoments:
    r"""Gather the moments of every column of `X`, leaving out NaN.

    .. math:: \bar x_j = \frac{\sum_n w_n x_{nj}}{\sum_n w_n}, \qquad
              s_j = \sum_n w_n (x_{nj} - \bar x_j)^2
    """
    if is_tensor(X):
        from lookalike.kernels.gpu.moments import column_moments as on_gpu

        return ColumnMoments(*on_gpu(X, weight))
    X = native_matrix(X)
    moments = np.empty((6, X.shape[1]))
    weights = np.empty(0) if weight is None else native_vector(weight)
    _core.column_moments(X=X, weight=weights, moments=moments)
    count, anchor, drift, scatter, least, most = moments
    return ColumnMoments(count, *two_sum(anchor, drift), scatter, least, most)
