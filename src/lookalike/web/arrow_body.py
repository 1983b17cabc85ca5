"""Arrow IPC bodies: rows of requests and results, without a copy through text."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.typing import AnyArray
from lookalike.web.arrow_columns import (
    ArrowColumns,
    decoded_bytes,
    dictionary_bytes,
    is_matrix,
    require_products,
    require_types,
)
from lookalike.web.limits import Limits
from lookalike.web.problems import ProblemError

if TYPE_CHECKING:
    from types import ModuleType

    import pyarrow as pa

METADATA_KEY = b"lookalike"  # key of the JSON that a result carries besides its columns
HEADER_FIELD, DICTIONARY_FIELD, COMPRESSION_FIELD = 2, 1, 3  # places in Arrow's flatbuffers


def read_arrow(body: bytes, limits: Limits) -> AnyArray | ArrowColumns:
    """Return the columns of a stream, or its matrix where one column holds lists of numbers.

    Types, rows, cells and decoded bytes are within the limits before a cell is made.
    """
    pa = _library()
    try:
        stream = pa.py_buffer(body)
        reader = pa.ipc.open_stream(stream)
        require_types(reader.schema, pa)
        _require_uncompressed(stream, pa)
        table = pa.Table.from_batches(_batches(reader, limits, pa), reader.schema)
        if not table.num_rows or not table.num_columns:
            raise ProblemError(422, "The stream has no rows. Send at least one.")
        if is_matrix(table.schema.types[0], pa):
            return _matrix(table)
        return ArrowColumns(table, pa)
    except (pa.ArrowException, OSError, ValueError, struct.error) as error:
        if isinstance(error, ProblemError):
            raise
        raise ProblemError(400, f"The body is not an Arrow stream: {str(error)[:200]}.") from None


def write_arrow(columns: Mapping[str, AnyArray], about: Mapping[str, object]) -> bytes:
    """Return columns, matrices as lists of one length, and metadata as an Arrow stream."""
    pa = _library()
    arrays = [_array(column, pa) for column in columns.values()]
    table = pa.Table.from_arrays(arrays, names=list(columns))
    table = table.replace_schema_metadata({METADATA_KEY: json.dumps(about).encode()})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _array(column: AnyArray, pa: ModuleType) -> object:
    if column.ndim == 2:
        flat = pa.array(np.ascontiguousarray(column).reshape(-1))
        return pa.FixedSizeListArray.from_arrays(flat, column.shape[1])
    return pa.array(column if column.dtype.kind in "iufbM" else column.tolist())


def _batches(reader: Any, limits: Limits, pa: ModuleType) -> list[Any]:
    """Return the batches that hold rows, each one valid and all of them within the limits."""
    batches: list[Any] = []
    n_rows = n_decoded = n_dictionary = 0
    for batch in reader:
        if not batch.num_rows:
            continue
        n_rows += batch.num_rows
        require_products(n_rows, reader.schema, limits)
        batch.validate()  # buffers are long enough for what follows
        n_decoded += decoded_bytes(batch, pa)
        limits.require_decoded(n_decoded)
        n_dictionary += dictionary_bytes(batch, pa)
        if n_dictionary > limits.decoded_bytes:
            raise ProblemError(
                413,
                f"The dictionaries of {len(batches) + 1:,} batches are {n_dictionary:,} bytes. "
                "Send the rows in one batch.",
            )
        batch.validate(full=True)
        batches.append(batch)
    return batches


def _matrix(table: pa.Table) -> AnyArray:
    column = table.column(0).combine_chunks()
    if column.null_count or column.flatten().null_count:
        raise ProblemError(422, "The lists hold null. Send columns, or NaN.")
    matrix: AnyArray = column.flatten().to_numpy(zero_copy_only=False)
    return matrix.reshape(table.num_rows, -1)


def _require_uncompressed(stream: object, pa: ModuleType) -> None:
    """Raise a problem where buffers are compressed: a small body could become a large table."""
    reader = pa.ipc.MessageReader.open_stream(stream)
    for message in reader:
        if message.type == "schema":
            continue
        metadata = message.metadata.to_pybytes()
        (root,) = struct.unpack_from("<I", metadata)
        header = _table_at(metadata, root, HEADER_FIELD)
        if message.type == "dictionary":
            header = _table_at(metadata, header, DICTIONARY_FIELD)
        if _field(metadata, header, COMPRESSION_FIELD):
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
    import pyarrow as pa
    import pyarrow.ipc

    return pa
