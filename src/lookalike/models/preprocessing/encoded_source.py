"""The numbers that a fitted preprocessor makes of rows, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lookalike.data.chunk import Chunk, Column, Table, chunk_rows
from lookalike.data.source import Source
from lookalike.data.sources.arrays import table_of
from lookalike.data.sources.pieces import source_pieces

if TYPE_CHECKING:
    from lookalike.models.preprocessing.table import TablePreprocessor


class EncodedSource:
    """Rows as numbers; those of files are read, encoded and forgotten a chunk at a time.

    As the arrays that `transform` returns, it asks no names of what is compared with it.

    Parameters
    ----------
    source : Source
        Rows with the columns of `fit`.
    preprocessor : TablePreprocessor
        Fitted to a source.

    Examples
    --------
    >>> from lookalike.data import open_source
    >>> from lookalike.models.preprocessing.table import TablePreprocessor
    >>> rows = open_source([[1.0], [3.0]])
    >>> next(EncodedSource(rows, TablePreprocessor().fit(rows)).chunks()).X.tolist()
    [[-1.0], [1.0]]
    """

    columns: tuple[Column, ...]
    n_rows: int | None
    n_features: int
    repeatable: bool
    named: bool

    def __init__(self, source: Source, preprocessor: TablePreprocessor) -> None:
        self._source, self._preprocessor = source, preprocessor
        self.columns = tuple(Column(str(name)) for name in preprocessor.get_feature_names_out())
        self.n_rows, self.n_features = source.n_rows, len(self.columns)
        self.dtype: np.dtype = np.dtype(np.float64)
        self.repeatable, self.home, self.named = source.repeatable, source.home, False
        if hasattr(source, "partitions"):
            view = partial(EncodedSource, preprocessor=preprocessor)
            self.partitions: partial[object] = partial(source.partitions, view=view)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows as numbers."""
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        for offset, piece in source_pieces(self._source, rows):
            encoded = np.asarray(self._preprocessor.transform(piece), np.float64)
            yield Chunk(encoded, offset=offset)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the numbers column by column."""
        return (table_of(chunk, self.columns) for chunk in self.chunks(rows))
