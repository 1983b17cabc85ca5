"""The rows of a study, held in memory as they came: numbers, named columns, pictures or texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lookalike.data.arrays import ArraySource
from lookalike.data.chunk import Kind
from lookalike.data.columns_source import ColumnsSource
from lookalike.data.source import Source
from lookalike.typing import AnyArray, Rows


@dataclass(frozen=True)
class Material:
    """Rows to study.

    Attributes
    ----------
    rows : ndarray of numbers, or mapping from name to column
        Texts are one column.
    kinds : mapping
        Kind of every column, in order.
    named : bool
        Whether the columns brought names of their own.
    image_shape : tuple of int, optional
        Height, width and, of colored ones, channels, where a row is a picture.
    text : str, optional
        The column that holds documents, where these are studied.
    """

    rows: AnyArray | Mapping[str, AnyArray]
    kinds: Mapping[str, Kind]
    named: bool = True
    image_shape: tuple[int, ...] | None = None
    text: str | None = None

    def __len__(self) -> int:
        return len(self.rows) if isinstance(self.rows, np.ndarray) else len(self.column(0))

    @property
    def what(self) -> str:
        """What a row is: "table", "images" or "texts"."""
        if self.text is not None:
            return "texts"
        return "table" if self.image_shape is None else "images"

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.kinds)

    def column(self, which: int | str) -> AnyArray:
        """Return one column by name or place."""
        if isinstance(self.rows, np.ndarray):
            place = which if isinstance(which, int) else self.names.index(which)
            return self.rows[:, place]
        name = self.names[which] if isinstance(which, int) else which
        return self.rows[name]

    def take(self, rows: Rows) -> Material:
        """Return some of the rows, in the order given."""
        if isinstance(self.rows, np.ndarray):
            return replace(self, rows=self.rows[rows])
        return replace(self, rows={name: column[rows] for name, column in self.rows.items()})

    def without(self, names: list[str]) -> Material:
        """Return the material without some columns."""
        lost = set(names)
        kinds = {name: kind for name, kind in self.kinds.items() if name not in lost}
        if isinstance(self.rows, np.ndarray):
            kept = [place for place, name in enumerate(self.names) if name not in lost]
            return replace(self, rows=self.rows[:, kept], kinds=kinds)
        return replace(self, rows={name: self.rows[name] for name in kinds}, kinds=kinds)

    def source(self) -> Source:
        """Return the rows as a Source."""
        if isinstance(self.rows, np.ndarray):
            return ArraySource(self.rows, names=self.names if self.named else None)
        return ColumnsSource(self.rows, self.kinds)

    def given(self) -> Any:
        """Return what a fitted model is given: documents, or a Source."""
        return list(self.column(self.text)) if self.text is not None else self.source()
