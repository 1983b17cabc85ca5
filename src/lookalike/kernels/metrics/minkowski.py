"""Distances that add the gaps of the columns: Euclidean, Manhattan, Minkowski, Chebyshev."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.kernels.metrics.base import (
    IDENTITY_AXIOM,
    METRIC_AXIOMS,
    TRIANGLE_AXIOM,
    Embedded,
    Metric,
    MetricForm,
    check_columns,
    check_weight,
    dense_or_sparse,
)
from lookalike.kernels.metrics.rows import MetricRows, SparseRows
from lookalike.kernels.native_arrays import RowsLike, native_rows
from lookalike.typing import Array
from lookalike.validation import is_float


class Euclidean(Embedded):
    r"""Straight-line distance, with or without feature weights.

    .. math:: d(x, y) = \sqrt{\sum_j w_j (x_j - y_j)^2}

    [Barber, section 14.1; LUMS]. Weighted rows are embedded as :math:`\sqrt{w_j}\, x_j`.
    """

    indexes: frozenset[str] = frozenset({"exact", "kd_tree", "lsh", "scan"})
    degree = 1

    def __init__(self, w: ArrayLike | None = None) -> None:
        self.name = "euclidean"
        self.w: Array | None = None if w is None else check_weight(w)
        self.axioms: frozenset[str] = METRIC_AXIOMS if w is None else _axioms(self.w)

    def embed(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the rows themselves, or times the roots of the weights."""
        return weighted_rows(X, None if self.w is None else np.sqrt(self.w), what)

    def distance(self, key: Array) -> Array:
        """Return the roots of the keys."""
        return np.sqrt(key)


class SquaredEuclidean(Euclidean):
    r"""Squared distance, the key of the others: same order, no triangle inequality.

    .. math:: d(x, y) = \sum_j w_j (x_j - y_j)^2

    [Barber, eq. 14.1.1].
    """

    degree = 2

    def __init__(self, w: ArrayLike | None = None) -> None:
        super().__init__(w)
        self.name = "sqeuclidean"
        self.axioms: frozenset[str] = self.axioms - {TRIANGLE_AXIOM}

    def distance(self, key: Array) -> Array:
        """Return the keys themselves."""
        return key


class Minkowski(Metric):
    r"""The p-norm of the gaps for any p > 0 other than 2, infinity included.

    .. math:: d(x, y) = \Big(\sum_j w_j |x_j - y_j|^p\Big)^{1/p}, \qquad
              d(x, y) = \max_{j : w_j > 0} |x_j - y_j| \text{ for } p = \infty

    [LUMS, UGR]. Gaps are divided by the largest before they are raised, so no p overflows. The
    second form is the limit of the first, in which weights other than zero vanish. Below p = 1
    the triangle inequality fails: no tree can be used, and every row is compared.
    """

    name: str
    form: MetricForm
    axioms: frozenset[str]
    indexes: frozenset[str]

    degree = 1

    def __init__(self, p: float, w: ArrayLike | None = None) -> None:
        self.p: float = check_power(p)
        self.w: Array | None = None if w is None else check_weight(w)
        known = {
            1.0: ("manhattan", MetricForm.MANHATTAN),
            np.inf: ("chebyshev", MetricForm.CHEBYSHEV),
        }
        self.name, self.form = known.get(self.p, ("minkowski", MetricForm.MINKOWSKI))
        self.axioms = METRIC_AXIOMS if w is None else _axioms(self.w)
        if self.p < 1:
            self.axioms -= {TRIANGLE_AXIOM}
            self.indexes = frozenset({"scan"})
            return
        self.indexes = frozenset({"kd_tree", "scan"} | ({"lsh"} if self.p == 1 else set()))

    def rows(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the rows, with weights times their p-th roots; sparse unless p is unusual."""
        root = None
        if self.w is not None:
            root = np.sign(self.w) if np.isinf(self.p) else self.w ** (1 / self.p)
        if self.form is MetricForm.MINKOWSKI:
            X = native_rows(X, what).values
        return weighted_rows(X, root, what)


def minkowski(p: Any, w: ArrayLike | None = None) -> Metric:
    """Return the Minkowski metric of order `p`, which for 2 is Euclidean."""
    return Euclidean(w) if check_power(p) == 2 else Minkowski(p, w)


def check_power(p: object) -> float:
    """Return `p` as a float > 0, or raise."""
    if not is_float(p):
        raise ParameterTypeError(f"p={p!r} is not a number. Give p > 0 or numpy.inf.")
    power = float(p)
    if not power > 0:
        raise ParameterError(f"p={p} is not above 0. Give p > 0 or numpy.inf.")
    return power


def weighted_rows(X: RowsLike, factor: Array | None, what: str) -> MetricRows:
    """Return checked rows, each column times its factor."""
    rows = dense_or_sparse(X, what=what)
    if factor is None:
        return rows
    check_columns(rows.shape[1], factor, what, "w")
    if isinstance(rows, SparseRows):
        return rows._replace(value=rows.value * factor[rows.column])
    return rows.astype(np.float64) * factor


def _axioms(weight: Array | None) -> frozenset[str]:
    return METRIC_AXIOMS if weight is None or weight.all() else METRIC_AXIOMS - {IDENTITY_AXIOM}
