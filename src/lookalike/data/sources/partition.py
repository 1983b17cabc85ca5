"""One part of the rows as a source of its own, numbered as in the whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lookalike.data.chunk import Chunk, Column, Home, Table
from lookalike.data.source import Source
from lookalike.errors import ColumnError, ShapeError

if TYPE_CHECKING:
    import numpy as np


NUMERIC_TYPES = ("number", "boolean")


class Partition:
    """The rows of `source` as a partition of a whole, in which its first row has number `offset`.

    A chunk has `rows` rows where `chunks` and `tables` are given no other number.
    """

    columns: tuple[Column, ...]
    n_rows: int | None
    n_features: int
    dtype: np.dtype

    repeatable = True
    home: Home = "memory"

    def __init__(self, source: Source, offset: int, rows: int) -> None:
        self._source, self._offset, self._rows = source, offset, rows
        self.columns, self.dtype = source.columns, source.dtype
        self.n_rows, self.n_features = source.n_rows, source.n_features
        self.named: bool = source.named

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows in matrices of at most `rows` rows."""
        for chunk in self._source.chunks(rows or self._rows):
            yield chunk._replace(offset=chunk.offset + self._offset)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column."""
        for table in self._source.tables(rows or self._rows):
            yield table._replace(offset=table.offset + self._offset)


def require_same_columns(source: Source, what: str, columns: tuple[Column, ...]) -> None:
    """Raise unless a part of the rows has the columns of the first, in their order."""
    names = [column.name for column in source.columns]
    wanted = [column.name for column in columns]
    if len(names) != len(wanted):
        raise ShapeError(
            f"{what} has {len(names)} columns, the first has "
            f"{len(wanted)}. Give parts of one width."
        )
    for mine, first in zip(source.columns, columns, strict=True):
        if mine.name != first.name:
            raise ColumnError(
                f"{what} has the column {mine.name!r} where the "
                f"first has {first.name!r}. Give parts of the same columns, in one order."
            )
        if (mine.kind in NUMERIC_TYPES) != (first.kind in NUMERIC_TYPES):
            raise ColumnError(
                f"{what} has a {mine.kind} in column "
                f"{mine.name!r}, the first a {first.kind}. Give parts of the same types."
            )
