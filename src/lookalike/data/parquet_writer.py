"""Tables written as Parquet, with the types of their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import IO, Any

import numpy as np

BATCH = 100_000  # rows written at a time


def write_parquet(file: IO[bytes], names: Sequence[object], lines: Iterable[Sequence[Any]]) -> None:
    """Write lines of cells, which may come one by one: integers, numbers, booleans and texts.

    The types of the columns are those of the first 100 000 lines; an empty cell is null.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    coming, titles = iter(lines), [str(name) for name in names]
    writer, schema = None, None
    while batch := list(islice(coming, BATCH)):
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


def _array(column: list[Any], pa: Any) -> Any:
    """Return a column of one type; mixed ones become texts."""
    try:
        return pa.array(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if cell is None else str(cell) for cell in column])


def _plain(cell: Any) -> Any:
    if isinstance(cell, np.generic):
        cell = cell.item()
    return None if cell is None or cell == "" else cell
