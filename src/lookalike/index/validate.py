"""What an index may be given and asked: rows, queries, a number of neighbors, a radius."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from lookalike.errors import (
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.kernels.native_arrays import native_matrix
from lookalike.typing import AnyArray, Array, Rows

EXACT = 2**53  # whole numbers up to here are exact in float64


def check_rows(X: Any, name: str = "X", *, features: int | None = None) -> AnyArray:
    """Return `X` as a matrix of finite float32 or float64, with `features` columns where given."""
    rows: AnyArray = np.asarray(X)
    if rows.ndim != 2:
        raise ShapeError(
            f"{name} has {rows.ndim} dimensions, not 2. Give rows and columns: one row is "
            f"{name}.reshape(1, -1), one column {name}.reshape(-1, 1)."
        )
    if features is not None and rows.shape[1] != features:
        raise ShapeError(
            f"{name} has {rows.shape[1]} features, the index {features}. Give {features} columns."
        )
    if rows.shape[1] == 0:
        raise ShapeError(f"{name} has no features. Give at least one column.")
    if rows.dtype.kind not in "biuf":
        raise ParameterTypeError(
            f"{name} is of dtype {rows.dtype}, not of numbers. "
            f"Convert it, as by {name}.astype(float)."
        )
    if rows.dtype.kind in "iu" and rows.dtype.itemsize == 8 and rows.size:
        _check_exact(rows, name)
    rows = native_matrix(rows)
    _check_finite(rows, name)
    return rows


def check_stored(X: Any, *, features: int | None = None) -> AnyArray:
    """Return rows for an index to keep: as `check_rows`, and at least one."""
    rows = check_rows(X, features=features)
    if len(rows) == 0:
        raise ShapeError("X is empty: 0 rows were given. Give at least one row.")
    return rows


def check_whole(value: Any, name: str, least: int) -> int:
    """Return `value` as an int >= `least`; a float or a bool is an error."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise ParameterTypeError(
            f"{name}={value!r} is not a whole number. Give an integer >= {least}."
        )
    whole = operator.index(value)
    if whole < least:
        raise ParameterError(f"{name}={whole} is too small. Give an integer >= {least}.")
    return whole


def check_k(k: Any, n_rows: int, *, excluding: bool) -> int:
    """Return `k` as an int between 1 and the rows that a query can have as neighbors."""
    count = check_whole(k, "k", 1)
    if count > n_rows - excluding:
        without = ", one of them excluded from each query" if excluding else ""
        raise ParameterError(
            f"k={count} exceeds the {n_rows} rows of the index{without}. "
            f"Choose k <= {n_rows - excluding}."
        )
    return count


def check_exclude(exclude: Any, n_queries: int, n_rows: int) -> Rows:
    """Return one row number per query, or an empty array where none is excluded."""
    if exclude is None:
        return np.empty(0, np.int64)
    numbers = check_row_numbers(exclude, n_rows, "exclude")
    if len(numbers) != n_queries:
        raise ShapeError(
            f"exclude has {len(numbers)} entries for {n_queries} queries. Give one row number each."
        )
    return numbers


def check_row_numbers(rows: Any, n_rows: int, name: str = "rows") -> Rows:
    """Return `rows` as an int64 vector of numbers of rows that exist."""
    found = np.asarray(rows)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise ParameterTypeError(
            f"{name} is {found.ndim}-dimensional of dtype {found.dtype}, not a list of "
            "row numbers. Give integers."
        )
    numbers = np.ascontiguousarray(found, np.int64)
    outside = np.flatnonzero((numbers < 0) | (numbers >= n_rows))
    if outside.size:
        raise ParameterError(
            f"{name}[{outside[0]}]={numbers[outside[0]]} names no row of an index of {n_rows}. "
            f"Give numbers from 0 to {n_rows - 1}."
        )
    return numbers


def check_radius(radius: Any, n_queries: int) -> Array:
    """Return a radius >= 0 for every query, from one number or one per query."""
    found = np.asarray(radius)
    if found.dtype.kind not in "iuf":
        raise ParameterTypeError(f"radius={radius!r} is not a number. Give a number >= 0.")
    if found.ndim > 0 and found.shape != (n_queries,):
        raise ShapeError(
            f"radius has shape {found.shape} for {n_queries} queries. "
            "Give one number, or one per query."
        )
    radii = np.ascontiguousarray(np.broadcast_to(found.astype(np.float64), (n_queries,)))
    wrong = radii[~(radii >= 0)] if found.ndim else found[~(found >= 0)]
    if wrong.size:
        raise ParameterError(f"radius={float(wrong.flat[0])} is not >= 0. Give a number >= 0.")
    return radii


def _check_exact(X: AnyArray, name: str) -> None:
    if X.max() <= EXACT and X.min() >= -EXACT:
        return
    row, column = np.argwhere((X > EXACT) | (X < -EXACT))[0]
    raise ParameterError(
        f"{name} holds {X[row, column]} at row {row}, column {column}, which float64 cannot hold "
        f"exactly. Subtract a common offset, or give {name}.astype(float) to accept rounding."
    )


def _check_finite(X: AnyArray, name: str) -> None:
    with np.errstate(invalid="ignore", over="ignore"):
        total = X.sum(dtype=np.float64)
    if np.isfinite(total):
        return
    finite = np.isfinite(X)
    if finite.all():  # the sum alone was too large
        return
    row = int(np.flatnonzero(~finite.all(axis=1))[0])
    column = int(np.flatnonzero(~finite[row])[0])
    raise MissingValueError(
        f"{name} holds {X[row, column]} at row {row}, column {column}, where finite numbers are "
        "needed. Fill it, drop the row, or correct the value."
    )
