"""A source with columns that it lacks, every cell of which is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

import numpy as np

from lookalike.data.chunk import Chunk, Column, Home, Kind, Table
from lookalike.data.source import Source
from lookalike.typing import AnyArray, to_host


class AbsentColumns:
    """The rows of a source with further columns of missing cells, after its own.

    Parameters
    ----------
    source : Source
    absent : mapping from name to kind
        The columns that it lacks.

    Examples
    --------
    >>> from lookalike.data import open_source
    >>> rows = AbsentColumns(open_source([[1.0], [2.0]]), {"x1": "number"})
    >>> next(rows.chunks()).X
    array([[ 1., nan],
           [ 2., nan]])
    """

    n_rows: int | None
    n_features: int
    repeatable: bool
    named: bool

    def __init__(self, source: Source, absent: Mapping[str, str]) -> None:
        self._source = source
        self._absent = tuple(Column(name, cast("Kind", kind)) for name, kind in absent.items())
        self.columns: tuple[Column, ...] = (*source.columns, *self._absent)
        self.n_rows, self.n_features = source.n_rows, len(self.columns)
        self.dtype: np.dtype = np.dtype(np.float64)
        self.repeatable, self.named = source.repeatable, source.named
        self.home: Home = "stream" if source.home == "dask" else source.home

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows as matrices, NaN in the absent columns."""
        for chunk in self._source.chunks(rows):
            X: AnyArray = np.asarray(to_host(chunk.X), np.float64)
            missing = np.full((len(X), len(self._absent)), np.nan)
            yield chunk._replace(X=np.hstack([X, missing]))

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column."""
        for table in self._source.tables(rows):
            n_rows = len(next(iter(table.values.values())))
            missing = {column.name: missing_cells(column.kind, n_rows) for column in self._absent}
            yield table._replace(values={**table.values, **missing})


def missing_cells(kind: str, n_rows: int) -> AnyArray:
    """Return a column of missing cells, as tables hold them: NaN, NaT or None.

    Examples
    --------
    >>> missing_cells("category", 2)
    array([None, None], dtype=object)
    """
    if kind == "date":
        return np.full(n_rows, np.datetime64("NaT"), "datetime64[us]")
    if kind in ("number", "boolean"):
        return np.full(n_rows, np.nan)
    return np.full(n_rows, None, object)
