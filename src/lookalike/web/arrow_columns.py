"""Columns of an Arrow stream: types and products checked first, cells made when they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from lookalike.typing import AnyArray
from lookalike.validation import shown
from lookalike.web.limits import Limits
from lookalike.web.problems import ProblemError

if TYPE_CHECKING:
    from types import ModuleType

    import pyarrow as pa

VIEW_INTEGERS = 4  # of 32 bits in one view of a text, whose length is the first
LARGEST_LIST = 2**20  # numbers in one list of a matrix


class ArrowColumns(Mapping[str, AnyArray]):
    """Columns by name; the cells of a column that no model asks for are never made."""

    def __init__(self, table: pa.Table, library: ModuleType) -> None:
        self._table, self._library = table, library
        self._names = {name: position for position, name in enumerate(table.column_names)}
        if len(self._names) < table.num_columns:
            raise ProblemError(422, "Two columns have one name. Rename one.")

    def __getitem__(self, name: str) -> AnyArray:
        column = self._table.column(self._names[name])
        try:
            return _cells(column, self._library)
        except self._library.ArrowException as error:  # a date beyond the range of microseconds
            reason = str(error)[:200]
            raise ProblemError(
                422, f"The column {shown(name)} cannot be read: {reason}.", column=name
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def require_types(schema: pa.Schema, library: ModuleType) -> None:
    """Raise a problem for a column of a type that no model reads, such as nested ones."""
    for field in schema:
        kind = field.type
        value = kind.value_type if library.types.is_dictionary(kind) else kind
        matrix = len(schema) == 1 and is_matrix(kind, library)
        if not _is_simple(value, library) and not matrix:
            detail = f"Column {shown(field.name)} is of type {str(kind)[:60]}, which is not read."
            raise ProblemError(422, detail, column=field.name)


def is_matrix(kind: pa.DataType, library: ModuleType) -> bool:
    """Return whether a type is that of lists of one length that hold numbers."""
    types = library.types
    if not types.is_fixed_size_list(kind):
        return False
    numeric = types.is_integer(kind.value_type) or types.is_floating(kind.value_type)
    return bool(numeric and 0 < kind.list_size <= LARGEST_LIST)


def decoded_bytes(batch: pa.RecordBatch, library: ModuleType) -> int:
    """Return the bytes of the texts of all rows, where one text may stand for many.

    What is read has been found by `validate` to lie inside of its buffers, and may be wrong still.
    """
    return sum(_text_bytes(column, library) for column in batch.columns)


def dictionary_bytes(batch: pa.RecordBatch, library: ModuleType) -> int:
    """Return the bytes of the dictionaries that a batch carries."""
    is_dictionary = library.types.is_dictionary
    return sum(
        _buffer_bytes(column.dictionary) for column in batch.columns if is_dictionary(column.type)
    )


def _is_simple(kind: pa.DataType, library: ModuleType) -> bool:
    types = library.types
    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
        or types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_null(kind)
        or types.is_date(kind)
        or types.is_timestamp(kind)
    )


def _text_bytes(column: pa.Array, library: ModuleType) -> int:
    types = library.types
    if types.is_dictionary(column.type):
        codes = column.indices.fill_null(0).to_numpy(zero_copy_only=False)
        lengths = _text_lengths(column.dictionary, library)
        inside = (codes >= 0) & (codes < len(lengths))  # others are refused as invalid
        return int(lengths[codes[inside]].sum())
    if types.is_string_view(column.type):
        return int(_text_lengths(column, library).sum())
    return 0  # whose cells are parts of the body, none of them twice


def _text_lengths(values: pa.Array, library: ModuleType) -> AnyArray:
    """Return the bytes of each text; 0 of numbers, which are no larger decoded."""
    types, start, stop = library.types, values.offset, values.offset + len(values)
    is_view, is_large = types.is_string_view(values.type), types.is_large_string(values.type)
    if not len(values) or not (is_view or is_large or types.is_string(values.type)):
        return np.zeros(len(values), np.int64)
    integers = np.frombuffer(values.buffers()[1], np.int64 if is_large else np.int32)
    lengths: AnyArray
    if is_view:
        lengths = integers[::VIEW_INTEGERS][start:stop].astype(np.int64)
    else:
        lengths = np.diff(integers[start : stop + 1].astype(np.int64))
    return np.maximum(lengths, 0)


def _buffer_bytes(values: pa.Array) -> int:
    return sum(buffer.size for buffer in values.buffers() if buffer is not None)


def _cells(column: pa.ChunkedArray, library: ModuleType) -> AnyArray:
    """Return the cells of a column: numbers, dates, or objects with None."""
    kind, types = column.type, library.types
    if types.is_null(kind):
        return np.broadcast_to(np.array(None, object), (len(column),))
    if types.is_dictionary(kind):
        return np.concatenate([_of_dictionary(chunk, library) for chunk in column.chunks])
    if types.is_temporal(kind):
        finer = types.is_timestamp(kind) and kind.unit == "ns"  # cut off, which is not an overflow
        stamps: AnyArray = column.cast(library.timestamp("us"), safe=not finer).to_numpy()
        return stamps
    if types.is_decimal(kind) or (types.is_boolean(kind) and column.null_count):
        column = column.cast(library.float64())
    if types.is_primitive(column.type):
        numbers: AnyArray = column.to_numpy()
        return numbers
    cells = np.empty(len(column), object)
    cells[:] = column.to_pylist()
    return cells


def _of_dictionary(chunk: pa.DictionaryArray, library: ModuleType) -> AnyArray:
    """Return the cells of a dictionary column: a text that many rows hold is made once."""
    values = _cells(library.chunked_array([chunk.dictionary]), library)
    if not chunk.null_count and len(values):
        shared: AnyArray = values[chunk.indices.to_numpy(zero_copy_only=False)]
        return shared
    missing = chunk.indices.is_null().to_numpy(zero_copy_only=False)
    if values.dtype.kind == "M":
        extended = np.append(values, np.datetime64("NaT"))
    elif values.dtype.kind == "O":
        extended = np.append(values, np.array([None], object))
    else:
        extended = np.append(values.astype(np.float64), np.nan)
    codes = chunk.indices.fill_null(0).to_numpy(zero_copy_only=False)
    cells: AnyArray = extended[np.where(missing, len(values), codes)]
    return cells


def require_products(n_rows: int, schema: pa.Schema, limits: Limits) -> None:
    """Raise a problem for too many rows, or rows times columns."""
    limits.require_rows(n_rows)
    widths = [getattr(kind, "list_size", 1) for kind in schema.types]
    limits.require_cells(n_rows, sum(widths))
