"""Exact and near duplicates: rows that are the same, or nearer than chance would put them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from lookalike.typing import AnyArray, Array, Rows

CHANCE = 0.01  # expected number of rows called near duplicates where there is none
CLOSE = 0.5  # of the distance to the K-th neighbor: a near duplicate is never farther
LEAST_DIMENSION = 1.0


def identical_rows(*parts: Any) -> Rows:
    """Return for every row the first row that is the same in all `parts`, NaN equal to NaN.

    A part is an array of numbers or texts, or a sparse matrix, with a row for each row.

    Examples
    --------
    >>> identical_rows(np.array([[1.0, np.nan], [2.0, 0.0], [1.0, np.nan], [-0.0, 1.0]]))
    array([0, 1, 0, 3])
    """
    group = np.zeros(parts[0].shape[0], np.int64)
    for part in parts:
        group = np.unique(np.column_stack([group, _content(part)]), axis=0, return_inverse=True)[1]
        group = group.reshape(-1).astype(np.int64)
    first = np.full(len(group), len(group))
    np.minimum.at(first, group, np.arange(len(group)))
    leader: Rows = first[group].astype(np.int64)
    return leader


def _content(part: Any) -> Rows:
    """Return a number for each row, the same for rows of the same content."""
    if sp.issparse(part):
        rows = sp.csr_array(part)
        rows.sum_duplicates()
        ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        keys = [(rows.indices[a:b].tobytes(), rows.data[a:b].tobytes()) for a, b in ends]
    elif np.asarray(part).dtype.kind in "OUS":
        keys = [tuple(np.atleast_1d(row).tolist()) for row in np.asarray(part)]
    else:
        rows = np.ascontiguousarray(part) + np.zeros((), np.asarray(part).dtype)  # no minus zero
        if rows.dtype.kind == "f":
            rows[np.isnan(rows)] = np.nan
        keys = [row.tobytes() for row in rows]
    number: dict[Any, int] = {}
    return np.array([number.setdefault(key, len(number)) for key in keys], np.int64)


def typical_dimension(distance: Array, n_features: int) -> float:
    r"""Return the intrinsic dimension around a typical row, at most the number of columns.

    The ratio of the distances to the two nearest neighbors has
    :math:`P(r_2 / r_1 > u) = u^{-D}` [Facco17], hence :math:`D = \ln 2 / \text{median} \ln (r_2 /
    r_1)`: a median, so that near duplicates do not show. Where distances are so often equal that
    the median ratio is 1, the ratio of the last neighbor to the first is taken, whose logarithm
    has the mean :math:`H_{K-1} / D`.
    """
    distinct = distance[:, 0] > 0
    if not distinct.any():
        return float(n_features)
    first, second, last = (distance[distinct, place] for place in (0, 1, -1))
    middle = float(np.median(np.log(second / first)))
    most = float(max(n_features, 1))
    if middle > 0:
        return min(max(float(np.log(2) / middle), LEAST_DIMENSION), most)
    spread = float(np.median(np.log(last / first)))
    harmonic = float((1 / np.arange(1, distance.shape[1])).sum())
    return most if spread == 0 else min(max(harmonic / spread, LEAST_DIMENSION), most)


def local_dimension(distance: Array, typical: float) -> Array:
    r"""Return the intrinsic dimension around each row, at most the typical one.

    Half of K neighbors are within :math:`r_{K/2}`, hence :math:`D = \ln 2 / \ln (r_K / r_{K/2})`:
    rows that vary in one column only, such as those of one common combination of categories,
    are near by chance much more often than others.
    """
    k = distance.shape[1]
    last, middle = distance[:, -1], distance[:, (k - 1) // 2]
    apart = (middle > 0) & (last > middle)
    ratio = np.divide(last, middle, out=np.ones(len(last)), where=apart)
    local = np.log(k / ((k - 1) // 2 + 1)) / np.where(apart, np.log(ratio), 1.0)
    return np.where(apart, np.clip(local, LEAST_DIMENSION, typical), typical)


def near_radius(distance: Array, dimension: float | Array) -> Array:
    r"""Return for every row how near another one must be to be called a near duplicate.

    Of rows that lie evenly around row i, K - 1 are within the distance :math:`r_K` of the K-th,
    and the nearest is within r with probability :math:`1 - (1 - (r / r_K)^D)^{K-1}`. The radius
    makes this 0.01 / N, so that in all N rows 0.01 are expected to be flagged by chance; it is
    never more than half of :math:`r_K`.
    """
    n_rows, k = distance.shape
    share = -np.expm1(np.log1p(-CHANCE / max(n_rows, 1)) / (k - 1))
    radius: Array = distance[:, -1] * np.minimum(share ** (1 / dimension), CLOSE)
    return radius


def joined_groups(row: Rows, linked: AnyArray, same: Rows) -> Rows:
    """Return for every row the first row of its group.

    Rows are in one group where `linked` joins them to neighbors `row`, or they are the `same`.
    """
    n_rows = len(row)
    start = np.concatenate([[0], np.cumsum(linked.sum(axis=1))])
    links = sp.csr_array((np.ones(start[-1], bool), row[linked], start), shape=(n_rows, n_rows))
    copies = sp.csr_array((np.ones(n_rows, bool), (np.arange(n_rows), same)), links.shape)
    _, member = connected_components(links + copies, directed=False)
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
