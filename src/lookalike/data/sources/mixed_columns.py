"""The columns of a mixed table as two matrices: numbers, and categories as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from lookalike.data.chunk import Chunk, Column, DateOrder, Table
from lookalike.data.formats.parse_dates import dates_of_values
from lookalike.data.source import Source
from lookalike.data.sources.calendar_columns import NUMERIC_PARTS, calendar_numbers, weekdays
from lookalike.errors import ParameterTypeError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray, Array, to_host

ONE_DAY = np.timedelta64(1, "D")


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
    calendar : mapping from name to sequence of str, optional
        Parts of dates that follow the numbers, of those columns: "month", "hour", "day"; and
        "weekday", which follows the categories.
    date_orders : mapping from name to DateOrder, optional
        How dates are written, of columns that hold them as text.
    """

    columns: tuple[Column, ...]
    n_rows: int | None
    n_features: int
    repeatable: bool
    named: bool

    def __init__(
        self,
        source: Source,
        numbers: Sequence[str] = (),
        categories: Sequence[str] = (),
        calendar: Mapping[str, Sequence[str]] | None = None,
        date_orders: Mapping[str, DateOrder] | None = None,
    ) -> None:
        self._source, self._numbers, self._categories = source, list(numbers), list(categories)
        self._calendar, self._date_orders = dict(calendar or {}), dict(date_orders or {})
        index_of = {column.name: number for number, column in enumerate(source.columns)}
        self.columns = tuple(source.columns[index_of[name]] for name in self._numbers)
        self.columns += tuple(
            Column(f"{name}: {label}")
            for name, parts in self._calendar.items()
            for part in parts
            for label in NUMERIC_PARTS.get(part, ())
        )
        self._places: list[int] | None = None  # of the numbers in a matrix of the source
        only_numbers = all(column.kind in ("number", "boolean") for column in source.columns)
        others = [*self._categories, *self._calendar]
        if only_numbers and not (others and source.named):  # those may all be missing
            if others:
                raise ParameterTypeError(
                    "X has only numbers, and of the columns of fit "
                    f"{len(others)} held categories or dates. Give a table with these columns."
                )
            self._places = [index_of[name] for name in self._numbers]
        self.n_rows, self.n_features = source.n_rows, len(self.columns) + len(self._categories)
        self.dtype: np.dtype = np.dtype(np.float64)
        self.repeatable, self.home, self.named = source.repeatable, source.home, source.named
        if hasattr(source, "partitions"):
            chosen = partial(
                MixedColumns,
                numbers=self._numbers,
                categories=self._categories,
                calendar=self._calendar,
                date_orders=self._date_orders,
            )
            self.partitions: partial[object] = partial(source.partitions, view=chosen)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the numbers as X and the categories as y."""
        if self._places is None:
            return map(self._chunk_of, self._source.tables(rows))
        return map(self._select, self._source.chunks(rows))

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the columns as they are in the source."""
        names = [*self._numbers, *self._categories]
        for table in self._source.tables(rows):
            yield table._replace(values={name: table.values[name] for name in names})

    def _select(self, chunk: Chunk) -> Chunk:
        X: AnyArray = to_host(chunk.X)
        if self._places != list(range(X.shape[1])):
            X = X[:, self._places]
        return Chunk(_floats(X), offset=chunk.offset)

    def _chunk_of(self, table: Table) -> Chunk:
        n_rows = len(next(iter(table.values.values())))
        X = np.empty((n_rows, len(self.columns)))
        for j, name in enumerate(self._numbers):
            X[:, j] = self._number_column(table, name)
        y: list[AnyArray | list[str | None]]
        y = [_as_text(table.values[name]) for name in self._categories]
        self._add_calendar(X, y)
        cells = np.empty((n_rows, len(y)), object)
        for j, column in enumerate(y):
            cells[:, j] = column
        return Chunk(X, cells, offset=table.offset)

    def _number_column(self, table: Table, name: str) -> AnyArray:
        values = table.values[name]
        if name in self._date_orders and values.dtype == object:
            values = dates_of_values(values, self._date_orders[name], name, table.offset)
        return _as_numbers(values, name)

    def _add_calendar(self, X: Array, y: list[AnyArray | list[str | None]]) -> None:
        """Write the parts of dates behind the numbers of X, and add the weekdays to y."""
        start = len(self._numbers)
        for name, parts in self._calendar.items():
            days = X[:, self._numbers.index(name)]
            for part in parts:
                if part == "weekday":
                    y.append(weekdays(days))
                    continue
                width = len(NUMERIC_PARTS[part])
                X[:, start : start + width] = calendar_numbers(days, part)
                start += width


def _floats(X: AnyArray) -> AnyArray:
    """Return floats: float32 where it holds every number exactly, else float64."""
    small = X.dtype.itemsize <= 2 and X.dtype.kind in "uib"
    kind = np.float32 if small or X.dtype == np.float32 else np.float64
    return X.astype(kind, copy=False)


def _as_numbers(values: AnyArray, name: str) -> AnyArray:
    """Return a column as floats, dates as days."""
    if values.dtype.kind == "M":
        return np.where(np.isnat(values), np.nan, (values - np.datetime64(0, "D")) / ONE_DAY)
    if values.dtype.kind not in "fiub":
        raise ParameterTypeError(
            f"column {name!r} holds text where numbers were in fit. Give numbers, or leave the "
            "type of the column to the model."
        )
    return values


def _as_text(values: AnyArray) -> list[str | None]:
    """Return a column of categories as text, None where a value is missing."""
    cells = values.tolist()
    text = {cell: None if is_missing(cell) else str(cell) for cell in set(cells)}
    return list(map(text.__getitem__, cells))
