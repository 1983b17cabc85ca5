"""Values of a column as small whole numbers: the bin they fall into, or their place in a list."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.typing import AnyArray, Array, Rows

MOST_BINS = 16
ABSENT_CODE = -1  # the code of a missing value


class Discretizer:
    """Numbers by the bin they fall into; an edge belongs to the bin above it.

    Parameters
    ----------
    edges : ndarray
        Rising, between the bins: one less than these.

    Examples
    --------
    >>> Discretizer(np.array([0.0, 10.0]))(np.array([-5.0, 0.0, np.nan, 99.0]))
    array([ 0,  1, -1,  2])
    """

    def __init__(self, edges: Array) -> None:
        self.edges = edges
        self.size: int = len(edges) + 1

    @classmethod
    def of_sample(cls, values: AnyArray, weight: Array, bins: int | None = None) -> Discretizer:
        """Return `bins` bins that hold about the same weight of `values` each.

        Where `bins` is None, as many as the cube root of the weight, 16 at most. A value that
        weighs as much as a bin has one to itself, wherever it lies; what is left is cut into the
        bins left, as many as the cube root of its weight at most.
        """
        if bins is None:
            bins = _cube_root(float(weight.sum()), 2, MOST_BINS)
        values = np.asarray(values, np.float64)
        present = ~np.isnan(values) & (weight > 0)
        if not present.any():
            return cls(np.empty(0))
        distinct, inverse = np.unique(values[present], return_inverse=True)
        total: Array = np.bincount(inverse.ravel(), weight[present]).astype(np.float64)
        heavy = np.flatnonzero(total >= total.sum() / bins)
        light = np.delete(np.arange(len(distinct)), heavy)
        if len(heavy) and len(light):
            bins = _cube_root(float(total[light].sum()), 1, max(1, bins - len(heavy)))
        cuts = np.concatenate([heavy, heavy[heavy + 1 < len(distinct)] + 1])
        edges = np.concatenate([distinct[cuts], _cuts(distinct[light], total[light], bins)])
        return cls(np.unique(edges[edges > distinct[0]]))

    def __call__(self, column: AnyArray) -> Rows:
        """Return the code of every value."""
        numbers = np.asarray(column, np.float64)
        code = np.searchsorted(self.edges, numbers, side="right")
        return np.where(np.isnan(numbers), ABSENT_CODE, code)


class Levels:
    """Values by their place in a list; those not in it count as missing.

    Examples
    --------
    >>> Levels(["ant", "bee"])(np.array(["bee", None, "ant"], dtype=object))
    array([ 1, -1,  0])
    """

    def __init__(self, values: Sequence[object]) -> None:
        self.values: list[object] = list(values)
        self.size: int = len(self.values)
        self._place = {value: index for index, value in enumerate(self.values)}

    def __call__(self, column: AnyArray) -> Rows:
        """Return the code of every value."""
        if column.dtype.kind != "O":
            names, inverse = np.unique(column, return_inverse=True)
            codes = [self._place.get(name, ABSENT_CODE) for name in names.tolist()]
            return np.array(codes, np.int64)[inverse]
        return np.array([self._place.get(value, ABSENT_CODE) for value in column], np.int64)


def _cube_root(weight: float, least: int, most: int) -> int:
    return min(most, max(least, round(float(np.cbrt(weight)))))


def _cuts(values: Array, weight: Array, bins: int) -> Array:
    """Return rising values at which `bins` parts of about the same weight begin."""
    if not len(values):
        return values
    below = np.cumsum(weight)
    rank = np.floor(np.arange(1, bins) * (below[-1] / bins))
    last = len(values) - 1
    cuts: Array = values[np.minimum(np.searchsorted(below, rank, side="right"), last)]
    return cuts
