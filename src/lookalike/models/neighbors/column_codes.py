"""Columns of any kind as numbers that metrics compare: codes of categories, members of sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from lookalike.data.batches import join
from lookalike.data.chunk import Chunk, Column, Table, chunk_rows
from lookalike.data.source import Source
from lookalike.data.sources.columns_source import ColumnsSource
from lookalike.data.sources.item_sets import ITEMS_COLUMN, ItemSets
from lookalike.engines import Engine
from lookalike.errors import ColumnError, ParameterError
from lookalike.kernels.metrics.columns import columns_of
from lookalike.missing import is_missing
from lookalike.reductions.categories import Categories
from lookalike.reductions.columns import Columns
from lookalike.typing import AnyArray, Array
from lookalike.validation import few

NUMERIC_TYPES = ("number", "boolean")
UNSEEN_MEMBER_COLUMNS = 64  # members that no training row has, as columns for those of queries
ONE_DAY = np.timedelta64(1, "D")


class CategoryCodes:
    """One column of numbers for each column: numbers as they are, categories by number.

    A column of numbers has None for its codes. A missing value is NaN, or what `fill` has for its
    column; a category that was not met has the next number, and so equals none that was.
    """

    names: tuple[str, ...]
    codes: tuple[dict[str, int] | None, ...]
    fill: tuple[float, ...] | None

    def __init__(
        self,
        names: tuple[str, ...],
        codes: tuple[dict[str, int] | None, ...],
        fill: tuple[float, ...] | None = None,
    ) -> None:
        self.names, self.codes, self.fill = names, codes, fill

    @property
    def categorical(self) -> tuple[int, ...]:
        """Places of the columns of categories."""
        return tuple(j for j, codes in enumerate(self.codes) if codes is not None)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the numbers."""
        return tuple(Column(name) for name in self.names)

    def encode(self, table: Table) -> AnyArray:
        """Return the rows of a table as numbers."""
        columns = zip(self.names, self.codes, strict=True)
        X = np.column_stack([_code(table.values[name], name, codes) for name, codes in columns])
        return X if self.fill is None else np.where(np.isnan(X), self.fill, X)

    def extended(self, source: Source, engine: Engine) -> CategoryCodes:
        """Return codes that know the categories of `source` too."""
        codes = _category_codes(source, engine, self.names, self.codes)
        return CategoryCodes(self.names, codes, self.fill)


