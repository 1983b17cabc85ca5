"""The columns of a data frame or matrix: which hold numbers, and which categories."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np

from lookalike.errors import ColumnError, MissingValueError, ParameterTypeError, ShapeError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray


def columns_of(
    X: object, *, what: str, categorical: Sequence[Hashable]
) -> dict[Hashable, AnyArray]:
    """Return the columns of any data frame that narwhals reads, or of a matrix, by name.

    Numbers are float64, with NaN where missing; categories are objects, with None.
    """
    is_matrix = isinstance(X, np.ndarray | list)
    pairs = _matrix_columns(X, what) if is_matrix else _frame_columns(X, what)
    columns = {name: _column(values, name in categorical) for name, values in pairs}
    for name, values in columns.items():
        if not are_categories(values) and np.isinf(values).any():
            row = int(np.flatnonzero(np.isinf(values))[0])
            raise MissingValueError(f"{what} is infinite at row {row}, column {name!r}. Drop it.")
    return columns


def are_categories(values: AnyArray) -> bool:
    """Return whether the values of a column are categories, not numbers."""
    return values.dtype == object


def has_missing(values: AnyArray) -> bool:
    """Return whether a value of a column is missing."""
    if are_categories(values):
        return any(value is None for value in values)
    return bool(np.isnan(values).any())


def _frame_columns(X: Any, what: str) -> Iterator[tuple[Hashable, AnyArray]]:
    import narwhals.stable.v1 as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise ColumnError(f"{what} names columns twice: {error}. Rename them.") from error
    except TypeError as error:
        raise ParameterTypeError(
            f"{what} is not a table: {error}. Give a frame or matrix."
        ) from error
    for name in frame.columns:
        series = frame[name]
        if series.dtype.is_numeric():
            yield name, series.cast(nw.Float64).fill_null(float("nan")).to_numpy()
        else:
            yield name, np.array([*series.to_list(), None], dtype=object)[:-1]


def _matrix_columns(X: object, what: str) -> Iterator[tuple[Hashable, AnyArray]]:
    X = np.asarray(X)
    if X.ndim != 2:
        raise ShapeError(f"{what} has {X.ndim} dimensions, 2 are needed: rows and columns.")
    for column in range(X.shape[1]):
        yield column, X[:, column]


def _column(values: AnyArray, is_category: bool) -> AnyArray:
    if values.dtype.kind in "fiu" and not is_category:
        return values.astype(np.float64)
    cells = [None if is_missing(value) else value for value in values.tolist()]
    present = [value for value in cells if value is not None]
    numbers = all(isinstance(value, Real) and not isinstance(value, bool) for value in present)
    if numbers and present and not is_category:
        return np.array([np.nan if v is None else v for v in cells], np.float64)
    return np.array([*cells, None], dtype=object)[:-1]
