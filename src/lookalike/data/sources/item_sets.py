"""Rows that are sets of items: lists of words, baskets, tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lookalike.data.chunk import Chunk, Column, Home, Table, chunk_rows
from lookalike.errors import ColumnError, ShapeError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray

SET_TYPES = (set, frozenset)
COLLECTION_TYPES = (*SET_TYPES, list, tuple, np.ndarray)
ITEMS_COLUMN = "items"  # the name of the one column


class ItemSets:
    """Sets of items as a Source of one column, whose cells are frozen sets.

    Examples
    --------
    >>> source = ItemSets([["milk", "bread"], ["bread"]])
    >>> [sorted(cell) for cell in next(source.tables()).values["items"]]
    [['bread', 'milk'], ['bread']]
    """

    repeatable = True
    home: Home = "memory"
    named = False
    n_features = 1
    columns: tuple[Column] = (Column(ITEMS_COLUMN, "category"),)
    dtype: np.dtype = np.dtype(object)

    def __init__(self, rows: Any) -> None:
        cells = np.empty(len(rows), object)
        for number, row in enumerate(rows):
            if not isinstance(row, COLLECTION_TYPES):
                raise ColumnError(
                    f"row {number} is {row!r:.40}, where the others are sets of items. "
                    "Give a list of items for each row, an empty one where there are none."
                )
            cells[number] = frozenset(row)
        if not len(cells):
            raise ShapeError("There are no rows. Give at least one set of items.")
        self._cells = cells
        self.n_rows: int | None = len(cells)
        self.shape: tuple[int, int] = (len(cells), 1)

    def __getitem__(self, rows: AnyArray) -> ItemSets:
        return ItemSets(self._cells[rows])

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:  # noqa: ARG002
        """Refuse: sets are not a matrix of numbers."""
        raise ColumnError(
            "X holds sets of items, which are not numbers. Compare them with metric='jaccard', or "
            "give columns of numbers."
        )

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the sets as one column."""
        rows = chunk_rows(rows, 1, 64)
        for start in range(0, len(self._cells), rows):
            yield Table({ITEMS_COLUMN: self._cells[start : start + rows]}, offset=start)


def item_sets(X: object) -> ItemSets | None:
    """Return the rows of `X` as sets of items; None where they are columns of values.

    Sets are sets; lists are, where they hold text or are of several lengths, for a list of lists
    of numbers is a matrix. They may also be the cells of a series or of a frame of one column.
    """
    cells = _cells(X)
    if cells is None:
        return None
    given = [cell for cell in cells if not is_missing(cell)]
    if not given or not all(isinstance(cell, COLLECTION_TYPES) for cell in given):
        return None
    several = len({len(cell) for cell in given}) > 1
    text = any(isinstance(item, str) for cell in given for item in cell)
    if several or text or any(isinstance(cell, SET_TYPES) for cell in given):
        return ItemSets(cells)
    return None


def _cells(X: object) -> list[Any] | None:
    """Return what may be sets: a list, an array of objects, a series, or the only column."""
    if isinstance(X, ItemSets):
        return list(X._cells)
    if isinstance(X, (list, tuple)):
        return list(X)
    if isinstance(X, np.ndarray):
        return X.tolist() if X.dtype == object and X.ndim == 1 else None
    import narwhals.stable.v2 as nw

    table = nw.from_native(X, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(table, nw.DataFrame) and len(table.columns) == 1:
        table = table[table.columns[0]]
    return table.to_list() if isinstance(table, nw.Series) else None
