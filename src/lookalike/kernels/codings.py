"""Values of a column as small whole numbers: the bin they fall into, or their place in a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lookalike.typing import AnyArray, Array, Rows

MOST_BINS = 16
ABSENT = -1  # the code of a missing value


class Bins:
    """Numbers by the bin they fall into; an edge belongs to the bin above it.

    Parameters
    ----------
    edges : ndarray
        Rising, between the bins: one less than these.

    Examples
    --------
    >>> Bins(np.array([0.0, 10.0]))(np.array([-5.0, 0.0, np.nan, 99.0]))
    array([ 0,  1, -1,  2])
    """

    def __init__(self, edges: Array) -> None:
        self.edges = edges
        self.size = len(edges) + 1

    @classmethod
    def of_sample(cls, values: AnyArray, weight: Array, bins: int | None = None) -> Bins:
        """Return at most `bins` bins that hold about the same weight of `values` each.

        Where `bins` is None, as many as the cube root of the weight, 16 at most.
        """
        if bins is None:
            bins = min(MOST_BINS, max(2, round(float(weight.sum()) ** (1 / 3))))
        values = np.asarray(values, np.float64)
        present = np.flatnonzero(~np.isnan(values) & (weight > 0))
        order = present[np.argsort(values[present], kind="stable")]
        if not len(order):
            return cls(np.empty(0))
        below = np.cumsum(weight[order])
        rank = np.floor(np.arange(1, bins) * (below[-1] / bins))
        edges = np.unique(values[order][np.searchsorted(below, rank, side="right")])
        return cls(edges[edges > values[order[0]]])

    def __call__(self, column: AnyArray) -> Rows:
        """Return the code of every value."""
        numbers = np.asarray(column, np.float64)
        code = np.searchsorted(self.edges, numbers, side="right")
        return np.where(np.isnan(numbers), ABSENT, code)


class Levels:
    """Values by their place in a list; those not in it count as missing.

    Examples
    --------
    >>> Levels(["ant", "bee"])(np.array(["bee", None, "ant"], dtype=object))
    array([ 1, -1,  0])
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = list(values)
        self.size = len(self.values)
        self._place = {value: place for place, value in enumerate(self.values)}

    def __call__(self, column: AnyArray) -> Rows:
        """Return the code of every value."""
        if column.dtype.kind != "O":
            names, place = np.unique(column, return_inverse=True)
            codes = [self._place.get(name, ABSENT) for name in names.tolist()]
            return np.array(codes, np.int64)[place]
        return np.array([self._place.get(value, ABSENT) for value in column], np.int64)
