"""Partial results of a search become one: of chunks, files, partitions, threads or GPUs.

A part holds the nearest rows of every query among some of the rows, as keys, and says which rows
it covers. Joined parts keep the k smallest keys, equal keys by row number, and cover what each
covers: at the end a row that was searched twice, or not at all, is an error and never a wrong
result.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np

from lookalike.errors import EngineError
from lookalike.typing import Array, Rows

Ranges: TypeAlias = "tuple[tuple[int, int], ...]"  # rows from … to before …, rising


class NearestKeys(NamedTuple):
    """The nearest rows of every query among the rows that were searched."""

    key: Array  # (queries, at most k), nearest first
    row: Rows  # likewise
    covered: Ranges = ()
    n_searched: int = 0  # more than are covered where parts overlap


def keys_of_part(key: Array, row: Rows, start: int, stop: int) -> NearestKeys:
    """Return what a search of the rows from `start` to before `stop` found."""
    return NearestKeys(key, row, ((start, stop),) if stop > start else (), stop - start)


def none_searched(n_queries: int) -> NearestKeys:
    """Return the part that covers no rows."""
    return NearestKeys(np.empty((n_queries, 0)), np.empty((n_queries, 0), np.int64))


def join_nearest(parts: Iterable[NearestKeys], k: int) -> NearestKeys:
    """Return the `k` nearest rows of every query in all parts.

    A key of infinity stands for no row.

    Examples
    --------
    >>> left = keys_of_part(np.array([[1.0, 4.0]]), np.array([[3, 0]]), 0, 4)
    >>> right = keys_of_part(np.array([[1.0, 2.0]]), np.array([[5, 4]]), 4, 6)
    >>> join_nearest([left, right], 3)
    NearestKeys(key=array([[1., 1., 2.]]), row=array([[3, 5, 4]]), covered=((0, 6),), n_searched=6)
    """
    several = list(parts)
    key = np.concatenate([part.key for part in several], axis=1)
    row = np.concatenate([part.row for part in several], axis=1)
    order = np.lexsort((row, key), axis=1)[:, :k]
    return NearestKeys(
        np.take_along_axis(key, order, 1),
        np.take_along_axis(row, order, 1),
        _union(part.covered for part in several),
        sum(part.n_searched for part in several),
    )


def limits_of(part: NearestKeys, k: int) -> Array:
    """Return the key beyond which no row can enter the `k` nearest of each query."""
    if part.key.shape[1] < k:
        return np.full(len(part.key), np.inf)
    limits: Array = part.key[:, k - 1]
    return limits


def nearest_of_pairs(query: Rows, key: Array, row: Rows, n_queries: int, k: int) -> NearestKeys:
    """Return pairs in any order as a table of the `k` nearest, infinite keys where there are less.

    Examples
    --------
    >>> pairs = np.array([1, 1, 0]), np.array([9.0, 4.0, 1.0]), np.array([2, 3, 5])
    >>> nearest_of_pairs(*pairs, n_queries=2, k=2).row
    array([[ 5, -1],
           [ 3,  2]])
    """
    order = np.lexsort((row, key, query))
    query, key, row = query[order], key[order], row[order]
    first = np.searchsorted(query, np.arange(n_queries))
    rank = np.arange(len(query)) - first[query]
    kept = rank < k
    table = np.full((n_queries, k), np.inf), np.full((n_queries, k), -1, np.int64)
    for to, values in zip(table, (key, row), strict=True):
        to[query[kept], rank[kept]] = values[kept]
    return NearestKeys(*table)


def require_all_searched(part: NearestKeys, n_rows: int) -> None:
    """Raise unless every one of `n_rows` rows was searched, and once."""
    if part.covered == ((0, n_rows),) and part.n_searched == n_rows:
        return
    n_covered = sum(stop - start for start, stop in part.covered)
    if part.n_searched > n_covered:
        raise EngineError(
            f"{part.n_searched - n_covered} rows were searched twice: two parts of the rows have "
            "the same numbers. Number every part once and search again."
        )
    reached = part.covered[0][1] if part.covered and part.covered[0][0] == 0 else 0
    raise EngineError(
        f"{n_covered} rows of {n_rows} were searched, and row {reached} was not one of them or is "
        "one too many: the rows changed or a part of them was lost meanwhile. Fit again."
    )


def _union(several: Iterable[Ranges]) -> Ranges:
    """Return which rows one of several parts covers."""
    joined: list[tuple[int, int]] = []
    for start, stop in sorted(span for ranges in several for span in ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return tuple(joined)
