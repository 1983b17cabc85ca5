"""The nearest rows of a subset: few rows by themselves, many by looking further.

Both are exact, and give as many neighbors as are asked for while the subset has rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from lookalike.index.base import Index, Neighbors
from lookalike.typing import AnyArray, Rows

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix

MAX_SHARE_FOR_OWN_SEARCH = 0.1  # a share of all rows below which they are searched by themselves
WIDENING_ROUNDS = 3  # of looking further

Query = Callable[[AnyArray, int, Rows], Neighbors]  # of queries, k and excluded rows, if any


def query_few(
    index: Index, row: Rows, Q: Matrix, k: int, *, exclude: Rows, threads: int
) -> Neighbors:
    """Return the nearest rows by an index of the rows numbered `row` alone."""
    nearest = index.query(Q, k + (len(exclude) > 0), threads=threads)
    return without(Neighbors(nearest.distance, row[nearest.row]), exclude)


def without(nearest: Neighbors, exclude: Rows) -> Neighbors:
    """Return neighbors without the row that each query excludes, one less of each.

    Examples
    --------
    >>> found = Neighbors(np.array([[0.0, 1.0], [0.5, 2.0]]), np.array([[3, 4], [8, 9]]))
    >>> without(found, np.array([3, 7])).row
    array([[4],
           [8]])
    """
    if not len(exclude):
        return nearest
    is_self = nearest.row == exclude[:, None]
    order = np.argsort(is_self, axis=1, kind="stable")[:, :-1]
    return Neighbors(
        np.take_along_axis(nearest.distance, order, 1), np.take_along_axis(nearest.row, order, 1)
    )


def query_more(
    query: Query, few: Query, Q: AnyArray, k: int, *, exclude: Rows, allowed: AnyArray
) -> Neighbors:
    """Return the nearest allowed rows among more neighbors, as many more as it takes.

    `query` searches all rows, `few` the allowed ones alone: all queries where these are few, and
    those whose neighbors are mostly of the other rows.
    """
    n_rows, share = len(allowed), float(allowed.mean())
    distance, row = np.empty((len(Q), k)), np.empty((len(Q), k), np.int64)
    left, wanted = np.arange(len(Q)), int(k / share * 1.2) + 8
    for _ in range(WIDENING_ROUNDS if share >= MAX_SHARE_FOR_OWN_SEARCH else 0):
        wanted = min(wanted, n_rows - (len(exclude) > 0))
        if not len(left) or 16 * wanted * len(left) > 1 << 28:
            break
        nearest = query(Q[left], wanted, exclude[left] if len(exclude) else exclude)
        inside = allowed[nearest.row]
        enough = inside.sum(axis=1) >= k
        first = np.argsort(~inside[enough], axis=1, kind="stable")[:, :k]
        done = left[enough]
        distance[done] = np.take_along_axis(nearest.distance[enough], first, 1)
        row[done] = np.take_along_axis(nearest.row[enough], first, 1)
        left, wanted = left[~enough], 4 * wanted
    if len(left):
        distance[left], row[left] = few(Q[left], k, exclude[left] if len(exclude) else exclude)
    return Neighbors(distance, row)
