"""Rows piece by piece: each is a source of its own, and the next is read while one is worked on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from lookalike.data.chunk import Chunk, Table
from lookalike.data.formats.many_files import FilesSource
from lookalike.data.source import Source
from lookalike.data.sources.arrays import ArraySource
from lookalike.data.sources.columns_source import NUMERIC_TYPES, ColumnsSource
from lookalike.data.tables import TableSource, matrix_of

Piece = TypeVar("Piece")
_END_MARKER = object()


def is_numeric(source: Source) -> bool:
    """Return whether every column holds numbers."""
    return all(column.kind in NUMERIC_TYPES for column in source.columns)


def chunks_ahead(source: Source, rows: int | None = None) -> Iterator[Chunk]:
    """Give the rows as matrices, each read while the one before is worked on.

    Columns of files are read by one thread and made into matrices by another.
    """
    if isinstance(source, (TableSource, FilesSource)) and is_numeric(source):
        tables = _ahead(source, source.tables(rows))
        return _ahead(source, (matrix_of(table, source.dtype) for table in tables))
    return _ahead(source, source.chunks(rows))


def tables_ahead(source: Source, rows: int | None = None) -> Iterator[Table]:
    """Give the rows column by column, each piece read while the one before is worked on."""
    return _ahead(source, source.tables(rows))


def source_pieces(source: Source, rows: int | None = None) -> Iterator[tuple[int, Source]]:
    """Give the number of the first row of each piece of a table, and the piece as a source."""
    names = [column.name for column in source.columns] if source.named else None
    if is_numeric(source):
        for chunk in chunks_ahead(source, rows):
            yield chunk.offset, ArraySource(chunk.X, names=names)
        return
    kinds = {column.name: column.kind for column in source.columns}
    for table in tables_ahead(source, rows):
        yield table.offset, ColumnsSource(table.values, kinds)


def _ahead(source: Source, pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Give the pieces, the next one read by a thread; those of a pipe, which may wait, are not."""
    return read_ahead(pieces) if source.repeatable and source.home != "dask" else pieces


def read_ahead(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Give `pieces`, the next one taken by a thread: two of them are in memory at once.

    Examples
    --------
    >>> list(read_ahead(range(3)))
    [0, 1, 2]
    """
    coming, context = iter(pieces), copy_context()
    pool = ThreadPoolExecutor(1, thread_name_prefix="lookalike-read")

    def take() -> Any:
        return context.run(next, coming, _END_MARKER)

    try:
        future = pool.submit(take)
        while (piece := future.result()) is not _END_MARKER:
            future = pool.submit(take)
            yield piece
            del piece
    finally:  # an interrupted caller does not wait for what is read
        pool.shutdown(wait=False, cancel_futures=True)