class MemberCodes:
    """One column of 0 and 1 for each item of a set, or each category of a column.

    The last columns are for items that no training row has: an item of a query that is not known
    is a member of its set all the same.
    """

    items: dict[str, int]
    width: int

    def __init__(self, items: dict[str, int], width: int) -> None:
        self.items, self.width = items, width

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the numbers."""
        names = [*self.items, *(f"item {j}" for j in range(len(self.items), self.width))]
        return tuple(Column(name) for name in names)

    def encode(self, table: Table) -> AnyArray:
        """Return the rows of a table as 0 and 1."""
        members = _members(table)
        X = np.zeros((len(members), self.width), np.uint8)
        for row, items in enumerate(members):
            places = [self.items[item] for item in items if item in self.items]
            new = len(self.items) + np.arange(len(items) - len(places))
            X[row, places] = 1
            X[row, new] = 1
        return X

    def room_for(self, source: Source) -> int:
        """Return how many columns the sets of `source` take."""
        new = (
            sum(item not in self.items for item in items)
            for table in source.tables()
            for items in _members(table)
        )
        return len(self.items) + max(new, default=0)

    def widened(self, width: int) -> MemberCodes:
        """Return codes with this many columns."""
        return MemberCodes(self.items, width)

    def extended(self, source: Source, engine: Engine) -> MemberCodes:
        """Return codes that know the items of `source` too."""
        items = dict(self.items)
        for table in source.tables():
            for row in _members(table):
                for item in sorted(row):
                    items.setdefault(item, len(items))
        return MemberCodes(items, max(self.width, len(items)))


ColumnCodes = CategoryCodes | MemberCodes


class CodedSource:
    """A source whose rows are given as numbers, by their codes."""

    n_rows: int | None
    n_features: int
    repeatable: bool
    named: bool
    partitions: partial[object]
    codes: ColumnCodes

    def __init__(self, source: Source, codes: ColumnCodes, weight: AnyArray | None = None) -> None:
        self._source, self.codes, self._weight = source, codes, weight
        self.columns: tuple[Column, ...] = codes.columns
        self.n_rows, self.n_features = source.n_rows, len(self.columns)
        kind = np.uint8 if isinstance(codes, MemberCodes) else np.float64
        self.dtype: np.dtype = np.dtype(kind)
        self.repeatable, self.home, self.named = source.repeatable, source.home, source.named
        if hasattr(source, "partitions") and weight is None:
            self.partitions = partial(source.partitions, view=partial(CodedSource, codes=codes))

    def recoded(self, codes: ColumnCodes) -> CodedSource:
        """Return the rows by other codes."""
        return CodedSource(self._source, codes, self._weight)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows as numbers."""
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        for table in self._source.tables(rows):
            X = self.codes.encode(table)
            given, rows_of_chunk = self._weight, slice(table.offset, table.offset + len(X))
            weight = table.weight if given is None else given[rows_of_chunk]
            yield Chunk(X, table.y, weight, table.offset)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the columns as they are in the source."""
        return self._source.tables(rows)


def as_columns(X: object) -> object:
    """Return a matrix of text and numbers as columns, each of its kind; all else as it is."""
    plain = isinstance(X, (list, tuple)) and len(X) and isinstance(X[0], (list, tuple))
    array = np.asarray(X, dtype=object) if plain else X
    text = isinstance(array, np.ndarray) and array.dtype.kind in "OUS" and array.ndim == 2
    if not text:
        return X
    columns = columns_of(array, what="X", categorical=())
    kinds: Any = {
        f"x{j}": "category" if values.dtype == object else "number" for j, values in columns.items()
    }
    if "category" not in kinds.values():
        return X
    source = ColumnsSource({f"x{j}": values for j, values in columns.items()}, kinds)
    source.named = False
    return source


def read_once(source: Source) -> Source:
    """Return the rows of a source that gives them once, in memory."""
    if source.repeatable:
        return source
    table = join(list(source.tables()))
    kinds = {column.name: column.kind for column in source.columns}
    kept = ColumnsSource(table.values, kinds, y=table.y, weight=table.weight)
    kept.named = source.named
    return kept


def learn_codes(
    source: Source,
    engine: Engine,
    *,
    members: bool,
    categorical: Sequence[object] = (),
    mean: bool = False,
    weight: AnyArray | None = None,
) -> ColumnCodes | None:
    """Return the codes of the columns of `source`; None where all are numbers that need none.

    Parameters
    ----------
    source, engine
        The training rows, and who reads them.
    members : bool
        Whether rows are compared as sets.
    categorical : sequence
        Names or places of columns of numbers that are categories.
    mean : bool
        Whether missing values are filled: with the mean of numbers, the most frequent category.
    weight : array, optional
        Weights of the rows.
    """
    chosen = {named_column(source, name, "categorical") for name in categorical}
    numbers = [c.kind in NUMERIC_TYPES and c.name not in chosen for c in source.columns]
    if all(numbers):
        return None
    if members:
        spare = UNSEEN_MEMBER_COLUMNS if isinstance(source, ItemSets) else source.n_features
        codes = MemberCodes({}, 0).extended(source, engine)
        return codes.widened(codes.width + spare)
    names = tuple(column.name for column in source.columns)
    known: tuple[dict[str, int] | None, ...] = tuple(
        None if column.kind in (*NUMERIC_TYPES, "date") and column.name not in chosen else {}
        for column in source.columns
    )
    learned = CategoryCodes(names, _category_codes(source, engine, names, known))
    if not mean:
        return learned
    coded = CodedSource(source, learned, weight)
    fill = engine.reduce(Columns(), coded).mean
    text = _TextColumns(source, [names[j] for j in learned.categorical], weight)
    counts = engine.reduce(Categories(), text) if learned.categorical else ()
    for place, count in zip(learned.categorical, counts, strict=True):
        mode = max(count, key=count.__getitem__, default=None)
        codes_here: Any = learned.codes[place]
        fill[place] = np.nan if mode is None else codes_here[mode]
    return CategoryCodes(names, learned.codes, tuple(np.nan_to_num(fill).tolist()))


def named_column(source: Source, given: object, parameter: str) -> str:
    """Return the name of a column that is named by name or by place."""
    names = [column.name for column in source.columns]
    if str(given) in names:
        return str(given)
    if isinstance(given, (int, np.integer)) and -len(names) <= given < len(names):
        return names[given]
    raise ColumnError(f"{parameter} names {given!r}, X has {few(names)}. Name columns of X.")


def column_weights(source: Source, w: object) -> Any:
    """Return the weight of every column, given for all or for some by name; those others are 1."""
    if w is None or not isinstance(w, Mapping):
        return np.ones(source.n_features) if w is None else w
    unknown = [name for name in w if str(name) not in {c.name for c in source.columns}]
    places = [name for name in unknown if isinstance(name, (int, np.integer))]
    if len(places) < len(unknown):
        raise ParameterError(
            f"w names columns {unknown}, X has {[c.name for c in source.columns]}. "
            "Name columns of X."
        )
    given = {named_column(source, name, "w"): value for name, value in w.items()}
    return np.array([given.get(column.name, 1.0) for column in source.columns])


class _TextColumns:
    """Columns of a source as matrices of text, None where a value is missing."""

    def __init__(self, source: Source, names: Sequence[str], weight: AnyArray | None) -> None:
        self._source, self._names, self._weight = source, list(names), weight
        self.columns = tuple(Column(name, "category") for name in names)
        self.n_rows, self.n_features = source.n_rows, len(self.columns)
        self.dtype: np.dtype = np.dtype(object)
        self.repeatable, self.home, self.named = source.repeatable, source.home, source.named
        if hasattr(source, "partitions") and weight is None:
            view = partial(_TextColumns, names=names, weight=None)
            self.partitions = partial(source.partitions, view=view)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the columns side by side."""
        for table in self.tables(rows):
            length = len(next(iter(table.values.values())))
            X = np.empty((length, self.n_features), object)
            for j, name in enumerate(self._names):
                X[:, j] = text_of(table.values[name])
            given, rows_of_chunk = self._weight, slice(table.offset, table.offset + length)
            yield Chunk(X, None, None if given is None else given[rows_of_chunk], table.offset)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the columns as they are in the source."""
        return self._source.tables(rows)


def text_of(values: AnyArray) -> list[str | None]:
    """Return the cells of a column as text: numbers as floats, so that 1 and 1.0 are one."""
    cells = values.tolist()
    number = values.dtype.kind in "fiub"
    text = {
        cell: None if is_missing(cell) else repr(float(cell)) if number else str(cell)
        for cell in set(cells)
    }
    return list(map(text.__getitem__, cells))


def _category_codes(
    source: Source,
    engine: Engine,
    names: Sequence[str],
    known: Sequence[dict[str, int] | None],
) -> tuple[dict[str, int] | None, ...]:
    """Return the known codes with those of categories that `source` has in addition."""
    chosen = [name for name, codes in zip(names, known, strict=True) if codes is not None]
    met = engine.reduce(Categories(), _TextColumns(source, chosen, None)) if chosen else ()
    values = dict(zip(chosen, met, strict=True))
    extended: list[dict[str, int] | None] = []
    for name, before in zip(names, known, strict=True):
        codes = dict(before or {})
        for value in values.get(name, ()):
            codes.setdefault(value, len(codes))
        extended.append(None if before is None else codes)
    return tuple(extended)


def _code(values: AnyArray, name: str, codes: dict[str, int] | None) -> Array:
    """Return a column as float64, NaN where a value is missing."""
    if codes is not None:
        text = text_of(values)
        code = {cell: np.nan if cell is None else codes.get(cell, len(codes)) for cell in {*text}}
        return np.array([code[cell] for cell in text], np.float64)
    if values.dtype.kind == "M":
        return np.where(np.isnat(values), np.nan, (values - np.datetime64(0, "D")) / ONE_DAY)
    if values.dtype.kind not in "fiub":
        raise ColumnError(f"Column {name!r} holds categories, in fit numbers. Convert it.")
    return values.astype(np.float64)


def _members(table: Table) -> list[set[str]]:
    """Return the members of every row: items, or the columns that hold and their categories."""
    if set(table.values) == {ITEMS_COLUMN} and isinstance(table.values[ITEMS_COLUMN][0], frozenset):
        return [{_item(item) for item in row} for row in table.values[ITEMS_COLUMN]]
    rows: list[set[str]] = [set() for _ in next(iter(table.values.values()))]
    for name, values in table.values.items():
        number = values.dtype.kind in "fiub"
        for index, cell in enumerate(text_of(values)):
            if cell is None or (number and cell not in ("0.0", "1.0")):
                what = "missing" if cell is None else cell
                raise ColumnError(
                    f"column {name!r} is {what} at row {table.offset + index}. jaccard compares "
                    "sets: give categories, 0/1 or booleans."
                )
            if not number or cell == "1.0":
                rows[index].add(repr(name) if number else repr((name, cell)))
    return rows


def _item(item: object) -> str:
    """Return an item as text: numbers as floats, so that 1 and 1.0 are one, and never "1"."""
    return repr(float(item)) if isinstance(item, Real) else repr(str(item))
