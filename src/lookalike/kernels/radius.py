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


def starts_of(counts: AnyArray) -> Rows:
    """Return where the rows of every query start, and where the last end.

    Examples
    --------
    >>> starts_of(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
