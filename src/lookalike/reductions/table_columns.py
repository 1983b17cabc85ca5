"""Moments of the numbers of a mixed table and counts of its categories, in one pass."""

from __future__ import annotations

from typing import TypeAlias

from lookalike.data.chunk import Chunk
from lookalike.errors import ShapeError
from lookalike.kernels.moments import ColumnMoments
from lookalike.reductions.categories import Categories, CategoryCounts
from lookalike.reductions.columns import Columns, ColumnSummary

TableState: TypeAlias = tuple[int, ColumnMoments, CategoryCounts]  # rows, numbers, categories


# Number of rows, summary of the columns of numbers, and counts of the categories.
TableSummary: TypeAlias = tuple[int, ColumnSummary, CategoryCounts]


class TableColumns:
    """:class:`Columns` of the numbers in X and :class:`Categories` of the matrix y.

    Parameters
    ----------
    n_numbers, n_categories : int
        Columns of X and of y.
    """

    def __init__(self, n_numbers: int, n_categories: int) -> None:
        self.n_numbers = n_numbers
        self.n_categories = n_categories

    def init(self, n_features: int) -> TableState:  # noqa: ARG002 - of both kinds together
        """Return the state of no rows."""
        return 0, Columns().init(self.n_numbers), Categories().init(self.n_categories)

    def update(self, state: TableState, chunk: Chunk) -> TableState:
        """Add the rows of `chunk`."""
        rows, numbers, categories = state
        if self.n_numbers:
            numbers = Columns().update(numbers, chunk)
        if self.n_categories:
            if chunk.y is None:
                raise ShapeError("The rows have no categories. Give them as y.")
            categories = Categories().update(categories, Chunk(chunk.y, None, chunk.weight))
        return rows + chunk.X.shape[0], numbers, categories

    def merge(self, left: TableState, right: TableState) -> TableState:
        """Join the states of two groups of rows."""
        return (
            left[0] + right[0],
            Columns().merge(left[1], right[1]),
            Categories().merge(left[2], right[2]),
        )

    def finalize(self, state: TableState) -> TableSummary:
        """Return the summary of the table."""
        rows, numbers, categories = state
        return rows, Columns().finalize(numbers), Categories().finalize(categories)
