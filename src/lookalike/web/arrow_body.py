"""Arrow IPC bodies: rows of requests and results, without a copy through text."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ExtraMissingError
from lookalike.typing import AnyArray
from lookalike.validation import shown
from lookalike.web.problems import ProblemError

if TYPE_CHECKING:
    from types import ModuleType

    import pyarrow as pa

METADATA = b"lookalike"  # key of the JSON that a result carries besides its columns
HEADER, DICTIONARY_DATA, COMPRESSION = 2, 1, 3  # places in Arrow's flatbuffers


def read_arrow(body: bytes, max_rows: int) -> AnyArray | dict[str, AnyArray]:
    """Return the columns of a stream, or its matrix where one column holds lists of numbers."""
    pa = _library()
    try:
        _require_uncompressed(body, pa)
        reader = pa.ipc.open_stream(pa.py_buffer(body))
        _require_types(reader.schema, pa)
        batches, n_rows = [], 0
        for batch in reader:
            n_rows += batch.num_rows
            if n_rows > max_rows:
                raise ProblemError(413, f"There are more than {max_rows:,} rows. Send fewer.")
            batch.validate(full=True)
            batches.append(batch)
        table = pa.Table.from_batches(batches, reader.schema)
        if not n_rows or not table.num_columns:
            raise ProblemError(422, "The stream has no rows. Send at least one.")
        return _arrays(table, pa)
    except (pa.ArrowException, OSError, ValueError, struct.error) as error:
        if isinstance(error, ProblemError):
            raise
        raise ProblemError(400, f"The body is no Arrow stream: {str(error)[:200]}.") from None


def write_arrow(columns: Mapping[str, AnyArray], about: Mapping[str, object]) -> bytes:
    """Return columns, matrices as lists of one length, and metadata as an Arrow stream."""
    pa = _library()
    arrays = [_array(column, pa) for column in columns.values()]
    table = pa.Table.from_arrays(arrays, names=list(columns))
    table = table.replace_schema_metadata({METADATA: json.dumps(about).encode()})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _array(column: AnyArray, pa: ModuleType) -> object:
    if column.ndim == 2:
        flat = pa.array(np.ascontiguousarray(column).reshape(-1))
        return pa.FixedSizeListArray.from_arrays(flat, column.shape[1])
    return pa.array(column if column.dtype.kind in "iufbM" else column.tolist())


def _arrays(table: pa.Table, pa: ModuleType) -> AnyArray | dict[str, AnyArray]:
    if len(set(table.column_names)) < table.num_columns:
        raise ProblemError(422, "Two columns have one name. Rename one.")
    if table.num_columns == 1 and pa.types.is_fixed_size_list(table.schema.types[0]):
        column = table.column(0).combine_chunks()
        if column.null_count or column.flatten().null_count:
            raise ProblemError(422, "The lists hold null. Send columns, or NaN.")
        matrix: AnyArray = column.flatten().to_numpy(zero_copy_only=False)
        return matrix.reshape(table.num_rows, -1)
    return {name: _column(table.column(name), pa) for name in table.column_names}


def _column(column: pa.ChunkedArray, pa: ModuleType) -> AnyArray:
    kind, types = column.type, pa.types
    if types.is_temporal(kind):
        stamps: AnyArray = column.cast(pa.timestamp("us")).to_numpy()
        return stamps
    if types.is_decimal(kind) or (types.is_boolean(kind) and column.null_count):
        column = column.cast(pa.float64())
    if types.is_primitive(column.type):
        numbers: AnyArray = column.to_numpy()
        return numbers
    values = np.empty(len(column), object)
    values[:] = column.to_pylist()
    return values


def _require_types(schema: pa.Schema, pa: ModuleType) -> None:
    """Raise a problem for a column of a type that no model reads."""
    types = pa.types
    for field in schema:
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        simple = (
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
        lists = len(schema) == 1 and types.is_fixed_size_list(kind) and _of_numbers(kind, pa)
        if not simple and not lists:
            detail = f"Column {shown(field.name)} is of type {str(kind)[:60]}, which is not read."
            raise ProblemError(422, detail, column=field.name)


def _of_numbers(kind: pa.DataType, pa: ModuleType) -> bool:
    value = kind.value_type
    numeric = pa.types.is_integer(value) or pa.types.is_floating(value)
    return bool(numeric and 0 < kind.list_size <= 2**20)


def _require_uncompressed(body: bytes, pa: ModuleType) -> None:
    """Raise a problem where buffers are compressed: a small body could become a large table."""
    reader = pa.ipc.MessageReader.open_stream(pa.py_buffer(body))
    for message in reader:
        if message.type == "schema":
            continue
        metadata = message.metadata.to_pybytes()
        (root,) = struct.unpack_from("<I", metadata)
        header = _table_at(metadata, root, HEADER)
        if message.type == "dictionary":
            header = _table_at(metadata, header, DICTIONARY_DATA)
        if _field(metadata, header, COMPRESSION):
            raise ProblemError(415, "The Arrow stream is compressed. Send it without compression.")


def _field(data: bytes, table: int, number: int) -> int:
    """Return where a field of a flatbuffers table is, 0 where it is absent."""
    (back,) = struct.unpack_from("<i", data, table)
    (size,) = struct.unpack_from("<H", data, table - back)
    if 4 + 2 * number >= size:
        return 0
    (offset,) = struct.unpack_from("<H", data, table - back + 4 + 2 * number)
    return table + offset if offset else 0


def _table_at(data: bytes, table: int, number: int) -> int:
    """Return where the table that a field points to is."""
    place = _field(data, table, number)
    (offset,) = struct.unpack_from("<I", data, place)
    return int(place + offset)


def _library() -> Any:
    try:
        import pyarrow as pa
        import pyarrow.ipc
    except ImportError:
        raise ExtraMissingError.of("pyarrow", "files") from None
    return pa
