"""Results of queries and Arrow streams as rows: DuckDB, SQLAlchemy, Delta, Iceberg and others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lookalike.data.chunk import TableChoice
from lookalike.data.source import Source
from lookalike.data.sources.generators import GeneratorSource
from lookalike.errors import SourceError

if TYPE_CHECKING:
    from types import ModuleType

    import pyarrow as pa

ROWS_PER_FETCH = 50_000  # rows of a cursor at once


def open_query(data: object, y: object, choice: TableChoice) -> Source | None:
    """Return the rows of a dataset, a stream of record batches or a cursor; None of other things.

    A ``pyarrow.dataset.Dataset``, and a relation of DuckDB, are read again whenever needed; a
    reader of record batches, any object with ``__arrow_c_stream__``, and a cursor can be read once.
    """
    module = type(data).__module__.partition(".")[0].lstrip("_")
    if module == "pyarrow" and hasattr(data, "get_fragments"):
        from lookalike.data.formats.datasets import DatasetSource

        return DatasetSource(data, y, name="the dataset", **choice)
    if module == "duckdb":
        again = hasattr(data, "project")  # a relation; else a connection with a result
        batches = (lambda: _of_duckdb(data)) if again else _of_duckdb(data)
        return GeneratorSource(batches, y, **choice)
    if hasattr(data, "__arrow_c_stream__"):
        return GeneratorSource(_of_stream(data), y, **choice)
    if hasattr(data, "fetchmany") and (hasattr(data, "keys") or hasattr(data, "description")):
        return GeneratorSource(_of_cursor(data), y, **choice)
    return None


def _of_stream(data: object) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    try:
        reader = pa.RecordBatchReader.from_stream(data)
        yield from (batch for batch in reader if batch.num_rows)
    except (pa.ArrowException, OSError) as error:
        text = str(error).partition(" Detail:")[0].rstrip(". ")
        raise SourceError(f"The stream of record batches broke off: {text}.") from None


def _of_duckdb(data: Any) -> Iterator[pa.RecordBatch]:
    try:
        fetch = getattr(data, "to_arrow_reader", None) or data.fetch_record_batch
        reader = fetch(ROWS_PER_FETCH)
        yield from (batch for batch in reader if batch.num_rows)
    except Exception as error:  # of the query, which runs while it is read
        text = " ".join(str(error).split())[:300]
        raise SourceError(f"The query of DuckDB failed: {text}. Correct it.") from None


def _of_cursor(data: Any) -> Iterator[pa.RecordBatch]:
    """Give the rows of a result of SQLAlchemy, or of a cursor of a database, as tables."""
    import pyarrow as pa

    keys = data.keys() if hasattr(data, "keys") else [column[0] for column in data.description]
    names = [str(name) for name in keys]
    while rows := data.fetchmany(ROWS_PER_FETCH):
        columns = zip(*rows, strict=True)
        yield pa.table({n: _column(pa, list(c)) for n, c in zip(names, columns, strict=True)})


def _column(pa: ModuleType, values: list[object]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError):  # of two types, as decimals of two precisions
        return pa.array([None if value is None else str(value) for value in values])
