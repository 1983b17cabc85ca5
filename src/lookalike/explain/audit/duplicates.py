"""Exact and near duplicates: rows that are the same, or nearer than chance would put them."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from lookalike.typing import AnyArray, Array, Rows

CHANCE = 0.01  # expected number of rows called near duplicates where there is none


def typical_dimension(distance: Array, n_features: int) -> float:
    r"""Return the intrinsic dimension around a typical row, at most the number of columns.

    The ratio of the distances to the two nearest neighbors has
    :math:`P(r_2 / r_1 > u) = u^{-D}` [Facco17], hence :math:`D = \ln 2 / \text{median} \ln (r_2 /
    r_1)`: a median, so that near duplicates do not show.
    """
    distinct = distance[:, 0] > 0
    if not distinct.any():
        return float(n_features)
    middle = float(np.median(np.log(distance[distinct, 1] / distance[distinct, 0])))
    return float(n_features) if middle == 0 else min(float(np.log(2) / middle), float(n_features))


def near_radius(distance: Array, dimension: float) -> Array:
    r"""Return for every row how near another one must be to be called a near duplicate.

    Of rows that lie evenly around row i, K - 1 are within the distance :math:`r_K` of the K-th,
    and the nearest is within r with probability :math:`1 - (1 - (r / r_K)^D)^{K-1}`. The radius
    makes this 0.01 / N, so that in all N rows 0.01 are expected to be flagged by chance.
    """
    n_rows, k = distance.shape
    share = -np.expm1(np.log1p(-CHANCE / max(n_rows, 1)) / (k - 1))
    radius: Array = distance[:, -1] * share ** (1 / dimension)
    return radius


def groups_within(distance: Array, row: Rows, radius: Array) -> Rows:
    """Return for every row the first row of its group; links within `radius` join groups.

    Equal rows come by row number, so that of many copies each has the first among its neighbors.
    """
    n_rows = len(row)
    near = distance <= radius[:, None]
    start = np.concatenate([[0], np.cumsum(near.sum(axis=1))])
    links = csr_array((np.ones(start[-1], bool), row[near], start), shape=(n_rows, n_rows))
    _, member = connected_components(links, directed=False)
    first = np.full(n_rows, n_rows)
    np.minimum.at(first, member, np.arange(n_rows))
    leader: Rows = first[member].astype(np.int64)
    return leader


def group_sizes(first: Rows) -> Rows:
    """Return for every row how many members its group has."""
    size = np.bincount(first, minlength=len(first))
    return size[first]


def in_conflict(first: Rows, codes: Rows) -> AnyArray:
    """Tell for every row whether its group holds several labels."""
    lowest, highest = np.full(len(first), np.iinfo(np.int64).max), np.full(len(first), -1)
    np.minimum.at(lowest, first, codes)
    np.maximum.at(highest, first, codes)
    mixed: AnyArray = lowest != highest
    return mixed[first]
