"""Rows with missing or infinite values, set aside from those that can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lookalike.errors import ShapeError
from lookalike.models.neighbors.supervised import rows_of
from lookalike.typing import Array, Rows
from lookalike.validation import require_sparse_places

INFINITE_LABEL = -2  # as scikit-learn's HDBSCAN labels rows
MISSING_LABEL = -3
UNREACHABLE_DISTANCE = 2.0**1000  # between rows that are infinitely far from each other


def finite_rows(X: object) -> tuple[object, Rows | None]:
    """Return the rows of a table that are finite, and of every row 0 or a label below -1.

    None in place of labels where all are finite, or the table is not one of numbers in memory.

    Examples
    --------
    >>> finite_rows(np.array([[1.0], [np.nan], [np.inf]]))
    (array([[1.]]), array([ 0, -3, -2]))
    """
    if isinstance(X, (list, tuple)):
        try:
            X = np.array(X, np.float64)
        except (TypeError, ValueError):  # other cells than numbers
            return X, None
    values = _numbers(X)
    if values is None or values.ndim != 2 or values.dtype.kind != "f":
        return X, None
    if sp.issparse(values):
        require_sparse_places(values)
    table: Any = X
    with np.errstate(over="ignore", invalid="ignore"):
        missing, infinite = _bad_rows(np.isnan, values), _bad_rows(np.isinf, values)
    if not (missing | infinite).any():
        return X, None
    outside = np.where(missing, MISSING_LABEL, np.where(infinite, INFINITE_LABEL, 0))
    finite = np.flatnonzero(outside == 0)
    if not len(finite):
        raise ShapeError("Every row of X has a missing or infinite value. Give finite rows.")
    return rows_of(table.tocsr() if sp.issparse(X) else table, finite), outside


def with_largest_distances(X: object) -> object:
    """Return a square of distances, infinite ones as the largest that can be compared."""
    distance = np.asarray(X) if isinstance(X, (list, tuple)) else X
    if not isinstance(distance, np.ndarray) or distance.dtype.kind != "f":
        return X
    infinite = np.isposinf(distance)
    return np.where(infinite, UNREACHABLE_DISTANCE, distance) if infinite.any() else X


def or_infinite(values: Array) -> Array:
    """Return distances, those that stand for infinity as infinity.

    Examples
    --------
    >>> or_infinite(with_largest_distances([[0.0, np.inf]]))
    array([[ 0., inf]])
    """
    return np.where(values >= UNREACHABLE_DISTANCE, np.inf, values)


def _numbers(X: object) -> Any:
    """Return the values of an array, a sparse matrix, or a frame of floats; else None."""
    if isinstance(X, np.ndarray) or sp.issparse(X):
        return X
    if hasattr(X, "to_numpy") and hasattr(X, "columns") and hasattr(X, "dtypes"):
        if any(str(dtype) in ("Int128", "UInt128") for dtype in X.dtypes):  # which NumPy has not
            return None
        values = X.to_numpy()
        return values if isinstance(values, np.ndarray) else None
    return None


def _bad_rows(test: Any, values: Any) -> Any:
    if not sp.issparse(values):
        return test(values).any(axis=1)
    rows = values.tocsr()
    bad = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[test(rows.data)]
    return np.bincount(bad, minlength=rows.shape[0]) > 0
