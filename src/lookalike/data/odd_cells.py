"""Cells that are not of the type of their column, and missing therefore: counted, with examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from lookalike.validation import few

EXAMPLES_SHOWN = 3
MAX_DISTINCT_KEPT = 1000  # cells whose number is counted
TYPE_NOUNS = {"number": "a number", "boolean": "true or false", "date": "a date"}


class OddCells:
    """The cells of one column that are missing because they are not of its type.

    Examples
    --------
    >>> odd = OddCells("number")
    >>> odd.add(["n/a", "n/a", "abc"], [3, 5, 8])
    >>> print(odd.describe(1000, str))
    3 of 1,000 cells are not a number and become missing: 'n/a' (2), 'abc'; the first in 3
    """

    kind: str
    total: int
    first_row: int

    def __init__(self, kind: str) -> None:
        self.kind, self.first_row, self.total = kind, -1, 0
        self.counts: Counter[str] = Counter()

    def add(self, cells: Sequence[str], rows: Sequence[int]) -> None:
        """Count cells, which are in these rows."""
        if cells and self.first_row < 0:
            self.first_row = int(rows[0])
        self.total += len(cells)
        kept = len(self.counts) < MAX_DISTINCT_KEPT
        self.counts.update(cells if kept else [cell for cell in cells if cell in self.counts])

    def describe(self, n_cells: int, place: Callable[[int], str]) -> str:
        """Return how many of the cells are odd, which, and where the first is."""
        if not self.total:
            return ""
        examples = [
            repr(cell[:40]) + (f" ({count:,})" if count > 1 else "")
            for cell, count in self.counts.most_common()
        ]
        verb = "are not" if self.total > 1 else "is not"
        becomes = "become" if self.total > 1 else "becomes"
        return (
            f"{self.total:,} of {n_cells:,} cells {verb} {TYPE_NOUNS[self.kind]} and {becomes} "
            f"missing: {few(examples, EXAMPLES_SHOWN, str)}; the first in {place(self.first_row)}"
        )
