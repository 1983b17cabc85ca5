"""Distances whose squares vanish in float64, computed again and put in order.

Rows such as 2e-170 and 1e-170 among others of a usual size have squared distances of zero from
0, and would tie. Such pairs are rare: they are looked for among neighbors at almost no distance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookalike.errors import MagnitudeError
from lookalike.index.base import Neighbors
from lookalike.index.rescale import MIN_SAFE_DIFFERENCE
from lookalike.kernels.radius import RadiusResult
from lookalike.typing import AnyArray, Array, Rows

MIN_SAFE_DISTANCE = 2.0**-480  # the square of a smaller distance has lost digits, or is zero
TINY_DIFFERENCE_SCALE = 2.0**600  # brings such differences back where squares are exact
_MIN_SAFE_DISTANCE_BITS = int(np.float64(MIN_SAFE_DISTANCE).view(np.int64))

Within = Callable[
    [AnyArray, Rows], RadiusResult
]  # all rows at a distance <= MIN_SAFE_DISTANCE of queries


def has_tiny(X: AnyArray) -> bool:
    """Return whether a value is so small, and not zero, that squares of differences may vanish."""
    if X.dtype != np.float64:
        return False
    size = np.abs(X)
    return bool(((size < MIN_SAFE_DIFFERENCE) & (size > 0)).any())


def with_tiny_keys(key: Array, distance: Array) -> Array:
    """Return keys in which distances below `SMALL` have negative ones, in the order of distances.

    Squares of such distances have lost digits or are zero. Their keys are the bits by which they
    fall short of `SMALL`, as a negative number: nothing is lost, and results can be joined by key.

    Examples
    --------
    >>> distance = np.array([0.0, 1e-170, 2e-170, 3.0])
    >>> key = with_tiny_keys(distance**2, distance)
    >>> bool((np.diff(key) > 0).all()), distances_of_keys(key, np.sqrt).tolist()
    (True, [0.0, 1e-170, 2e-170, 3.0])
    """
    short = _MIN_SAFE_DISTANCE_BITS - distance.view(np.int64)
    return np.where(distance < MIN_SAFE_DISTANCE, -np.maximum(short, 0).view(np.float64), key)


def distances_of_keys(key: Array, distance: Callable[[Array], Array]) -> Array:
    """Return the distances of keys of `with_tiny_keys`; `distance` of those that are squares."""
    tiny = (_MIN_SAFE_DISTANCE_BITS - np.abs(key).view(np.int64)).view(np.float64)
    return np.where(key < 0, tiny, distance(np.maximum(key, 0.0)))


def require_distances(
    neighbors: Neighbors,
    scale: float,
    queries: Callable[[], AnyArray],
    rows: Callable[[], AnyArray],
    *,
    degree: int = 1,
) -> Neighbors:
    """Return Euclidean neighbors of rows that were multiplied by `scale`, as they are.

    Raises where the square of a distance vanished between a query and a row that differ.
    Distances are squares where `degree` is 2.
    """
    if scale == 1.0 or not len(neighbors.row):
        return neighbors
    length = neighbors.distance if degree == 1 else np.sqrt(neighbors.distance)
    small = length * scale < MIN_SAFE_DISTANCE
    if not small.any():
        return neighbors
    query, rank = np.nonzero(small)
    Q, X = queries()[query], rows()[neighbors.row[query, rank]]
    if ((Q != X) & ~(np.isnan(Q) | np.isnan(X))).any():
        raise MagnitudeError(
            f"A row of Q differs by less than {MIN_SAFE_DISTANCE / scale:.3g} from a row of the "
            "index, and the "
            "square of that vanishes beside the largest rows. Scale the columns, or drop rows of "
            "another magnitude."
        )
    return neighbors


def settle_tiny(
    neighbors: Neighbors,
    queries: Callable[[], AnyArray],
    rows: Callable[[], AnyArray],
    exclude: Rows,
    within: Within,
) -> Neighbors:
    """Return Euclidean neighbors with those at almost no distance compared without underflow.

    Parameters
    ----------
    neighbors : Neighbors
        Of every query, by squares summed in float64.
    queries, rows : callable
        Give the matrices, which are looked at where a distance is almost zero.
    exclude : array
        A row for each query that is not a neighbor of it, or nothing.
    within : callable
        Gives the rows within `SMALL` of some queries, without those excluded.
    """
    small = neighbors.distance < MIN_SAFE_DISTANCE
    if not small.any():
        return neighbors
    Q, X = queries(), rows()
    if np.float64 not in (Q.dtype, X.dtype):
        return neighbors  # float32 has no numbers as small
    query, rank = np.nonzero(small)
    equal = (Q[query] == X[neighbors.row[query, rank]]).all(axis=1)
    lost = np.unique(query[~equal])
    if not len(lost):
        return neighbors  # rows that equal the query are at no distance
    distance, row = neighbors.distance.copy(), neighbors.row.copy()
    for i in lost.tolist():
        near = within(Q[i : i + 1], exclude[i : i + 1]).row
        gaps = (Q[i].astype(np.float64) - X[near].astype(np.float64)) * TINY_DIFFERENCE_SCALE
        true = np.sqrt((gaps**2).sum(axis=1)) / TINY_DIFFERENCE_SCALE
        order = np.lexsort((near, true))
        others = np.flatnonzero(~np.isin(row[i], near))
        k = row.shape[1]
        distance[i] = np.concatenate([true[order], distance[i, others]])[:k]
        row[i] = np.concatenate([near[order], row[i, others]])[:k]
    return Neighbors(distance, row)
