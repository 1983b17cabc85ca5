"""OPTICS: rows in the order in which they are reached from denser ones, and clusters in it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import cluster_optics_dbscan, cluster_optics_xi
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_memory

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.graph import GraphIndex
from lookalike.models.cluster.density_search import DensityClustering
from lookalike.models.cluster.spanning_tree import scan_of
from lookalike.models.estimator import with_callbacks
from lookalike.models.neighbors.search_space import SearchSpace
from lookalike.models.neighbors.supervised import rows_of
from lookalike.models.neighbors.valid_metrics import BINARY_METRICS
from lookalike.settings import settings
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_float, check_int, is_int, shown

NOT_REACHED = np.finfo(np.float64).max
MEMORY_SHARE_OF_DISTANCES = 4  # the budget is this many times as large
DISTANCE_DECIMALS = np.finfo(
    np.float64
).precision  # to which distances are rounded, as scikit-learn does
Near = Callable[[int], tuple[Any, Array]]  # of a row: rows (or a slice of all), and their distances


class Ordering(NamedTuple):
    """Rows in the order in which they are reached."""

    row: Rows
    core: Array  # of each row, the distance within which it is a core row
    reach: Array  # of each row, the distance at which it was reached
    predecessor: Rows  # of each row, that from which it was reached, -1 where there is none


class OPTICS(DensityClustering):
    """Rows in the order in which they are reached from denser ones, and the clusters in it.

    From every row the nearest one is visited next that was not, by reachability: the distance, or
    the core distance of the row it is reached from where that is larger [Ankerst99]. Valleys of
    the reachability along this order are clusters. Order, distances and labels are those of
    scikit-learn's ``OPTICS``.

    Parameters
    ----------
    min_samples : int or share, default=5
        The rows, itself among them, within the core distance of a row.
    max_eps : float, default=inf
        The largest distance at which a row is reached.
    metric, p, metric_params, algorithm, leaf_size, n_jobs, missing, engine
        As in :class:`lookalike.NearestNeighbors`.
    cluster_method : {"xi", "dbscan"}, default="xi"
        Clusters by the steepness of the reachability, or by one distance `eps`.
    eps : float, optional
        The distance of ``cluster_method="dbscan"``; None is `max_eps`.
    xi : float, default=0.05
        The least relative step down or up at the border of a cluster.
    predecessor_correction : bool, default=True
        Whether rows whose predecessor is outside of their cluster leave it.
    min_cluster_size : int or share, optional
        The rows that a cluster has at least; None is `min_samples`.
    memory : str or joblib.Memory, optional
        Where the order is cached.

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
        The cluster of every row, -1 for noise.
    ordering_ : ndarray of shape (n_rows,)
        The rows in their order.
    reachability_, core_distances_ : ndarray of shape (n_rows,)
        By row; along the order they are ``reachability_[ordering_]``.
    predecessor_ : ndarray of shape (n_rows,)
        The row from which each was reached, -1 where there is none.
    cluster_hierarchy_ : ndarray of shape (n_clusters, 2)
        First and last place of every cluster, of ``cluster_method="xi"``.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from lookalike import OPTICS
    >>> X = [[1, 2], [2, 5], [3, 6], [8, 7], [8, 8], [7, 3]]
    >>> OPTICS(min_samples=2).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        *,
        min_samples: int | float = 5,
        max_eps: float = np.inf,
        metric: object = "minkowski",
        p: float | None = 2,
        metric_params: Mapping[str, object] | None = None,
        cluster_method: str = "xi",
        eps: float | None = None,
        xi: float = 0.05,
        predecessor_correction: bool = True,
        min_cluster_size: int | float | None = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        memory: object = None,
        n_jobs: int | None = None,
        missing: str = "error",
        engine: str = "auto",
    ) -> None:
        self.min_samples = min_samples
        self.max_eps = max_eps
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.cluster_method = cluster_method
        self.eps = eps
        self.xi = xi
        self.predecessor_correction = predecessor_correction
        self.min_cluster_size = min_cluster_size
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.memory = memory
        self.n_jobs = n_jobs
        self.missing = missing
        self.engine = engine

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Put the rows of `X`, any table, in order, and cut clusters from it; `y` is ignored."""
        self._check_options()
        decisions = Decisions()
        space = self._arrange(self._as_sets(X), decisions)
        if space.n_rows == 1:
            raise ShapeError("X has n_samples=1, and an order needs more than one row. Give more.")
        least = count_of("min_samples", self.min_samples, space.n_rows)
        memory = self._cache()
        arguments = (space, least, float(self.max_eps), self.n_jobs)
        order = (order_rows if self.memory is None else memory.cache(order_rows))(*arguments)
        self.ordering_, self.core_distances_ = order.row, order.core
        self.reachability_, self.predecessor_ = order.reach, order.predecessor
        self.labels_ = self._cut(order)
        self.decisions_ = decisions
        return self

    def _cache(self) -> Any:
        try:
            return check_memory(self.memory)
        except ValueError:
            raise ParameterError(
                f"memory={shown(self.memory)} is not a cache. Give the name of a folder, a "
                "joblib.Memory, or None."
            ) from None

    def _check_options(self) -> None:
        for name in ("min_samples", "min_cluster_size"):
            given = getattr(self, name)
            if given is not None and is_int(given):
                check_int(name, given, least=2)
            elif given is not None:
                check_float(name, given, least=0.0, most=1.0)
        if self.max_eps != np.inf:
            check_float("max_eps", self.max_eps, least=0.0)
        if self.eps is not None:
            check_float("eps", self.eps, least=0.0)
        if check_float("xi", self.xi, least=0.0, most=1.0) == 1.0:
            raise ParameterError("xi=1 asks for a reachability that falls to 0. Give one below 1.")
        check_choice("cluster_method", self.cluster_method, ("xi", "dbscan"))
        eps = self.max_eps if self.eps is None else self.eps
        if self.cluster_method == "dbscan" and eps > self.max_eps:
            raise ParameterError(
                f"eps={eps} exceeds max_eps. Specify an epsilon smaller than {self.max_eps}."
            )

    def _as_sets(self, X: object) -> object:
        """Return rows of true and false where the metric compares sets."""
        if not (isinstance(self.metric, str) and self.metric in (*BINARY_METRICS, "yule")):
            return X
        if getattr(getattr(X, "dtype", None), "kind", "") == "b":
            return X
        warnings.warn(
            f"Data will be converted to boolean for metric {self.metric}, to avoid this warning, "
            "you may convert the data prior to calling fit.",
            DataConversionWarning,
            stacklevel=4,
        )
        return X.astype(bool) if hasattr(X, "astype") else np.array(X, bool)

    def _cut(self, order: Ordering) -> Rows:
        if self.cluster_method == "dbscan":
            labels = cluster_optics_dbscan(
                reachability=order.reach,
                core_distances=order.core,
                ordering=order.row,
                eps=self.max_eps if self.eps is None else self.eps,
            )
            return np.asarray(labels)
        count = len(order.row)
        size = self.min_samples if self.min_cluster_size is None else self.min_cluster_size
        with np.errstate(divide="ignore"):  # of rows that are copies
            labels, self.cluster_hierarchy_ = cluster_optics_xi(
                reachability=order.reach,
                predecessor=order.predecessor,
                ordering=order.row,
                min_samples=count_of("min_samples", self.min_samples, count),
                min_cluster_size=count_of("min_cluster_size", size, count),
                xi=self.xi,
                predecessor_correction=self.predecessor_correction,
            )
        return np.asarray(labels)


def count_of(name: str, value: int | float, n_rows: int) -> int:
    """Return a number of rows that is given as such, or as a share of all."""
    if not is_int(value):
        return max(2, int(value * n_rows))
    if value > n_rows:
        raise ParameterError(
            f"{name} must be no greater than the number of samples ({n_rows}). Got {value}."
        )
    return int(value)


def order_rows(
    space: SearchSpace, min_samples: int, max_eps: float, n_jobs: int | None
) -> Ordering:
    """Return the rows in the order in which they are reached."""
    n_rows = space.n_rows
    k = min_samples - 1
    core = space.nearest_of_training(k, n_jobs=n_jobs).distance[:, -1].astype(np.float64)
    core[core > max_eps] = np.inf
    core = np.around(core, DISTANCE_DECIMALS)
    reach, predecessor = np.full(n_rows, np.inf), np.full(n_rows, -1)
    waiting = np.full(n_rows, NOT_REACHED)  # the reachability of rows to visit, inf of the others
    near = neighborhood_function(space, max_eps, n_jobs)
    order = np.empty(n_rows, np.int64)
    for place in range(n_rows):
        row = int(np.argmin(waiting))  # the smallest number among equals
        order[place], waiting[row] = row, np.inf
        if core[row] == np.inf:
            continue
        rows, distance = near(row)
        reached = np.around(np.maximum(distance, core[row]), DISTANCE_DECIMALS)
        left = waiting[rows]
        nearer = (reached < left) & (left != np.inf)
        improved = np.flatnonzero(nearer) if isinstance(rows, slice) else rows[nearer]
        reach[improved] = waiting[improved] = reached[nearer]
        predecessor[improved] = row
    if np.isinf(reach).all():
        warnings.warn(
            "All reachability values are inf. Set a larger max_eps or all data will be considered "
            "outliers.",
            stacklevel=5,
        )
    return Ordering(order, core, reach, predecessor)


def neighborhood_function(space: SearchSpace, max_eps: float, n_jobs: int | None) -> Near:
    """Return a function that gives the rows within a distance of a row, with their distances."""
    rows, n_rows = space.training_rows(), space.n_rows
    most_pairs = settings().memory // MEMORY_SHARE_OF_DISTANCES // 16
    if isinstance(space.index, GraphIndex) or (max_eps != np.inf and n_rows**2 > most_pairs):
        if sp.issparse(rows) and isinstance(space.index, GraphIndex):
            near = space.within(rows, max_eps, n_jobs=n_jobs)
            start, row, distance = near.start, near.row, near.distance
            return lambda at: (
                row[start[at] : start[at + 1]],
                distance[start[at] : start[at + 1]],
            )
        return lambda at: _within(space, rows, at, max_eps)
    index = scan_of(space)
    whole: AnyArray | None = None
    if n_rows**2 <= most_pairs:
        whole = index.distances(rows, threads=n_jobs)

    def of_row(at: int) -> tuple[Any, Array]:
        if whole is not None:
            distance: Array = whole[at]
        else:
            distance = index.distances(rows_of(rows, np.array([at])), threads=n_jobs)[0]
        if max_eps == np.inf:
            return slice(None), distance
        close = np.flatnonzero(distance <= max_eps)
        return close, distance[close]

    return of_row


def _within(space: SearchSpace, rows: object, at: int, radius: float) -> tuple[Rows, Array]:
    near = space.within(rows_of(rows, np.array([at])), radius)
    return near.row, near.distance
