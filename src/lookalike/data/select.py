"""Some columns of rows that have no names: features, target and weight by position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lookalike.data.chunk import Chunk, Matrix, Table
from lookalike.data.source import Source
from lookalike.data.sources.arrays import table_of
from lookalike.data.tables import ColumnRoles, resolve_roles
from lookalike.data.targets import as_weight
from lookalike.errors import ColumnError
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from lookalike.data.chunk import Column


def select(
    source: Source,
    *,
    columns: object = None,
    target: object = None,
    drop: object = None,
    weight: object = None,
) -> Source:
    """Return `source` with the chosen columns alone; itself where nothing is chosen."""
    weight = weight if isinstance(weight, str) else None
    if columns is None and target is None and drop is None and weight is None:
        return source
    names = [column.name for column in source.columns]
    return SelectedColumns(
        source, resolve_roles(names, columns=columns, target=target, drop=drop, weight=weight)
    )


class SelectedColumns:
    """Rows of a source, of which some columns are features, others target and weight."""

    n_rows: int | None
    n_features: int
    dtype: np.dtype
    repeatable: bool
    named: bool

    def __init__(self, source: Source, roles: ColumnRoles) -> None:
        index_of = {column.name: j for j, column in enumerate(source.columns)}
        self._source = source
        self._features = [index_of[name] for name in roles.features]
        self._target = [index_of[name] for name in roles.target]
        self._weight = None if roles.weight is None else index_of[roles.weight]
        self.columns: tuple[Column, ...] = tuple(source.columns[j] for j in self._features)
        self.n_rows, self.n_features = source.n_rows, len(self.columns)
        self.dtype, self.repeatable = source.dtype, source.repeatable
        self.home, self.named = source.home, source.named

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the chosen columns of each chunk."""
        for X, y, weight, offset in self._source.chunks(rows):
            yield Chunk(
                X[:, self._features],
                _dense(X[:, self._target]) if self._target else y,
                weight
                if self._weight is None
                else as_weight(_dense(X[:, [self._weight]]), None, offset=offset),
                offset,
            )

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the chosen columns one by one."""
        return (table_of(chunk, self.columns) for chunk in self.chunks(rows))


def _dense(columns: Matrix) -> AnyArray:
    values = columns if isinstance(columns, np.ndarray) else columns.toarray()
    return values[:, 0] if values.shape[1] == 1 else values


class NamedColumns:
    """Columns of a source by name: as matrices of objects, such as text, or of numbers."""

    n_rows: int | None
    n_features: int
    repeatable: bool
    named: bool

    def __init__(
        self, source: Source, names: Sequence[str], dtype: np.dtype | type = object
    ) -> None:
        self._source, self._names = source, list(names)
        by_name = {column.name: column for column in source.columns}
        self.columns: tuple[Column, ...] = tuple(by_name[name] for name in self._names)
        self.n_rows, self.n_features = source.n_rows, len(self.columns)
        self.dtype: np.dtype = np.dtype(dtype)
        self.repeatable, self.home, self.named = source.repeatable, source.home, source.named
        if hasattr(source, "partitions"):
            view = partial(NamedColumns, names=names, dtype=dtype)
            self.partitions: partial[object] = partial(source.partitions, view=view)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the columns side by side."""
        return map(self.chunk_of, self.tables(rows))

    def chunk_of(self, table: Table) -> Chunk:
        """Return the columns of a table of the source, side by side."""
        for column in self.columns:
            if self.dtype != object and column.kind not in ("number", "boolean"):
                raise ColumnError(
                    f"column {column.name!r} holds no numbers, where they are needed. Leave it "
                    "out, or encode it as numbers."
                )
        values = [table.values[name].astype(self.dtype, copy=False) for name in self._names]
        return Chunk(np.column_stack(values), table.y, table.weight, table.offset)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the columns one by one."""
        for table in self._source.tables(rows):
            yield table._replace(values={name: table.values[name] for name in self._names})


class RenamedColumns:
    """Rows whose columns have no names, under names given by position.

    Examples
    --------
    >>> from lookalike.data import open_source
    >>> rows = RenamedColumns(open_source(np.array([[1.0, 2.0]])), ["age", "income"])
    >>> list(next(rows.tables()).values)
    ['age', 'income']
    """

    n_rows: int | None
    n_features: int
    dtype: np.dtype
    repeatable: bool
    named: bool
    columns: tuple[Column, ...]
    partitions: partial[object]

    def __init__(self, source: Source, names: Sequence[str]) -> None:
        self._source = source
        pairs = zip(source.columns, names, strict=True)
        self.columns = tuple(column._replace(name=str(name)) for column, name in pairs)
        self.n_rows, self.n_features = source.n_rows, source.n_features
        self.dtype, self.repeatable = source.dtype, source.repeatable
        self.home, self.named = source.home, source.named
        if hasattr(source, "partitions"):
            self.partitions = partial(source.partitions, view=partial(RenamedColumns, names=names))

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows as they are."""
        return self._source.chunks(rows)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the columns one by one, under their names."""
        return (table_of(chunk, self.columns) for chunk in self.chunks(rows))
