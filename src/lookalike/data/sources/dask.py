"""Rows of a Dask array or data frame: one partition after the other, or where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from typing import Any, Unpack

import numpy as np
from dask.base import compute, is_dask_collection
from dask.delayed import delayed

from lookalike.data.chunk import Chunk, Column, Home, Table, TypeChoice, chunk_rows
from lookalike.data.source import Source, open_rows
from lookalike.data.sources.partition import Partition, require_same_columns
from lookalike.errors import ShapeError


class DaskSource:
    """The partitions of a Dask collection, in order, each computed when it is its turn.

    Chunks never cross the border of a partition, and their size does not depend on who reads
    them. `partitions` gives every partition as a delayed Source, for an engine that works where
    the rows are. The number of rows is None until Dask has counted them.

    Parameters
    ----------
    data : dask array or data frame
    y, weight : array, or Dask array or series with the same partitions, optional
        `weight` may also name a column.
    **choice
        `columns`, `target` and `types` as in `open_source`.
    """

    columns: tuple[Column, ...]
    n_features: int
    dtype: np.dtype

    repeatable = True
    home: Home = "dask"

    def __init__(
        self, data: object, y: object = None, *, weight: object = None, **choice: Unpack[TypeChoice]
    ) -> None:
        self._parts, self._lengths = parts_of(data), known_lengths(data)
        self.n_rows: int | None = None if self._lengths is None else sum(self._lengths)
        self._choice = choice
        self._named_weight = weight if isinstance(weight, str) else None
        given = weight if self._named_weight is None else None
        self._y, self._weight = self._cut_as_rows(y, "y"), self._cut_as_rows(given, "weight")
        first = next((p for p in map(_compute, self._delayed()) if p is not None), None)
        if first is None:
            raise ShapeError("The Dask collection has no rows. Give at least one row.")
        self.columns, self.n_features, self.dtype = first.columns, first.n_features, first.dtype
        self.named: bool = first.named
        if any(column.kind in ("category", "text") for column in self.columns):
            recognized = {c.name: c.kind for c in self.columns if c.categories is None}
            self._choice["types"] = recognized | dict(choice.get("types") or {})

    def partitions(
        self, rows: int | None = None, view: Callable[[Source], Source] | None = None
    ) -> list[tuple[int, int, object]]:
        """Return rows and chunks of each partition that has rows, and it as a delayed Source.

        Its chunks carry global row numbers, for which partitions of unknown length are counted
        first, on the cluster. They have `rows` rows each, the last one excepted: the default is
        that of the process that calls, whatever the memory budget of a worker. Where `view` is
        given, it is applied to each partition.
        """
        lengths = self._count()
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        starts = [0, *accumulate(lengths)]
        return [
            (length, -(-length // rows), delayed(_partition)(part, start, rows, view, self.columns))
            for part, start, length in zip(self._delayed(), starts, lengths, strict=False)
            if length
        ]

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows in matrices of at most `rows` rows."""
        for partition in self._in_order(rows):
            yield from partition.chunks()

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column."""
        for partition in self._in_order(rows):
            yield from partition.tables()

    def _in_order(self, rows: int | None) -> Iterator[Partition]:
        """Compute one partition after the other, those without rows left out."""
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        offset = 0
        for source in map(_compute, self._delayed()):
            if source is not None:
                require_same_columns(source, _named(offset), self.columns)
                yield Partition(source, offset, rows)
                offset += source.n_rows or 0

    def _delayed(self) -> list[object]:
        n_parts = len(self._parts)
        y_of, weight_of = (
            self._y or [None] * n_parts,
            self._weight or [self._named_weight] * n_parts,
        )
        parts = zip(self._parts, y_of, weight_of, strict=True)
        return [delayed(_open)(X, y, weight, self._choice) for X, y, weight in parts]

    def _count(self) -> list[int]:
        if self._lengths is None:
            lengths = compute(*[delayed(_length)(p) for p in self._parts])  # type: ignore[no-untyped-call]
            self._lengths = list(lengths)
            self.n_rows = sum(self._lengths)
        return self._lengths

    def _cut_as_rows(self, values: object, name: str) -> list[object] | None:
        """Return one array of `values` a partition, with as many entries as it has rows."""
        if values is None:
            return None
        if is_dask_collection(values):
            if self._lengths and hasattr(values, "rechunk"):
                values = values.rechunk({0: tuple(self._lengths)})
            parts = parts_of(values)
            if len(parts) != len(self._parts):
                raise ShapeError(
                    f"{name} has {len(parts)} partitions, the rows have {len(self._parts)}. "
                    "Cut both alike, with rechunk or repartition."
                )
            return parts
        values, lengths = np.asarray(values), self._count()
        if len(values) != sum(lengths):
            raise ShapeError(f"{name} holds {len(values)} entries, X has {sum(lengths)} rows.")
        return [values[start:stop] for start, stop in pairwise([0, *accumulate(lengths)])]


def _partition(
    source: Source,
    offset: int,
    rows: int,
    view: Callable[[Source], Source] | None,
    columns: tuple[Column, ...],
) -> Partition:
    require_same_columns(source, _named(offset), columns)
    return Partition(source if view is None else view(source), offset, rows)


def _named(offset: int) -> str:
    return f"The partition from row {offset:,} on"


def _open(X: object, y: object, weight: object, choice: TypeChoice) -> Source | None:
    return open_rows(X, y, weight=weight, **choice) if _length(X) else None


def _length(X: Any) -> int:
    return int(X.shape[0])  # a sparse block has no len


def _compute(part: Any) -> Source | None:
    source: Source | None = part.compute()
    return source


def parts_of(data: Any) -> list[object]:
    """Return the partitions of a Dask collection, each as wide as all columns, delayed."""
    if hasattr(data, "rechunk"):
        if data.ndim > 1:
            data = data.rechunk(dict.fromkeys(range(1, data.ndim), -1))
        return list(data.to_delayed().ravel())
    return list(data.to_delayed())


def known_lengths(data: object) -> list[int] | None:
    """Return the rows of each partition; None where Dask has not counted them."""
    lengths = data.chunks[0] if hasattr(data, "chunks") else (np.nan,)
    return None if np.isnan(lengths).any() else [int(length) for length in lengths]
