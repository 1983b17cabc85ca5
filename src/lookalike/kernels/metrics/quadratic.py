"""Euclidean distance after the columns are made comparable: Mahalanobis and standardized."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lookalike.errors import MagnitudeError, ParameterError, ShapeError
from lookalike.interrupt import interruptible
from lookalike.kernels.metrics.base import IDENTITY_AXIOM, METRIC_AXIOMS, Embedded, check_columns
from lookalike.kernels.metrics.minkowski import Euclidean
from lookalike.kernels.metrics.rows import MetricRows
from lookalike.kernels.moments import column_moments
from lookalike.kernels.native_arrays import RowsLike, native_rows
from lookalike.kernels.transform import map_rows
from lookalike.typing import AnyArray, Array

_COVARIANCE_CHUNK_ROWS = 4096  # rows of the covariance at a time
LARGEST_MEASURED = 1e150  # value whose square, and sums of such squares, stay in float64


class Mahalanobis(Embedded):
    r"""Distance in units of the spread of the data.

    .. math:: d(x, y) = \sqrt{(x - y)^\top \Sigma^{-1} (x - y)}

    [Barber, section 14.1; LUMS]. Rows are embedded as :math:`W (x - c)` with
    :math:`\Sigma = L L^\top, W = L^{-1}`; the center :math:`c` only keeps the numbers small.

    Parameters
    ----------
    V : (d, d) array, optional
        The covariance. A singular one is an error: reduce the columns, or say which inverse is
        meant by giving ``VI=numpy.linalg.pinv(V)``.
    VI : (d, d) array, optional
        Its inverse, symmetric and with no negative eigenvalue.
    center : float or (d,) array, default=0.0
        A point amid the rows.
    """

    axioms: frozenset[str]
    center: Array

    indexes: frozenset[str] = frozenset({"exact", "kd_tree", "lsh", "scan"})
    degree = 1

    def __init__(
        self, V: ArrayLike | None = None, VI: ArrayLike | None = None, center: ArrayLike = 0.0
    ) -> None:
        if (V is None) == (VI is None):
            raise ParameterError(
                "mahalanobis needs the covariance V or its inverse VI, one of them. "
                "Give metric_params={'V': ...}."
            )
        self.name = "mahalanobis"
        self.map: Array = _whitening(_square(V, "V")) if VI is None else _root(_square(VI, "VI"))
        d = self.map.shape[1]
        point = np.ascontiguousarray(center, np.float64)
        self.center = point if np.ndim(center) else np.repeat(point, d)
        check_columns(d, self.center, "V", "center")
        self.axioms = METRIC_AXIOMS if len(self.map) == d else METRIC_AXIOMS - {IDENTITY_AXIOM}

    @classmethod
    def of(
        cls, X: RowsLike, V: ArrayLike | None = None, VI: ArrayLike | None = None
    ) -> Mahalanobis:
        """Return the metric of these rows: their covariance unless one is given."""
        rows = native_rows(X).values
        mean = column_moments(rows).mean
        if V is None and VI is None:
            require_squares(rows)
            V = covariance(rows, mean)
        check_columns(rows.shape[1], np.atleast_2d(np.asarray(V if VI is None else VI)), "X", "V")
        return cls(V, VI, mean)

    def embed(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return W (x - c) for every row, summed in one order whatever the batch."""
        rows = native_rows(X, what).values
        check_columns(rows.shape[1], self.center, what, "V")
        check_columns(rows.shape[1], self.map[0], what, "V")
        return map_rows(rows, self.map, self.center)

    def distance(self, key: Array) -> Array:
        """Return the roots of the keys."""
        return np.sqrt(key)


