"""Tables written as Parquet, with the types of their cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import IO, TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from types import ModuleType

    import pyarrow as pa

ROWS_PER_GROUP = 100_000  # rows written at a time


def write_parquet(
    file: IO[bytes], names: Sequence[object], lines: Iterable[Sequence[object]]
) -> None:
    """Write lines of cells, which may come one by one: integers, numbers, booleans and texts.

    The types of the columns are those of the first 100 000 lines; an empty cell is null.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    coming, titles = iter(lines), [str(name) for name in names]
    writer, schema = None, None
    while batch := list(islice(coming, ROWS_PER_GROUP)):
        cells = zip(*batch, strict=True)
        columns = {
            t: [_plain(cell) for cell in column] for t, column in zip(titles, cells, strict=True)
        }
        table = pa.table({title: _array(column, pa) for title, column in columns.items()})
        if writer is None:
            schema = table.schema
            writer = pq.ParquetWriter(file, schema)
        writer.write_table(table.cast(schema))
    if writer is None:
        writer = pq.ParquetWriter(file, pa.schema([(title, pa.string()) for title in titles]))
    writer.close()


def write_columns(file: IO[bytes], pieces: Iterable[Mapping[str, object]]) -> int:
    """Write pieces of a table, arrays by column name, as they come; return how many rows.

    The types of the columns are those of the first piece. Numbers are written as they are: a
    dictionary of distinct numbers would take longer than the numbers.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer, n_rows = None, 0
    with ExitStack() as stack:
        for piece in pieces:
            table = pa.table({name: _values(values, pa) for name, values in piece.items()})
            if writer is None:
                texts = [field.name for field in table.schema if not _is_plain(field.type, pa)]
                writer = pq.ParquetWriter(
                    file, table.schema, use_dictionary=texts, write_statistics=False
                )
                stack.enter_context(writer)
            writer.write_table(table.cast(writer.schema))
            n_rows += table.num_rows
    return n_rows


def _is_plain(kind: pa.DataType, pa: ModuleType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _values(values: object, pa: ModuleType) -> pa.Array:
    """Return a column as Arrow has it: numbers without a copy, objects as texts where mixed."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iufb":
        return pa.array(np.ascontiguousarray(values))
    return _array(np.asarray(values).tolist(), pa)


def _array(column: list[object], pa: ModuleType) -> pa.Array:
    """Return a column of one type; mixed ones become texts."""
    try:
        return pa.array(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if cell is None else str(cell) for cell in column])


def _plain(cell: object) -> object:
    if isinstance(cell, np.generic):
        cell = cell.item()
    return None if cell is None or cell == "" else cell
