"""Moments of the numbers of a mixed table and counts of its categories, in one pass."""

from __future__ import annotations

from typing import NamedTuple

from lookalike.data.chunk import Chunk
from lookalike.errors import ShapeError
from lookalike.kernels.moments import ColumnMoments
from lookalike.reductions.categories import Categories, CategoryCounts
from lookalike.reductions.columns import Columns, ColumnSummary


class TableState(NamedTuple):
    """Rows, moments of the columns of numbers, and counts of the categories."""

    rows: int
    numbers: ColumnMoments
    categories: CategoryCounts


class TableSummary(NamedTuple):
    """Number of rows, summary of the columns of numbers, and counts of the categories."""

    rows: int
    numbers: ColumnSummary
    categories: CategoryCounts


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
        return TableState(0, Columns().init(self.n_numbers), Categories().init(self.n_categories))

    def update(self, state: TableState, chunk: Chunk) -> TableState:
        """Add the rows of `chunk`."""
        rows, numbers, categories = state
        if self.n_numbers:
            numbers = Columns().update(numbers, chunk)
        if self.n_categories:
            if chunk.y is None:
                raise ShapeError("The rows have no categories. Give them as y.")
            categories = Categories().update(categories, Chunk(chunk.y, None, chunk.weight))
        return TableState(rows + chunk.X.shape[0], numbers, categories)

    def merge(self, left: TableState, right: TableState) -> TableState:
        """Join the states of two groups of rows."""
        return TableState(
            left.rows + right.rows,
            Columns().merge(left.numbers, right.numbers),
            Categories().merge(left.categories, right.categories),
        )

    def finalize(self, state: TableState) -> TableSummary:
        """Return the summary of the table."""
        numbers, categories = Columns().finalize(state.numbers), state.categories
        return TableSummary(state.rows, numbers, Categories().finalize(categories))
