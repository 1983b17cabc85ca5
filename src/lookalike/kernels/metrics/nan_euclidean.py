"""Euclidean distance over the columns that both rows have."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lookalike.kernels.metrics.base import (
    SEMIMETRIC_AXIOMS,
    Metric,
    MetricForm,
    check_columns,
    check_weight,
)
from lookalike.kernels.metrics.rows import MetricRows
from lookalike.kernels.native_arrays import RowsLike, native_rows
from lookalike.typing import Array


class NanEuclidean(Metric):
    r"""Euclidean distance over the present columns, scaled up to all of them.

    .. math:: d(x, y) = \sqrt{\frac{\sum_j w_j}{\sum_{j \in P} w_j}
              \sum_{j \in P} w_j (x_j - y_j)^2}, \qquad
              P = \{j : x_j, y_j \text{ present}\}

    [Barber, LUMS: missing values]. Rows with no present column in common are infinitely far, and
    so come last, by row number. Missing values cost identity and the triangle inequality.
    """

    name = "nan_euclidean"
    form = MetricForm.NAN_EUCLIDEAN
    axioms = SEMIMETRIC_AXIOMS
    degree = 1

    def __init__(self, w: ArrayLike) -> None:
        self.w: Array = check_weight(w)

    def rows(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the rows, NaN where a value is missing."""
        rows = native_rows(X, what, missing=True).values
        check_columns(rows.shape[1], self.w, what, "w")
        return rows

    def distance(self, key: Array) -> Array:
        """Return the roots of the keys."""
        return np.sqrt(key)
