"""Sums that keep what rounding would drop: a value and its tail stand for more than 53 bits."""

from __future__ import annotations

from lookalike.typing import Array


def two_sum(left: Array, right: Array) -> tuple[Array, Array]:
    """Return the rounded sum and its exact rounding error [Knuth, 4.2.2].

    Examples
    --------
    >>> import numpy as np
    >>> total, tail = two_sum(np.array(1e16), np.array(1.0))
    >>> float(total), float(tail)
    (1e+16, 1.0)
    """
    total = left + right
    part = total - left
    return total, (left - (total - part)) + (right - part)


def join_means(
    left: tuple[Array, Array], right: tuple[Array, Array], share: Array | float
) -> tuple[Array, Array, Array]:
    """Return the mean of two groups, its tail, and the gap between theirs.

    Means come as (value, tail); `share` is the part of the weight that is `right`'s.
    """
    difference = (right[0] - left[0]) + (right[1] - left[1])
    mean, tail = two_sum(left[0], left[1] + share * difference)
    return mean, tail, difference
