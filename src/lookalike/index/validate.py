"""What an index takes: rows and queries, a number of neighbors, a radius, numbers of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lookalike.data.predicate import Where
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.kernels.exact import NO_MASK
from lookalike.kernels.native_arrays import NUMBER_TYPES, NativeRows, RowsLike, native_rows
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_int, shown


def index_rows(
    X: RowsLike,
    *,
    n_features: int | None = None,
    dtypes: tuple[np.dtype, ...] = NUMBER_TYPES,
    threads: int = 0,
) -> NativeRows:
    """Return rows for an index to keep: at least one, of `n_features` columns where given."""
    rows = query_rows(X, n_features, "X", dtypes=dtypes, threads=threads)
    if rows.shape[1] == 0:
        raise ShapeError("X has no features. Give at least one column.")
    if rows.shape[0] == 0:
        raise ShapeError("X is empty: 0 rows were given. Give at least one row.")
    return rows


def query_rows(
    Q: RowsLike,
    n_features: int | None,
    name: str = "Q",
    *,
    dtypes: tuple[np.dtype, ...] = NUMBER_TYPES,
    threads: int = 0,
) -> NativeRows:
    """Return queries, or rows to add: any number of them, of the columns of the index."""
    rows = native_rows(Q, name, dtypes=dtypes, threads=threads)
    if n_features is not None:
        check_features(rows.shape[1], n_features, name)
    return rows


def check_features(n_columns: int, n_features: int, name: str) -> None:
    """Raise unless rows have as many columns as those of the index."""
    if n_columns != n_features:
        raise ShapeError(
            f"{name} has {n_columns} features, the index {n_features}. Give {n_features} columns."
        )


def check_k(k: object, n_rows: int, *, excluding: bool, allowed: AnyArray = NO_MASK) -> int:
    """Return `k` as an int between 1 and the rows that a query can have as neighbors.

    `allowed` says of each row whether it may be one; nothing where all may.
    """
    count = check_int("k", k, least=1)
    n_allowed = int(allowed.sum()) if len(allowed) else n_rows
    if count > n_allowed - excluding:
        without = ", one of them excluded from each query" if excluding else ""
        within = f" among which where= leaves {n_allowed}" if len(allowed) else ""
        raise ParameterError(
            f"k={count} exceeds the {n_rows} rows of the index{within}{without}. "
            f"Choose k <= {n_allowed - excluding}."
        )
    return count


def check_where(where: Where, n_rows: int) -> AnyArray:
    """Return for each row whether it may be a neighbor: of a mask, or of row numbers.

    Nothing where `where` is None: all rows may.

    Examples
    --------
    >>> check_where([2, 0], 3)
    array([ True, False,  True])
    """
    if where is None:
        return NO_MASK
    try:
        given = np.asarray(where)
    except ValueError:
        given = np.empty((0, 0), object)
    if given.dtype == object and given.ndim == 1 and all(isinstance(x, bool) for x in given):
        given = given.astype(bool)
    if given.dtype == bool:
        if given.shape != (n_rows,):
            raise ShapeError(
                f"where is a mask of shape {given.shape} for {n_rows} rows. Give True or False "
                "for each row, or row numbers."
            )
        mask = np.ascontiguousarray(given)
    else:
        mask = np.zeros(n_rows, bool)
        mask[check_row_numbers(given, n_rows, "where")] = True
    if not mask.any():
        raise ParameterError("where leaves no row to search. Choose at least one row.")
    return mask


def check_exclude(exclude: ArrayLike | None, n_queries: int, n_rows: int) -> Rows:
    """Return one row number per query, or an empty array where none is excluded."""
    if exclude is None:
        return np.empty(0, np.int64)
    numbers = check_row_numbers(exclude, n_rows, "exclude")
    if len(numbers) != n_queries:
        raise ShapeError(
            f"exclude has {len(numbers)} entries for {n_queries} queries. Give one row number each."
        )
    return numbers


def check_row_numbers(rows: ArrayLike, n_rows: int, name: str = "rows") -> Rows:
    """Return `rows` as an int64 vector of numbers of rows that exist."""
    try:
        given = np.asarray(rows)
    except ValueError:
        given = np.empty((0, 0), object)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ParameterTypeError(
            f"{name} is {given.ndim}-dimensional of dtype {given.dtype}, not a list of "
            "row numbers. Give integers."
        )
    numbers = np.ascontiguousarray(given, np.int64)
    outside = np.flatnonzero((numbers < 0) | (numbers >= n_rows))
    if outside.size:
        raise ParameterError(
            f"{name}[{outside[0]}]={numbers[outside[0]]} names no row of an index of {n_rows}. "
            f"Give numbers from 0 to {n_rows - 1}."
        )
    return numbers


def rows_left(rows: object, n_rows: int, *, some: bool = False) -> AnyArray:
    """Return which of `n_rows` rows stay when `rows` are removed: at least one.

    With `some`, at least one must be removed too.
    """
    several: Any = [rows] if np.isscalar(rows) else rows
    drop = check_row_numbers(several, n_rows)
    if some and not drop.size:
        raise ParameterError("rows is empty: no row would be removed. Name at least one.")
    keep = np.ones(n_rows, bool)
    keep[drop] = False
    if not keep.any():
        raise ParameterError(
            f"removing {len(drop)} rows would leave the index of {n_rows} empty. Keep one row."
        )
    return keep


def radius_numbers(radius: object) -> AnyArray:
    """Return one radius or several as an array of numbers, or raise."""
    try:
        given = np.asarray(radius)
    except ValueError:  # ragged
        given = np.empty(0, object)
    if given.dtype.kind not in "iuf":
        raise ParameterTypeError(f"radius={shown(radius)} is not a number. Give a number >= 0.")
    return given


def check_radius(radius: ArrayLike, n_queries: int) -> Array:
    """Return a radius >= 0 for every query, from one number or one per query."""
    given = radius_numbers(radius)
    if given.ndim > 0 and given.shape != (n_queries,):
        raise ShapeError(
            f"radius has shape {given.shape} for {n_queries} queries. "
            "Give one number, or one per query."
        )
    radii = np.ascontiguousarray(np.broadcast_to(given.astype(np.float64), (n_queries,)))
    wrong = radii[~(radii >= 0)] if given.ndim else given[~(given >= 0)]
    if wrong.size:
        raise ParameterError(f"radius={float(wrong.flat[0])} is not >= 0. Give a number >= 0.")
    return radii
