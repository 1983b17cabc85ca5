"""Rows of a NumPy array, in memory or mapped from a file, and of all that becomes one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, cast, overload

import numpy as np

from lookalike.data.chunk import Chunk, Column, Home, Kind, Table, chunk_rows
from lookalike.data.column_types import first_not_numeric, is_number
from lookalike.data.sources.page_release import MappedPages, mapped_file, require_whole
from lookalike.data.targets import as_target, as_weight
from lookalike.errors import ColumnError, ParameterError, ParameterTypeError, ShapeError
from lookalike.inexact import first_inexact, warn_inexact
from lookalike.typing import AnyArray

MAX_COLUMNS_WITH_NAMES = 100_000  # from which columns are not listed
MAPPED_CHUNKS_KEPT = 4  # chunks of a mapped file that may still be at work


class ArraySource:
    """The rows of an array, handed out as views wherever its type allows.

    Examples
    --------
    >>> source = ArraySource([[1, 2], [3, 4], [5, 6]])
    >>> [chunk.X.tolist() for chunk in source.chunks(rows=2)]
    [[[1, 2], [3, 4]], [[5, 6]]]
    """

    n_rows: int
    n_features: int

    repeatable = True
    home: Home = "memory"
    image_shape: tuple[int, ...] | None = None  # of rows that are images, flattened

    def __init__(
        self,
        X: object,
        y: object = None,
        *,
        weight: object = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self._X = as_matrix(X)
        self.n_rows, self.n_features = self._X.shape
        self.dtype: np.dtype = _deliver(self._X)
        self.columns: tuple[Column, ...] = number_columns(self.n_features, self.dtype, names)
        self._y, self._weight = as_target(y, self.n_rows), as_weight(weight, self.n_rows)
        self.named: bool = names is not None
        self._warned, self._file = False, mapped_file(self._X)

    @property
    def array(self) -> AnyArray:
        """The array itself."""
        return self._X

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows in matrices of at most `rows` rows."""
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        return self._chunks(rows)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column."""
        return (table_of(chunk, self.columns) for chunk in self.chunks(rows))

    def _chunks(self, rows: int) -> Iterator[Chunk]:
        pages, lag = MappedPages(self._X), MAPPED_CHUNKS_KEPT * rows
        for start in range(0, self.n_rows, rows):
            require_whole(self._file)
            part = slice(start, start + rows)
            X = self._X[part]
            if start >= lag:
                pages.release(self._X[start - lag : start - lag + rows])
            if not self._warned and (inexact := first_inexact(np.ma.filled(X, 0))):
                self._warned = True
                row, column = divmod(inexact[0], self.n_features)
                warn_inexact(inexact[1], start + row, self.columns[column].name)
            X = X.astype(self.dtype, copy=False)
            if isinstance(X, np.ma.MaskedArray):
                X = np.ma.filled(X, np.nan)
            yield Chunk(X, part_of(self._y, part), part_of(self._weight, part), start)


def as_matrix(data: object) -> AnyArray:
    """Return `data` as an array of numbers with rows and columns, without a copy if possible."""
    X = _as_array(data)
    if X.ndim == 0 and X.dtype.kind == "O":
        raise ParameterTypeError(
            f"data is of type {type(data).__name__}, which has no rows that can be read. Give an "
            "array, a data frame, a file, or an iterator of chunks."
        )
    if X.ndim != 2:
        raise ShapeError(_not_a_matrix(X))
    if not X.shape[0] or not X.shape[1]:
        what = "sample" if not X.shape[0] else "feature"
        raise ShapeError(
            f"X has 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required. "
            "Give at least one row and one column."
        )
    if X.dtype.kind == "O":
        return _numbers_of(np.ma.filled(X, np.nan))
    if X.dtype.kind not in "biuf":
        raise _not_numbers(X)
    if X.dtype.itemsize > 8:
        warnings.warn(
            f"X is {X.dtype}: computed in float64, with its 53 bits.", UserWarning, stacklevel=4
        )
    return X


def number_columns(
    n_features: int, dtype: np.dtype, names: Sequence[str] | None = None
) -> tuple[Column, ...]:
    """Return the columns of an array, called x0, x1 and so on where they have no names."""
    kind: Kind = "boolean" if dtype.kind == "b" else "number"
    if names is None and n_features > MAX_COLUMNS_WITH_NAMES:
        return cast("tuple[Column, ...]", NumberedColumns(n_features, kind))
    if names is None:
        return _number_columns(n_features, kind)
    if len(names) != n_features:
        raise ShapeError(f"{len(names)} names are given for {n_features} columns. Give one each.")
    return tuple(Column(name, kind) for name in names)


class NumberedColumns(Sequence[Column]):
    """Columns called x0, x1 and so on, each made when it is looked at: there may be 10^9.

    Examples
    --------
    >>> NumberedColumns(10**9, "number")[-1].name
    'x999999999'
    """

    def __init__(self, count: int, kind: Kind) -> None:
        self._numbers, self.kind = range(count), kind

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, which: int) -> Column: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Column, ...]: ...
    def __getitem__(self, which: int | slice) -> Column | tuple[Column, ...]:
        if isinstance(which, slice):
            return tuple(Column(f"x{j}", self.kind) for j in self._numbers[which])
        return Column(f"x{self._numbers[which]}", self.kind)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedColumns):
            return (self._numbers, self.kind) == (other._numbers, other.kind)
        return NotImplemented

    def __hash__(self) -> int:
        return hash((len(self), self.kind))


def kinds_of(columns: Sequence[Column]) -> set[Kind]:
    """Return the kinds that columns have, without a look at each where all are numbered."""
    if isinstance(columns, NumberedColumns):
        return {columns.kind}
    return {column.kind for column in columns}


@lru_cache(maxsize=8)
def _number_columns(n_features: int, kind: Kind) -> tuple[Column, ...]:
    return tuple(Column(f"x{j}", kind) for j in range(n_features))


def table_of(chunk: Chunk, columns: Sequence[Column]) -> Table:
    """Return the matrix of `chunk` column by column."""
    values = {column.name: chunk.X[:, j] for j, column in enumerate(columns)}
    return Table(values, chunk.y, chunk.weight, chunk.offset)


def part_of(values: Any, part: slice) -> Any:
    """Return a part of an array, None where there is none."""
    return None if values is None else values[part]


def _as_array(data: Any) -> AnyArray:
    if isinstance(data, np.ma.MaskedArray):
        return data if np.ma.is_masked(data) else data.data
    if hasattr(data, "__dlpack_device__") and not isinstance(data, np.ndarray):
        return _from_device(data)
    try:
        return np.asarray(data)
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else 1 for row in data]
        odd = next((i for i, length in enumerate(lengths) if length != lengths[0]), 0)
        raise ShapeError(
            f"X is ragged: row {odd} has {lengths[odd]} values, row 0 has {lengths[0]}. "
            "Give every row the same number of values."
        ) from None
    except TypeError as error:  # an object that says how it becomes an array, and cannot
        raise ParameterTypeError(
            f"{type(data).__name__} cannot be read as rows: {error}. Give an array or a frame."
        ) from None


def _from_device(data: Any) -> AnyArray:
    device = data.__dlpack_device__()
    if int(device[0]) != 1:  # kDLCPU
        where = getattr(data, "device", f"device {device}")
        raise ParameterTypeError(
            f"X lies on {where}, and copying it to this process is not done silently. "
            "Give X.cpu() (torch) or X.get() (cupy)."
        )
    if getattr(data, "requires_grad", False):
        data = data.detach()
    try:
        return np.from_dlpack(data)
    except (BufferError, RuntimeError, TypeError) as error:
        raise ParameterTypeError(
            f"X is a {type(data).__name__} that NumPy cannot read: {error}. "
            "Give a dense tensor of float32 or float64."
        ) from None


def _deliver(X: AnyArray) -> np.dtype:
    if isinstance(X, np.ma.MaskedArray):
        return (
            np.result_type(X.dtype, np.float32) if X.dtype.itemsize <= 8 else np.dtype(np.float64)
        )
    return np.dtype(np.float64) if X.dtype.itemsize > 8 else X.dtype.newbyteorder("=")


def _not_a_matrix(X: AnyArray) -> str:
    if X.ndim == 0:
        value = repr(X.item())
        return f"X is the single value {value}. Give rows and columns, for example [[{value}]]."
    if X.ndim == 1:
        return (
            f"X has one dimension, shape {X.shape}. Reshape your data: X.reshape(-1, 1) for one "
            "feature, X.reshape(1, -1) for one row."
        )
    return (
        f"X has {X.ndim} dimensions, shape {X.shape}. Reshape your data: "
        f"X.reshape({X.shape[0]}, -1) for one row an item, or iter(X) for a stream of chunks."
    )


def _not_numbers(X: AnyArray) -> Exception:
    if X.dtype.kind == "c":
        return ParameterError(f"Complex data not supported: X is {X.dtype}. Give X.real.")
    if X.dtype.kind in "US":
        cells = X.ravel().tolist()
        position, value = first_not_numeric(cells) or (0, cells[0])
        row, column = divmod(position, X.shape[1])
        return ColumnError(
            f"X holds text: {value!r} at row {row}, column {column}. Give numbers only."
        )
    if X.dtype.kind in "mM":
        return ColumnError(
            f"X holds dates ({X.dtype}). Give numbers, for example days since a start."
        )
    return ParameterTypeError(f"X is of type {X.dtype}. Give an array of numbers.")


def _numbers_of(X: AnyArray) -> AnyArray:
    numbers = np.empty(X.shape, np.float64)
    for (row, column), value in np.ndenumerate(X):
        if is_number(value):
            numbers[row, column] = value
        elif value is None or isinstance(value, str | bytes):
            raise ColumnError(
                f"X holds {value!r} at row {row}, column {column}, which is not a number. "
                "Give numbers only, or a data frame whose columns name their kinds."
            )
        else:
            raise ParameterTypeError(
                f"X holds {value!r} at row {row}, column {column}: an argument must be a string "
                "or a number. Give numbers only."
            )
    return numbers
