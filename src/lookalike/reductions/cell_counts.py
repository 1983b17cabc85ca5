"""How often the values of every column occur, as Gower's distance counts them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.kernels.metrics.gower import Gower
from lookalike.typing import Rows

Counts: TypeAlias = tuple[Rows, ...]  # of each column: at each step of the range, or by code


class CellCounts:
    """Counts of the cells of each column, whole numbers: no cut of the rows shows.

    Parameters
    ----------
    metric : Gower
        The one whose columns say which cells are numbers and which are categories.

    Examples
    --------
    >>> metric = Gower(np.array([[0.0], [4.0]]))
    >>> reduction = CellCounts(metric)
    >>> state = reduction.update(reduction.init(1), Chunk(np.array([[0.0], [4.0], [4.0]])))
    >>> reduction.finalize(state)[0][[0, -1]].tolist()
    [1, 2]
    """

    def __init__(self, metric: Gower) -> None:
        self.metric = metric

    def init(self, n_features: int) -> Counts:
        """Return the counts of no rows."""
        return tuple(np.zeros(0, np.int64) for _ in range(n_features))

    def update(self, state: Counts, chunk: Chunk) -> Counts:
        """Join the cells of `chunk`."""
        return self.merge(state, self.metric.cell_counts(chunk.X)) if len(chunk.X) else state

    def merge(self, left: Counts, right: Counts) -> Counts:
        """Add the counts of two groups of rows."""
        return tuple(_add(mine, theirs) for mine, theirs in zip(left, right, strict=True))

    def finalize(self, state: Counts) -> Counts:
        """Return the counts."""
        return state


def _add(left: Rows, right: Rows) -> Rows:
    length = max(len(left), len(right))
    padded: list[Rows] = [np.pad(counts, (0, length - len(counts))) for counts in (left, right)]
    return padded[0] + padded[1]
