"""The columns of a mixed table as two matrices: numbers, and categories as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from lookalike.data.chunk import Chunk, Table
from lookalike.data.source import Source
from lookalike.errors import ParameterTypeError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray, to_host

DAY = np.timedelta64(1, "D")


class MixedColumns:
    """Chosen columns of a source: in every chunk X holds the numbers and y the categories.

    Numbers are float32 where that holds each of them exactly, else float64, with NaN where a
    value is missing; dates are days since 1970. Categories are text, with None where a value is
    missing. Weights are not read.

    Parameters
    ----------
    source : Source
    numbers, categories : sequence of str
        Names of the columns.
    """

    def __init__(
        self, source: Source, numbers: Sequence[str] = (), categories: Sequence[str] = ()
    ) -> None:
        self._source, self._numbers, self._categories = source, list(numbers), list(categories)
        place = {column.name: number for number, column in enumerate(source.columns)}
        self.columns = tuple(source.columns[place[name]] for name in self._numbers)
        self._places: list[int] | None = None  # of the numbers in a matrix of the source
        if all(column.kind in ("number", "boolean") for column in source.columns):
            if self._categories:
                raise ParameterTypeError(
                    f"X has only numbers, and {len(self._categories)} columns of fit were "
                    "categories. Give a table with the columns of fit."
                )
            self._places = [place[name] for name in self._numbers]
        self.n_rows, self.n_features = source.n_rows, len(self._numbers) + len(self._categories)
        self.dtype: np.dtype = np.dtype(np.float64)
        self.repeatable, self.home, self.named = source.repeatable, source.home, source.named
        if hasattr(source, "partitions"):
            chosen = partial(MixedColumns, numbers=self._numbers, categories=self._categories)
            self.partitions = partial(source.partitions, view=chosen)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the numbers as X and the categories as y."""
        if self._places is None:
            return map(self._chunk_of, self._source.tables(rows))
        return map(self._selected, self._source.chunks(rows))

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the columns as they are in the source."""
        names = [*self._numbers, *self._categories]
        for table in self._source.tables(rows):
            yield table._replace(values={name: table.values[name] for name in names})

    def _selected(self, chunk: Chunk) -> Chunk:
        X: AnyArray = to_host(chunk.X)
        if self._places != list(range(X.shape[1])):
            X = X[:, self._places]
        return Chunk(_floats(X), offset=chunk.offset)

    def _chunk_of(self, table: Table) -> Chunk:
        n_rows = len(next(iter(table.values.values())))
        X = np.empty((n_rows, len(self._numbers)))
        for j, name in enumerate(self._numbers):
            X[:, j] = _as_numbers(table.values[name], name)
        y = np.empty((n_rows, len(self._categories)), object)
        for j, name in enumerate(self._categories):
            y[:, j] = _as_text(table.values[name])
        return Chunk(X, y, offset=table.offset)


def _floats(X: AnyArray) -> AnyArray:
    """Return floats: float32 where it holds every number exactly, else float64."""
    small = X.dtype.itemsize <= 2 and X.dtype.kind in "uib"
    kind = np.float32 if small or X.dtype == np.float32 else np.float64
    return X.astype(kind, copy=False)


def _as_numbers(values: AnyArray, name: str) -> AnyArray:
    """Return a column as floats, dates as days."""
    if values.dtype.kind == "M":
        return np.where(np.isnat(values), np.nan, (values - np.datetime64(0, "D")) / DAY)
    if values.dtype.kind not in "fiub":
        raise ParameterTypeError(
            f"column {name!r} holds {values.dtype} where numbers were in fit. Convert it."
        )
    return values


def _as_text(values: AnyArray) -> list[str | None]:
    """Return a column of categories as text, None where a value is missing."""
    cells = values.tolist()
    text = {cell: None if is_missing(cell) else str(cell) for cell in set(cells)}
    return list(map(text.__getitem__, cells))
