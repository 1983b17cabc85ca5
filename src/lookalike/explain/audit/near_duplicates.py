"""Near duplicates: rows that are nearer to each other than chance would put them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lookalike.explain.self_search import SelfSearch
from lookalike.index.base import Neighbors
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

# Expected number of rows called near duplicates where there is none.
EXPECTED_FALSE_NEAR_DUPLICATES = 0.01
# Of the distance to the K-th neighbor: a near duplicate is never farther.
MAX_SHARE_OF_KTH_DISTANCE = 0.5
LEAST_DIMENSION = 1.0
OF_STRANGERS = 2.0  # mean squared difference of two numbers, in variances: where one is missing
AT_A_TIME = 4096  # rows whose neighbors are compared column by column
ROWS_TO_FIND_BINARY_COLUMNS = 1000  # rows by which columns of more than two values are known


# numbers (n_rows, n_numbers), None where the distances of the search say all; then categories by
# number (n_rows, n_categories), None where there are none
RowParts: TypeAlias = tuple[Array | None, AnyArray | None]


class NearRule:
    """How near is near: the columns compared, and the intrinsic dimension of their distances.

    Parameters
    ----------
    search : SelfSearch
        The rows.
    k : int
        How many of their nearest neighbors settle the dimension.
    categories : ndarray of shape (n_rows, n_categories), or None
        The categories of the rows by number.
    from_columns : bool
        Whether categories are all columns of two values, such as those of a one-hot encoding.
        These are not numbers in any case.

    Attributes
    ----------
    dimension : float
        Intrinsic, around a typical row.
    local : ndarray of shape (n_rows,)
        The same around each row.
    """

    def __init__(
        self,
        search: SelfSearch,
        k: int,
        categories: AnyArray | None,
        *,
        from_columns: bool = False,
    ) -> None:
        rows = search.model.space_.rows
        self._of_numbers: AnyArray | None = None
        self._scale, self._from_columns = np.ones(0), from_columns
        if isinstance(rows, np.ndarray) and (from_columns or categories is not None):
            self._of_numbers, self._scale = _numbers_of(search.model, rows)
            if from_columns and self._of_numbers.all():
                self._of_numbers = None
        self._parts = self.parts_of(rows, categories)
        most, (numbers, categories) = search.n_features, self._parts
        if numbers is not None:
            most = numbers.shape[1] or np.asarray(categories).shape[1]
        distance = np.sort(self._distances(search.first(k), self._parts), axis=1)
        self.dimension: float = typical_dimension(distance, most)
        self.local: Array = local_dimension(distance, self.dimension)

    def parts_of(self, queries: object, categories: AnyArray | None) -> RowParts:
        """Return other rows, prepared as those of the search, by numbers and categories."""
        if self._of_numbers is None:
            return None, categories
        rows = np.asarray(queries)
        if self._from_columns:
            categories = rows[:, ~self._of_numbers].astype(np.float64)
        numbers = rows[:, self._of_numbers].astype(np.float64)
        numbers /= self._scale
        return numbers, categories

    def near_pairs(self, neighbors: Neighbors, here: RowParts | None = None) -> AnyArray:
        """Return whether each neighbor is a near duplicate of the row, which is of `here`.

        Rows that have numbers must agree in all categories, and in which numbers are missing. Of
        rows of categories alone the number of those that differ takes the place of the squared
        distance.
        """
        mine, other = here or self._parts, self._parts
        distance = self._distances(neighbors, mine)
        dimension = np.median(self.local[neighbors.row], axis=1)
        near: AnyArray = distance <= near_radius(np.sort(distance, axis=1), dimension)[:, None]
        if self._has_numbers():
            near &= _n_different(neighbors.row, mine[1], other[1]) == 0
        if mine[0] is not None and other[0] is not None:
            near &= _n_different(neighbors.row, np.isnan(mine[0]), np.isnan(other[0])) == 0
        return near

    def category_distances(self, neighbors: Neighbors) -> tuple[Array, Rows, float]:
        """Return distances of neighbors, their rows, and the least distance of other categories.

        Where rows are categories alone, the distance is the root of the number of those that
        differ, whichever metric they were searched by. The least one is 0 where no neighbors
        differ.
        """
        distance, (_, categories) = neighbors.distance, self._parts
        if self._has_numbers():
            if not (self._scale == 1.0).all():  # by range: a category is as far as a number can be
                return distance, neighbors.row, 0.0
            differ = _n_different(neighbors.row, categories, categories) > 0
            numbers = self._distances(neighbors, self._parts) if differ.any() else distance
            step = np.sqrt(np.maximum(distance**2 - numbers**2, 0.0))
            return distance, neighbors.row, float(step[differ].min()) if differ.any() else 0.0
        distance = np.sort(self._distances(neighbors, self._parts), axis=1)
        least = distance[distance > 0].min(initial=np.inf) if distance.any() else 0.0
        return distance, neighbors.row, float(least)

    def _distances(self, neighbors: Neighbors, queries: RowParts) -> Array:
        """Return the distance of each row from its neighbors: in numbers, else in categories."""
        (query_numbers, mine), (numbers, categories) = queries, self._parts
        if numbers is None or query_numbers is None:
            return np.asarray(neighbors.distance, np.float64)
        if not self._has_numbers():
            return np.sqrt(_n_different(neighbors.row, mine, categories))
        distance = np.empty(neighbors.row.shape)
        for start in range(0, len(distance), AT_A_TIME):
            part = slice(start, start + AT_A_TIME)
            left, right = query_numbers[part, None], numbers[neighbors.row[part]]
            both = np.isnan(left) & np.isnan(right)
            square = np.nan_to_num((left - right) ** 2, nan=OF_STRANGERS)
            distance[part] = np.sqrt(np.where(both, 0.0, square).sum(axis=2))
        return distance

    def _has_numbers(self) -> bool:
        numbers = self._parts[0]
        return numbers is None or numbers.shape[1] > 0


def two_valued_columns(rows: AnyArray) -> AnyArray:
    """Tell which columns have two values at most.

    >>> two_valued_columns(np.array([[0.0, 1.5], [1.0, 2.5], [0.0, 3.5]]))
    array([ True, False])
    """
    first = np.array(
        [len(np.unique(column[:ROWS_TO_FIND_BINARY_COLUMNS])) <= 2 for column in rows.T], bool
    )
    for place in np.flatnonzero(first):
        first[place] = len(np.unique(rows[:, place])) <= 2
    return first


def _n_different(row: Rows, left: AnyArray | None, there: AnyArray | None) -> Rows:
    """Return how many categories of each row differ from those of its neighbors."""
    count = np.zeros(row.shape, np.int64)
    if left is not None and there is not None:
        for mine, other in zip(left.T, there.T, strict=True):
            count += mine[:, None] != other[row]
    return count


def _numbers_of(model: BaseEstimator, rows: AnyArray) -> tuple[AnyArray, Array]:
    """Return which columns of the rows of a search are numbers, and their scale."""
    of_numbers: AnyArray = ~two_valued_columns(rows)
    if model.effective_metric_ != "gower":
        return of_numbers, np.ones(int(of_numbers.sum()))
    of_numbers[list(model.effective_metric_params_.get("categorical") or ())] = False
    spread = np.nanstd(np.asarray(rows[:, of_numbers], np.float64), axis=0)
    return of_numbers, np.where(spread > 0, spread, 1.0)


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
    first, second, last = (distance[distinct, column] for column in (0, 1, -1))
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


def near_radius(
    distance: Array, dimension: float | Array, n_by_chance: float = EXPECTED_FALSE_NEAR_DUPLICATES
) -> Array:
    r"""Return for every row how near another one must be to be called a near duplicate.

    Of rows that lie evenly around row i, K - 1 are within the distance :math:`r_K` of the K-th,
    and the nearest is within r with probability :math:`1 - (1 - (r / r_K)^D)^{K-1}`. The radius
    makes this 0.01 / N, so that in all N rows 0.01 are expected to be flagged by chance (or
    `n_by_chance` of them); it is never more than half of :math:`r_K`.
    """
    n_rows, k = distance.shape
    share = -np.expm1(np.log1p(-n_by_chance / max(n_rows, 1)) / (k - 1))
    radius: Array = distance[:, -1] * np.minimum(
        share ** (1 / dimension), MAX_SHARE_OF_KTH_DISTANCE
    )
    return radius
