"""The columns of a data frame or matrix: which hold numbers, and which categories."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np

from lookalike.errors import ColumnError, MissingValueError, ParameterTypeError, ShapeError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray


class ColumnValues(NamedTuple):
    """One column: float64 with NaN for missing numbers, or objects with None."""

    name: Hashable
    values: AnyArray
    is_category: bool

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing."""
        if self.is_category:
            return any(value is None for value in self.values)
        return bool(np.isnan(self.values).any())


def columns_of(X: object, *, what: str, categorical: Sequence[Hashable]) -> list[ColumnValues]:
    """Return the columns of any data frame that narwhals reads, or of a matrix."""
    is_matrix = isinstance(X, np.ndarray | list)
    pairs = _matrix_columns(X, what) if is_matrix else _frame_columns(X, what)
    columns = [_column(name, values, name in categorical) for name, values in pairs]
    for column in columns:
        if not column.is_category and np.isinf(column.values).any():
            row = int(np.flatnonzero(np.isinf(column.values))[0])
            raise MissingValueError(
                f"{what} is infinite at row {row}, column {column.name!r}. Drop it."
            )
    return columns


def _frame_columns(X: object, what: str) -> Iterator[tuple[Hashable, AnyArray]]:
    import narwhals.stable.v1 as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise ColumnError(f"{what} names columns twice: {error}. Rename them.") from error
    except TypeError as error:
        raise ParameterTypeError(f"{what} is no table: {error}. Give a frame or matrix.") from error
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
    for place in range(X.shape[1]):
        yield place, X[:, place]


def _column(name: Hashable, values: AnyArray, is_category: bool) -> ColumnValues:
    if values.dtype.kind in "fiu" and not is_category:
        return ColumnValues(name, values.astype(np.float64), False)
    cells = [None if is_missing(value) else value for value in values.tolist()]
    present = [value for value in cells if value is not None]
    numbers = all(isinstance(value, Real) and not isinstance(value, bool) for value in present)
    if numbers and present and not is_category:
        return ColumnValues(
            name, np.array([np.nan if v is None else v for v in cells], np.float64), False
        )
    return ColumnValues(name, np.array([*cells, None], dtype=object)[:-1], True)