class StandardizedEuclidean(Euclidean):
    r"""Euclidean distance with every column divided by its standard deviation.

    .. math:: d(x, y) = \sqrt{\sum_j (x_j - y_j)^2 / V_j}

    [LUMS, normalization]. `V` holds the variances, N - 1 in the denominator where they are
    measured.
    """

    def __init__(self, V: ArrayLike) -> None:
        V = np.asarray(V, np.float64)
        bad = np.argwhere(~(np.isfinite(V) & (V > 0)))
        if V.ndim != 1 or bad.size:
            where = f"V[{bad[0, 0]}]={V[tuple(bad[0])]}" if bad.size else f"{V.ndim} dimensions"
            raise ParameterError(
                f"V has {where}. Give one variance > 0 per column; drop constant columns."
            )
        super().__init__(1 / V)
        self.name = "seuclidean"

    @classmethod
    def of(cls, X: RowsLike) -> StandardizedEuclidean:
        """Return the metric with the variances of these rows."""
        rows = native_rows(X).values
        require_squares(rows)
        moments = column_moments(rows)
        return cls(moments.scatter / np.maximum(moments.count - 1, 1))


def require_squares(X: AnyArray) -> None:
    """Raise where the square of a value overflows, with its row and column."""
    size = np.abs(X)
    if X.dtype != np.float64 or not size.size or size.max() < LARGEST_MEASURED:
        return
    row, column = np.unravel_index(size.argmax(), size.shape)
    raise MagnitudeError(
        f"X holds {X[row, column]:.3g} at row {row}, column {column}, whose square overflows "
        "float64, so that the column has no variance. Correct or drop the row, or give V."
    )


def covariance(X: AnyArray, mean: Array) -> Array:
    """Return the covariance of the rows, N - 1 in the denominator, some rows at a time."""
    scatter = np.zeros((X.shape[1], X.shape[1]))
    for start in range(0, len(X), _COVARIANCE_CHUNK_ROWS):
        difference = X[start : start + _COVARIANCE_CHUNK_ROWS] - mean
        scatter += difference.T @ difference
    return scatter / max(len(X) - 1, 1)


def _square(V: ArrayLike | None, what: str) -> Array:
    V = np.atleast_2d(np.asarray(V, np.float64))
    if V.ndim != 2 or V.shape[0] != V.shape[1]:
        raise ShapeError(f"{what} has shape {V.shape}. Give a square matrix, one row per column.")
    if not np.isfinite(V).all():
        raise ParameterError(f"{what} is not finite everywhere. Give a covariance of finite rows.")
    if not np.allclose(V, V.T, rtol=1e-10, atol=1e-12 * np.abs(V).max(initial=0)):
        raise ParameterError(
            f"{what} is not symmetric. Give ({what} + {what}.T) / 2 if that is meant."
        )
    matrix: Array = V
    return matrix


def _whitening(V: Array) -> Array:
    values = interruptible(np.linalg.eigvalsh, V)
    if not values[0] > len(V) * np.finfo(float).eps * max(values[-1], 0.0):
        raise ParameterError(
            f"V is singular: its eigenvalues run from {values[0]:.3g} to {values[-1]:.3g}. Drop "
            "dependent columns, or give VI=numpy.linalg.pinv(V) to leave those directions out."
        )
    lower = interruptible(np.linalg.cholesky, V)
    inverse: Array = np.tril(interruptible(np.linalg.solve, lower, np.eye(len(V))))
    return inverse


def _root(VI: Array) -> Array:
    values, axes = interruptible(np.linalg.eigh, VI)
    tiny = len(VI) * np.finfo(float).eps * max(values[-1], 0.0)
    if not values[-1] > 0 or values[0] < -tiny:
        raise ParameterError(
            f"VI has eigenvalues from {values[0]:.3g} to {values[-1]:.3g}: no inverse of a "
            "covariance. Give a matrix without negative eigenvalues."
        )
    if values[0] > tiny:
        return np.ascontiguousarray(interruptible(np.linalg.cholesky, VI).T)
    kept = values > tiny
    return np.ascontiguousarray((axes[:, kept] * np.sqrt(values[kept])).T)
