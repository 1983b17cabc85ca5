"""What a radius search returns: all rows near enough, one query after another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.typing import AnyArray, Array, Rows


class RadiusResult(NamedTuple):
    """All rows within a radius of every query: those of query i lie at start[i]:start[i + 1]."""

    distance: Array
    row: Rows
    start: Rows  # (queries + 1,)


def no_neighbors() -> RadiusResult:
    """Return the result of no queries."""
    return RadiusResult(np.empty(0), np.empty(0, np.int64), np.zeros(1, np.int64))


def rows_among(near: RadiusResult, allowed: AnyArray) -> RadiusResult:
    """Return those rows within a radius for which the mask `allowed` is True; empty: all of them.

    Examples
    --------
    >>> near = RadiusResult(np.array([0.0, 1.0, 2.0]), np.array([4, 1, 0]), np.array([0, 1, 3]))
    >>> rows_among(near, np.array([True, False, True, True, True])).start
    array([0, 1, 2])
    """
    if not len(allowed):
        return near
    kept = allowed[near.row]
    start = starts_of(kept)[near.start]
    return RadiusResult(near.distance[kept], near.row[kept], start)


def starts_of(counts: AnyArray) -> Rows:
    """Return where the rows of every query start, and where the last end.

    Examples
    --------
    >>> starts_of(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
