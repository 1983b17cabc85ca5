"""Anything that holds rows becomes a Source of Chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np

from lookalike.data.chunk import Chunk, Column, Table

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")


@runtime_checkable
class Source(Protocol):
    """Rows that are read in chunks, in order, as often as `repeatable` allows."""

    n_rows: int | None  # None when unknown before reading
    n_features: int
    columns: tuple[Column, ...]
    dtype: np.dtype[Any]  # of the numbers in X
    repeatable: bool  # whether the rows can be read again

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows as matrices of at most `rows` rows; every column must be numeric."""
        ...

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column, of whatever kind the columns are."""
        ...


def open_source(data: Any, y: Any = None, *, weight: Any = None) -> Source:
    """Return the rows of `data` as a Source."""
    if isinstance(data, Source):
        return data
    from lookalike.data.arrays import ArraySource

    return ArraySource(data, y, weight=weight)
