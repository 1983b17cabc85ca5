"""Count, mean, scatter, smallest and largest value of every column, in one native pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike import _core
from lookalike.kernels.layout import native_matrix, native_vector
from lookalike.typing import AnyArray, Array


class ColumnMoments(NamedTuple):
    """Sums over the values present in each column, all of shape (n_features,)."""

    count: Array
    mean: Array
    scatter: Array
    least: Array
    most: Array


def column_moments(X: AnyArray, weight: AnyArray | None = None) -> ColumnMoments:
    r"""Gather the moments of every column of `X`, leaving out NaN.

    .. math:: \bar x_j = \frac{\sum_n w_n x_{nj}}{\sum_n w_n}, \qquad
              s_j = \sum_n w_n (x_{nj} - \bar x_j)^2
    """
    X = native_matrix(X)
    weight = np.empty(0) if weight is None else native_vector(weight)
    moments = np.empty((5, X.shape[1]))
    _core.column_moments(X, weight, moments)
    return ColumnMoments(*moments)
