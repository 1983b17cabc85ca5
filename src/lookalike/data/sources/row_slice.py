"""Some consecutive rows of a source, as a source of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lookalike.data.batches import Piece, cut, rebatch, row_count
from lookalike.data.chunk import Chunk, Table, chunk_rows
from lookalike.data.source import Source
from lookalike.errors import ParameterError, ShapeError

if TYPE_CHECKING:
    import numpy as np

    from lookalike.data.chunk import Column


class RowSlice:
    """Rows `start` to `stop` of a source, numbered from 0 again.

    Examples
    --------
    >>> from lookalike.data import open_source
    >>> middle = RowSlice(open_source([[0], [1], [2], [3]]), 1, 3)
    >>> next(middle.chunks()).X.ravel()
    array([1, 2])
    """

    n_features: int
    repeatable: bool
    named: bool
    columns: tuple[Column, ...]
    dtype: np.dtype

    def __init__(self, source: Source, start: int, stop: int) -> None:
        if not 0 <= start < stop:
            raise ParameterError(f"Rows {start} to {stop} are not a slice. Give 0 <= start < stop.")
        self._source, self._start, self._stop = source, start, stop
        self.columns, self.n_features, self.dtype = source.columns, source.n_features, source.dtype
        self.repeatable, self.home, self.named = source.repeatable, source.home, source.named
        self.n_rows: int | None = stop - start

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows in matrices of at most `rows` rows."""
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        return rebatch(self._within(self._source.chunks(rows)), rows)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column."""
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        return rebatch(self._within(self._source.tables(rows)), rows)

    def _within(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        end = 0
        for piece in pieces:
            first, last = self._start - piece.offset, self._stop - piece.offset
            end = piece.offset + row_count(piece)
            if end > self._start:
                yield cut(piece, slice(max(first, 0), min(last, end - piece.offset)))
            if end >= self._stop:
                return
        last = self._stop - 1
        rows = f"Rows {self._start} to {last} were" if last > self._start else f"Row {last} was"
        raise ShapeError(
            f"{rows} requested, and there are {end}, numbered from 0. Give a smaller number."
        )
