"""How far a map can be trusted: which neighbors it keeps, tears apart, or only seems to show."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from sklearn.utils import _safe_indexing

from lookalike.data.checks import require_finite
from lookalike.errors import ParameterError, ShapeError
from lookalike.models.inputs import as_rows
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.progress import progress
from lookalike.typing import Array, Rows
from lookalike.validation import check_int, check_random_state, typed

DISTANCES_IN_MEMORY = 4_000_000  # distances held at a time
FIRST_ORDERED = 1_024  # nearest rows among which map neighbors are looked up first
ORDERED_GROWTH = 16  # times as many next, for those that are farther


RowOrder: TypeAlias = Callable[[Rows, int], Rows]
"""Returns this many other rows by distance to each of some rows, nearest first."""


class MapQuality(NamedTuple):
    """Measures of a map, each 1 at best."""

    trustworthiness: float  # 1 less the penalty of map neighbors by their rank among the rows
    continuity: float  # 1 less the penalty of true neighbors by their rank on the map
    neighbor_preservation: float  # share of the true neighbors that are map neighbors
    n_neighbors: int
    n_rows: int  # the measures are means over this many rows


class TornNeighbors(NamedTuple):
    """What the map does to the neighbors of every row; made by `torn_neighbors`."""

    torn: Array  # (n_rows,) share of the true neighbors that are far on the map
    false: Array  # (n_rows,) share of the map neighbors that are far in truth
    true_row: Rows  # (n_rows, wide) nearest first
    map_row: Rows  # (n_rows, wide)
    n_neighbors: int

    def torn_rows(self, row: int) -> Rows:
        """Return the true neighbors of a row that the map shows far from it."""
        near = self.true_row[row, : self.n_neighbors]
        return near[~np.isin(near, self.map_row[row])]

    def false_rows(self, row: int) -> Rows:
        """Return the map neighbors of a row that are not near it in truth."""
        near = self.map_row[row, : self.n_neighbors]
        return near[~np.isin(near, self.true_row[row])]


@typed
def map_quality(
    X: object,
    X_embedded: object,
    *,
    n_neighbors: int = 5,
    metric: object = "euclidean",
    max_rows: int | None = None,
    random_state: object = 0,
) -> MapQuality:
    r"""Return trustworthiness, continuity and neighbor preservation of a map.

    .. math:: T = 1 - \frac{2}{n k (2n - 3k - 1)} \sum_i \sum_{j \in M_i} \max(0, r_{ij} - k)

    [Venna & Kaski 2001]: :math:`M_i` are the k nearest rows of row i on the map and
    :math:`r_{ij}` their ranks among all rows by distance to i. Continuity exchanges the two.

    Parameters
    ----------
    X : table
        The rows.
    X_embedded : array of shape (n_rows, n_components)
        Where they lie on the map.
    n_neighbors : int, default=5
        Neighbors k of each row; less than half of the rows.
    metric : str, Metric or function, default="euclidean"
        Between rows of `X`; the map is Euclidean.
    max_rows : int, optional
        Measure at most this many rows, drawn at random, against all others; None means all.
    random_state : int, RandomState or None, default=0
        Seed of the sample.

    Examples
    --------
    A map that keeps the order of rows keeps their neighbors:

    >>> import numpy as np
    >>> from lookalike.manifold import map_quality
    >>> X = np.arange(20.0)[:, None] ** 2
    >>> map_quality(X, X / 2, n_neighbors=3).trustworthiness
    1.0
    """
    points = as_points(X_embedded)
    model = NearestNeighbors(metric=metric).fit(X)
    require_rows(model.n_samples_fit_, len(points))
    chosen = chosen_rows(len(points), max_rows, random_state)
    k = check_neighbors(n_neighbors, len(points))
    return measured(order_by(model), points, chosen, k)


@typed
def trustworthiness(
    X: object, X_embedded: object, *, n_neighbors: int = 5, metric: object = "euclidean"
) -> float:
    """Return how far map neighbors are neighbors, as scikit-learn's function of this name.

    See :func:`map_quality` for the formula, samples of large tables, and continuity.
    """
    return map_quality(X, X_embedded, n_neighbors=n_neighbors, metric=metric).trustworthiness


@typed
def continuity(
    X: object, X_embedded: object, *, n_neighbors: int = 5, metric: object = "euclidean"
) -> float:
    """Return how far neighbors are map neighbors: trustworthiness with the two exchanged."""
    return map_quality(X, X_embedded, n_neighbors=n_neighbors, metric=metric).continuity


@typed
def neighbor_preservation(
    X: object, X_embedded: object, *, n_neighbors: int = 5, metric: object = "euclidean"
) -> float:
    """Return the share of the `n_neighbors` nearest rows that are among as many on the map."""
    return map_quality(X, X_embedded, n_neighbors=n_neighbors, metric=metric).neighbor_preservation


@typed
def torn_neighbors(
    neighbors: object, X_embedded: object, *, n_neighbors: int = 10, reach: int = 3
) -> TornNeighbors:
    """Return, for every row, which neighbors the map tore away and which it only seems to show.

    A true neighbor is torn where it is not among the ``reach * n_neighbors`` nearest rows on
    the map; a map neighbor is false where it is not among as many true ones.

    Parameters
    ----------
    neighbors : ndarray of shape (n_rows, at least n_neighbors), or a result of `self_search`
        The nearest rows of every row, nearest first, without itself. Where there are fewer than
        ``reach * n_neighbors``, these are all that count as near.
    X_embedded : array of shape (n_rows, n_components)
        Where the rows lie on the map.
    n_neighbors : int, default=10
        Neighbors of each row that are looked at.
    reach : int, default=3
        How many times as many still count as near.

    Examples
    --------
    >>> from lookalike.manifold import torn_neighbors
    >>> from lookalike.neighbors import self_search
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> placed = [[0.0], [1.0], [30.0], [10.0], [11.0], [12.0]]
    >>> found = torn_neighbors(self_search(X, 2), placed, n_neighbors=2, reach=1)
    >>> found.torn
    array([0.5, 0.5, 1. , 0. , 0. , 0. ])
    """
    points = as_points(X_embedded)
    row = as_neighbor_rows(neighbors, len(points))
    reach = check_int("reach", reach, least=1)
    k = check_int("n_neighbors", n_neighbors, least=1, most=row.shape[1])
    wide = min(reach * k, row.shape[1])
    true_row = row[:, :wide]
    map_row = np.asarray(nearest_on_map(points, min(reach * k, len(points) - 1)))
    torn = 1.0 - _shared(true_row[:, :k], map_row)
    false = 1.0 - _shared(map_row[:, :k], true_row)
    return TornNeighbors(torn, false, true_row, map_row, k)


def order_by(model: NearestNeighbors) -> RowOrder:
    """Return the order of other rows by their distance to some of the rows of a fitted search."""
    space = model.space_
    queries = space.queries(None)

    def order(part: Rows, count: int) -> Rows:
        queries_of_part = _safe_indexing(queries, part)
        return space.nearest(queries_of_part, count, exclude=part, n_jobs=model.n_jobs).row

    return order


def measured(order: RowOrder, points: Array, chosen: Rows, k: int) -> MapQuality:
    """Return the measures of the `chosen` rows."""
    n = len(points)
    near_on_map = nearest_on_map(points, k)[chosen]
    near, rank = ranked(order, chosen, near_on_map, n)
    torn = np.maximum(map_ranks(points, chosen, near) - k, 0).sum()
    scale = penalty_scale(n, k) / len(chosen)
    return MapQuality(
        1.0 - scale * int(np.maximum(rank - k, 0).sum()),
        1.0 - scale * int(torn),
        int(np.count_nonzero(rank <= k)) / (k * len(chosen)),
        k,
        len(chosen),
    )


def ranked(order: RowOrder, part: Rows, others: Rows, n: int) -> tuple[Rows, Rows]:
    """Return the nearest rows of `part` (part, k), and the ranks of `others` (part, k) among all.

    The nearest row has rank 1. All rows are put in order only where `others` are far.
    """
    k = others.shape[1]
    near, rank = np.empty_like(others), np.zeros(others.shape, np.int64)
    left, count = np.arange(len(part)), min(max(FIRST_ORDERED, k), n - 1)
    with progress("rows measured", len(part)) as advance:
        while True:
            for block in np.array_split(left, -(-len(left) * n // DISTANCES_IN_MEMORY)):
                nearest = order(part[block], count)
                place = np.zeros((len(block), n), np.int32)
                np.put_along_axis(place, nearest, np.arange(1, count + 1, dtype=np.int32)[None], 1)
                near[block] = nearest[:, :k]
                rank[block] = np.take_along_axis(place, others[block], axis=1)
            done = len(left)
            left = left[(rank[left] == 0).any(axis=1)]
            advance(done - len(left))
            if not len(left) or count == n - 1:
                return near, rank
            count = min(count * ORDERED_GROWTH, n - 1)


def measured_by_graph(row: Rows, points: Array, chosen: Rows, k: int) -> MapQuality:
    """Return the measures that neighbors alone allow: ranks beyond them are not known."""
    true = row[chosen, :k]
    torn = int(np.maximum(map_ranks(points, chosen, true) - k, 0).sum())
    kept = float(_shared(true, nearest_on_map(points, k)[chosen]).mean())
    scale = penalty_scale(len(points), k) / len(chosen)
    return MapQuality(np.nan, 1.0 - scale * torn, kept, k, len(chosen))


def penalty_scale(n: int, k: int) -> float:
    """Return what a sum of penalties is multiplied by, so that the worst map has 0."""
    return 2.0 / (k * (2.0 * n - 3.0 * k - 1.0))


def map_ranks(points: Array, part: Rows, others: Rows) -> Rows:
    """Return the ranks of `others` (part, k) by distance on the map; the nearest row has 1."""
    ranks = np.empty(others.shape, np.int64)
    number = np.arange(len(points))
    for at, (row, mates) in enumerate(zip(part, others, strict=True)):
        key = ((points - points[row]) ** 2).sum(axis=1)
        of_mates = key[mates, None]
        nearer = (key < of_mates) | ((key == of_mates) & (number < mates[:, None]))
        ranks[at] = nearer.sum(axis=1) + 1 - nearer[:, row]
    return ranks


def nearest_on_map(points: Array, k: int) -> Rows:
    """Return the `k` nearest rows of every row on the map."""
    _, row = NearestNeighbors(n_neighbors=k).fit(points).kneighbors()
    return np.asarray(row)


def chosen_rows(n: int, most: int | None, random_state: object) -> Rows:
    """Return the rows to measure, in rising order."""
    if most is None or check_int("max_rows", most, least=1) >= n:
        return np.arange(n)
    return np.sort(check_random_state(random_state).choice(n, most, replace=False))


def check_neighbors(n_neighbors: object, n: int) -> int:
    """Return the neighbors that are measured, or raise where there are too few rows."""
    k = check_int("n_neighbors", n_neighbors, least=1)
    if 2 * k >= n:
        raise ParameterError(
            f"n_neighbors={k} is not less than half of the {n} rows of the map, as ranks "
            f"require. Give n_neighbors <= {max((n - 1) // 2, 0)}."
        )
    return k


def as_points(X_embedded: object) -> Array:
    """Return places on a map as float64, (n_rows, n_components)."""
    points = np.ascontiguousarray(as_rows(X_embedded), np.float64)
    require_finite(points)
    return points


def as_neighbor_rows(neighbors: object, n: int) -> Rows:
    """Return the neighbors of every row, of an array or of what a search returned."""
    try:
        row = np.asarray(getattr(neighbors, "row", neighbors))
    except ValueError:  # lists of several lengths
        row = np.empty(0)
    if row.ndim != 2 or row.dtype.kind not in "iu" or row.shape[1] == 0:
        raise ShapeError(
            f"neighbors has shape {row.shape} and type {row.dtype}. Give whole numbers of shape "
            "(n_rows, n_neighbors), or what self_search returned."
        )
    require_rows(len(row), n)
    if row.size and not (row.min() >= 0 and row.max() < n):
        raise ParameterError(f"neighbors names a row that is not among the {n} rows of the map.")
    return np.ascontiguousarray(row, np.int64)


def require_rows(n_rows: int, n_points: int) -> None:
    """Raise unless every row has a place on the map."""
    if n_rows != n_points:
        raise ShapeError(f"X has {n_rows} rows and X_embedded {n_points}. Give one place per row.")


def _shared(few: Rows, many: Rows) -> Array:
    """Return the share of each row of `few` that is in the same row of `many`."""
    is_shared = np.zeros(few.shape, bool)
    for column in many.T:
        is_shared |= few == column[:, None]
    return np.asarray(is_shared.mean(axis=1), np.float64)
