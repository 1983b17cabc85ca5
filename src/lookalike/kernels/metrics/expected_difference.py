"""How far two cells of a column are apart on average: what a missing cell is taken to differ by."""

from __future__ import annotations

import math

import numpy as np

from lookalike.typing import AnyArray, Array, Rows

GRID_STEPS_OF_RANGE = 1024  # a power of two: halves, quarters and so on of a range are exact


def count_numbers(units: AnyArray) -> Rows:
    """Return how many cells lie at each step of the range; `units` are from 0 to 1, or NaN.

    Examples
    --------
    >>> np.flatnonzero(count_numbers(np.array([0.0, 0.5, 1.0, np.nan]))).tolist()
    [0, 512, 1024]
    """
    present = units[np.isfinite(units)]
    steps = np.rint(np.clip(present, 0.0, 1.0) * GRID_STEPS_OF_RANGE).astype(np.int64)
    return np.bincount(steps, minlength=GRID_STEPS_OF_RANGE + 1)


def count_categories(codes: AnyArray) -> Rows:
    """Return how many cells have each code; NaN has no code.

    Examples
    --------
    >>> count_categories(np.array([0.0, 2.0, 2.0, np.nan])).tolist()
    [1, 0, 2]
    """
    return np.bincount(codes[np.isfinite(codes)].astype(np.int64))


def number_difference(counts: AnyArray) -> float:
    r"""Return the mean absolute difference of two cells, in units of the range.

    .. math:: E|x - y| = 2 \int_0^1 F(t) (1 - F(t))\, dt

    over the steps of the range, so that the counts of any pieces add up to the same bits.

    Examples
    --------
    >>> number_difference(count_numbers(np.array([0.0, 1.0])))
    0.5
    """
    total = int(counts.sum())
    if not total:
        return 0.0
    below: Array = np.cumsum(counts)[:-1] / total
    return 2.0 * math.fsum((below * (1.0 - below)).tolist()) / GRID_STEPS_OF_RANGE


def category_difference(counts: AnyArray) -> float:
    r"""Return the probability that two cells are of different categories, :math:`1 - \sum p_c^2`.

    Examples
    --------
    >>> category_difference(np.array([1, 1]))
    0.5
    """
    total = int(counts.sum())
    if not total:
        return 0.0
    return 1.0 - math.fsum(((counts / total) ** 2).tolist())
