"""The rows of a study in memory, with their targets and numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from lookalike.data.chunk import DateOrder, Kind
from lookalike.data.source import Source
from lookalike.data.sources.arrays import ArraySource
from lookalike.data.sources.columns_source import ColumnsSource
from lookalike.typing import AnyArray, Rows


@dataclass(frozen=True)
class Dataset:
    """Rows to study.

    Attributes
    ----------
    rows : ndarray of numbers, or mapping from name to column
        Texts are one column.
    kinds : mapping
        Kind of every column, in order.
    row : ndarray
        The number of every row in the data as they were given.
    y : ndarray, optional
        The target of every row.
    named : bool
        Whether the columns brought names of their own.
    image_shape : tuple of int, optional
        Height, width and, of colored ones, channels, where a row is an image.
    text : str, optional
        The column that holds documents, where these are studied.
    groups : ndarray, optional
        The group of every row as a number; rows of one group are never split.
    sampled : bool
        Whether the source has more rows.
    date_orders : mapping
        How dates were written, of columns that hold them as text.
    given : collection of str
        Columns whose type the user gave: none of them is taken for an identifier.
    unlabeled : Dataset, optional
        The rows whose target is missing, with the same columns.
    """

    rows: AnyArray | Mapping[str, AnyArray]
    kinds: Mapping[str, Kind]
    row: Rows
    y: AnyArray | None = None
    named: bool = True
    image_shape: tuple[int, ...] | None = None
    text: str | None = None
    groups: Rows | None = None
    sampled: bool = False
    date_orders: Mapping[str, DateOrder] = field(default_factory=dict)
    given: Collection[str] = ()
    unlabeled: Dataset | None = None

    def __len__(self) -> int:
        return len(self.row)

    @property
    def data_kind(self) -> str:
        """What a row is: a row of a table, an image, or a text."""
        if self.text is not None:
            return "texts"
        return "table" if self.image_shape is None else "images"

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.kinds)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.kinds)}

    def drawn(self, most: int, seed: int) -> Rows:
        """Return the places of rows drawn at random, `most` at most, in their order."""
        return np.sort(np.random.default_rng(seed).permutation(len(self))[:most])

    def column(self, which: int | str) -> AnyArray:
        """Return one column by name or place."""
        if isinstance(self.rows, np.ndarray):
            return self.rows[:, which if isinstance(which, int) else self._place[which]]
        name = self.names[which] if isinstance(which, int) else which
        return self.rows[name]

    def take(self, rows: Rows) -> Dataset:
        """Return some of the rows, in the order given."""
        if isinstance(self.rows, np.ndarray):
            taken: AnyArray | Mapping[str, AnyArray] = self.rows[rows]
        else:
            taken = {name: column[rows] for name, column in self.rows.items()}
        y = None if self.y is None else self.y[rows]
        groups = None if self.groups is None else self.groups[rows]
        return replace(self, rows=taken, row=self.row[rows], y=y, groups=groups)

    def without_rows(self) -> Dataset:
        """Return targets, groups and numbers of the rows, without their columns' values."""
        unlabeled = None if self.unlabeled is None else self.unlabeled.without_rows()
        return replace(self, rows=np.empty((len(self), 0)), unlabeled=unlabeled)

    def like(self, other: Dataset) -> Dataset:
        """Return these rows with the columns of others, which are some of theirs, as these are."""
        rows: AnyArray | Mapping[str, AnyArray] = {n: self.column(n) for n in other.kinds}
        if isinstance(other.rows, np.ndarray):
            columns = [np.asarray(self.column(name)) for name in other.kinds]
            rows = np.column_stack(columns).astype(other.rows.dtype)
        image, text = other.image_shape, other.text
        return replace(self, rows=rows, kinds=other.kinds, image_shape=image, text=text)

    def without(self, name: str) -> Dataset:
        """Return the rows without one column."""
        kinds = {other: kind for other, kind in self.kinds.items() if other != name}
        if isinstance(self.rows, np.ndarray):
            kept = [index for index, other in enumerate(self.names) if other != name]
            return replace(self, rows=self.rows[:, kept], kinds=kinds)
        return replace(self, rows={other: self.rows[other] for other in kinds}, kinds=kinds)

    def source(self) -> Source:
        """Return the rows as a Source."""
        if isinstance(self.rows, np.ndarray):
            return ArraySource(self.rows, names=self.names if self.named else None)
        return ColumnsSource(self.rows, self.kinds, date_orders=self.date_orders)
