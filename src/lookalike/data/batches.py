"""Pieces of any size become batches of one size; all batches of a source become one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from lookalike.data.chunk import Chunk, Table
from lookalike.data.formats.byte_streams import require_budget
from lookalike.data.source import Source
from lookalike.errors import ShapeError

MAX_EXPANSION_RATIO = 10  # times the size of a packed file that its rows may take
OBJECT_CELL_BYTES = 64  # bytes of a cell that is an object, at least
Piece = TypeVar("Piece", Chunk, Table)


def gather(source: Source) -> Chunk:
    """Return all rows of `source` as one chunk: the array itself where it has one.

    Examples
    --------
    >>> from lookalike.data import open_source
    >>> gather(open_source([[1, 2], [3, 4]], y=["a", "b"])).y.tolist()
    ['a', 'b']
    """
    return join(list(within_budget(source, source.chunks(source.n_rows))))


def gather_table(source: Source) -> Table:
    """Return all rows of `source` as one table, whatever the kinds of its columns."""
    return join(list(within_budget(source, source.tables())))


def within_budget(source: Source, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Give the pieces; those of a compressed file as long as they fit the memory budget.

    Parquet and Arrow files, which are always packed more or less, may expand tenfold in any case.
    """
    packed, size = getattr(source, "packed", None), 0
    if packed is None:
        yield from pieces
        return
    usual = MAX_EXPANSION_RATIO * getattr(source, "packed_size", 0)
    coming = (source.n_rows or 0) * source.n_features * source.dtype.itemsize
    if coming > usual:
        require_budget(packed, coming)
    for piece in pieces:
        size += _bytes_of(piece)
        if size > usual:
            require_budget(packed, size)
        yield piece


def _bytes_of(piece: Chunk | Table) -> int:
    if isinstance(piece, Chunk):
        return int(piece.X.nbytes)
    return sum(
        len(column) * (OBJECT_CELL_BYTES if column.dtype.kind == "O" else column.itemsize)
        for column in piece.values.values()
    )


def rebatch(pieces: Iterable[Piece], rows: int) -> Iterator[Piece]:
    """Give the rows of `pieces` in batches of exactly `rows` rows, the last one excepted."""
    pending: list[Piece] = []
    count = offset = 0
    for piece in pieces:
        start, length = 0, row_count(piece)
        while start < length:
            stop = min(length, start + rows - count)
            pending.append(cut(piece, slice(start, stop)))
            count, start = count + stop - start, stop
            if count == rows:
                yield join(pending)._replace(offset=offset)
                pending, count, offset = [], 0, offset + rows
    if pending:
        yield join(pending)._replace(offset=offset)


def row_count(piece: Chunk | Table) -> int:
    """Return the number of rows of `piece`."""
    if isinstance(piece, Chunk):
        return int(piece.X.shape[0])
    return len(next(iter(piece.values.values())))


def cut(piece: Piece, part: slice) -> Piece:
    """Return some rows of `piece`, as views."""
    if isinstance(piece, Chunk):
        return piece.part(part)
    y = None if piece.y is None else piece.y[part]
    weight = None if piece.weight is None else piece.weight[part]
    values = {name: column[part] for name, column in piece.values.items()}
    return Table(values, y, weight, piece.offset + part.start)


def join(pieces: Sequence[Piece]) -> Piece:
    """Return the rows of all `pieces` in one, of the widest of their types."""
    if not pieces:
        raise ShapeError("There are no rows. Give at least one row.")
    first = pieces[0]
    if len(pieces) == 1:
        return first
    y = _stack([piece.y for piece in pieces])
    weight = _stack([piece.weight for piece in pieces])
    if isinstance(first, Chunk):
        return Chunk(_stack([piece.X for piece in pieces]), y, weight, first.offset)
    names = first.values
    values = {name: _stack([piece.values[name] for piece in pieces]) for name in names}
    return Table(values, y, weight, first.offset)


def _stack(parts: Sequence[Any]) -> Any:
    if parts[0] is None:
        return None
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    import scipy.sparse

    return scipy.sparse.vstack(parts, format="csr")
