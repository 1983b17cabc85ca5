"""DBSCAN: clusters are what core rows within a radius of each other reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.checks import require_finite
from lookalike.data.source import open_source
from lookalike.data.targets import as_finite
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.kdtree import KDTreeIndex
from lookalike.kernels.components import join_core_rows, least_labels
from lookalike.kernels.radius import RadiusResult
from lookalike.models.cluster.density_search import DensityClustering
from lookalike.models.estimator import with_callbacks
from lookalike.models.neighbors.search_space import SearchSpace
from lookalike.models.neighbors.supervised import rows_of
from lookalike.settings import settings
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_float, check_int, is_float

FIRST_BATCH_ROWS = 1024  # rows whose neighborhoods are found first, to learn how large they are
BYTES_OF_A_PAIR = 16  # a distance and a row number
MEMORY_SHARE_OF_NEIGHBORHOODS = 4  # the budget is this many times as large


class DBSCAN(DensityClustering):
    """Clusters of core rows that are near each other, and the rows beside them; the rest is noise.

    A row is a core row where `min_samples` rows, itself among them, are within `eps`. Core rows
    within `eps` of each other are of one cluster; a row that is none belongs to the first cluster
    that has a core row within `eps` of it. Labels are those of scikit-learn's ``DBSCAN``: clusters
    are numbered by their smallest core row. Neighborhoods that do not fit the memory budget are
    found again instead of held.

    Parameters
    ----------
    eps : float, default=0.5
        The radius; the boundary is included.
    min_samples : int, default=5
        The rows, or their weight, within `eps` of a core row.
    metric : str, Metric or function, default="euclidean"
        As in :class:`lookalike.NearestNeighbors`; "precomputed" takes a square of distances.
    metric_params : mapping, optional
        Parameters of the metric.
    algorithm, leaf_size, n_jobs, engine
        As in :class:`lookalike.NearestNeighbors`; they never change a label.
    p : float, optional
        Power of ``metric="minkowski"``; None is 2.
    missing : {"error", "present"}, default="error"
        As in :class:`lookalike.NearestNeighbors`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
        The cluster of every row, -1 for noise.
    core_sample_indices_ : ndarray
        The core rows.
    components_ : matrix
        Their values, as they are compared.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from lookalike import DBSCAN
    >>> DBSCAN(eps=1.0, min_samples=2).fit_predict([[0.0], [0.5], [9.0], [20.0], [20.5], [21.0]])
    array([ 0,  0, -1,  1,  1,  1])
    """

    def __init__(
        self,
        eps: float = 0.5,
        *,
        min_samples: int = 5,
        metric: object = "euclidean",
        metric_params: Mapping[str, object] | None = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float | None = None,
        n_jobs: int | None = None,
        missing: str = "error",
        engine: str = "auto",
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.n_jobs = n_jobs
        self.missing = missing
        self.engine = engine

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Cluster the rows of `X`, any table, each counting its weight; `y` is ignored.

        A negative weight keeps rows near it from being core rows.
        """
        if check_float("eps", self.eps, least=0.0) == 0.0:
            raise ParameterError("eps=0.0 is out of range. Give a radius above 0.")
        check_int("min_samples", self.min_samples, least=1)
        decisions = Decisions()
        if sp.issparse(X) and self._is_precomputed():
            return self._fit_graph(X, sample_weight)
        space = self._arrange(X, decisions)
        kind = TreeNeighborhoods if isinstance(space.index, KDTreeIndex) else Neighborhoods
        neighborhoods = kind(space, float(self.eps), self.n_jobs)
        self._cluster(neighborhoods, sample_weight)
        self.components_ = rows_of(space.training_rows(), self.core_sample_indices_).copy()
        if neighborhoods.exceed_memory:
            decisions.add("neighborhoods", "found again", "all at once exceed the memory budget")
        self.decisions_ = decisions
        return self

    def _cluster(self, neighborhoods: Neighborhoods, sample_weight: object) -> None:
        weight = signed_weight(sample_weight, neighborhoods.n_rows)
        core = neighborhoods.core_rows(weight, self.min_samples)
        self.labels_ = cluster_labels(neighborhoods, core)
        self.core_sample_indices_ = np.flatnonzero(core)

    def _fit_graph(self, X: Any, sample_weight: object) -> Self:
        """Cluster rows by a sparse square of distances: those that are not stored are far."""
        graph = sp.csr_array(X, copy=True)
        if graph.shape[0] != graph.shape[1]:
            raise ShapeError(f"X has shape {graph.shape}. Give a square of distances.")
        require_finite(graph)
        self._note_columns(X, open_source(X), reset=True)
        self._cluster(GraphNeighborhoods(graph, float(self.eps)), sample_weight)
        self.components_ = X.tocsr()[self.core_sample_indices_].copy()
        self.decisions_ = Decisions()
        return self


class Neighborhoods:
    """The rows within a radius of rows, held where all of them fit the memory."""

    def __init__(self, space: SearchSpace, radius: float, n_jobs: int | None) -> None:
        self.space, self.radius, self.n_jobs = space, radius, n_jobs
        self.n_rows = space.n_rows
        self.rows: Any = space.training_rows()
        self.most_pairs = settings().memory // MEMORY_SHARE_OF_NEIGHBORHOODS // BYTES_OF_A_PAIR
        self.held: list[tuple[Rows, RadiusResult]] | None = None
        self.exceed_memory = False

    def core_rows(self, weight: Array | None, least: float) -> AnyArray:
        """Return which rows have at least `least` rows, or that weight, within the radius."""
        core: AnyArray = self.weight_within(weight) >= least
        return core

    def components(self, core: AnyArray) -> Rows:
        """Return the smallest core row of the component of every core row of a mask."""
        parent = np.arange(self.n_rows)
        for query, near in self.of(core):
            join_core_rows(query, near, core, parent)
        return parent

    def weight_within(self, weight: Array | None) -> Array:
        """Return how many rows are within the radius of every row, or their weight."""
        total = np.empty(self.n_rows)
        held: list[tuple[Rows, RadiusResult]] | None = []
        pairs = 0
        for query, near in self._search(np.arange(self.n_rows)):
            counts = np.diff(near.start)
            if weight is None:
                total[query] = counts
            else:
                total[query] = np.bincount(
                    np.repeat(np.arange(len(query)), counts), weight[near.row], len(query)
                )
            pairs += len(near.row)
            if held is not None and pairs <= self.most_pairs:
                held.append((query, near._replace(distance=np.empty(0))))
            else:
                held = None
        self.held, self.exceed_memory = held, held is None
        return total

    def of(self, rows: AnyArray) -> Iterator[tuple[Rows, RadiusResult]]:
        """Give the neighborhoods of the rows of a mask, a part at a time, and maybe of others."""
        return iter(self.held) if self.held is not None else self._search(np.flatnonzero(rows))

    def _search(self, query: Rows) -> Iterator[tuple[Rows, RadiusResult]]:
        begin, batch = 0, FIRST_BATCH_ROWS
        while begin < len(query):
            part = query[begin : begin + batch]
            near = self.space.within(rows_of(self.rows, part), self.radius, n_jobs=self.n_jobs)
            yield part, near
            begin += len(part)
            mean = max(1, len(near.row) // len(part))
            batch = int(np.clip(self.most_pairs // 8 // mean, 1, 64 * len(part)))


class TreeNeighborhoods(Neighborhoods):
    """The same of the rows of a KD-tree, whose boxes within the radius are not looked into."""

    def core_rows(self, weight: Array | None, least: float) -> AnyArray:
        """Return which rows have at least `least` rows, or that weight, within the radius."""
        if weight is not None:
            return super().core_rows(weight, least)
        index: Any = self.space.index  # a KDTreeIndex
        core: AnyArray = index.core_rows(self.radius, int(least), threads=self._threads())
        return core

    def components(self, core: AnyArray) -> Rows:
        """Return the smallest core row of the component of every core row of a mask."""
        index: Any = self.space.index  # a KDTreeIndex
        parent: Rows = index.components(core, self.radius, threads=self._threads())
        return parent

    def _threads(self) -> int:
        return resolve_threads(self.space.options.n_jobs if self.n_jobs is None else self.n_jobs)


class GraphNeighborhoods(Neighborhoods):
    """The rows within a radius by a sparse square of distances, each row its own neighbor."""

    def __init__(self, graph: sp.csr_array, radius: float) -> None:
        self.held, self.exceed_memory = None, False
        graph.setdiag(0.0)
        near = graph.data <= radius
        start = np.concatenate([[0], np.cumsum(near)])[graph.indptr].astype(np.int64)
        row = graph.indices[near].astype(np.int64)
        self.n_rows = self.most_pairs = graph.shape[0]
        self.near = RadiusResult(np.empty(0), row, start)

    def _search(self, query: Rows) -> Iterator[tuple[Rows, RadiusResult]]:
        self.most_pairs = len(self.near.row)  # they are in memory already
        yield np.arange(self.n_rows), self.near


def cluster_labels(neighborhoods: Neighborhoods, core: AnyArray) -> Rows:
    """Return the cluster of every row, those of core rows by their smallest row, -1 for noise."""
    parent = neighborhoods.components(core)
    labels = np.full(len(core), -1)
    labels[core] = np.unique(parent[core], return_inverse=True)[1]
    of_core = labels.copy()
    for query, near in neighborhoods.of(~core):
        beside = ~core[query]
        labels[query[beside]] = least_labels(query, near, of_core)[beside]
    return labels


def signed_weight(sample_weight: object, n_rows: int) -> Array | None:
    """Return the weights of the rows, which may be negative."""
    if sample_weight is None:
        return None
    if is_float(sample_weight):
        weight = np.full(n_rows, check_float("sample_weight", sample_weight, least=-np.inf))
    else:
        weight = as_finite(sample_weight, "sample_weight", "Give one number for every row.")
    if weight.shape != (n_rows,):
        raise ShapeError(
            f"sample_weight has shape {weight.shape}, X has {n_rows} rows. Give one per row."
        )
    if not weight.any():
        raise ParameterError("sample_weight is zero for every row. Give one row a weight above 0.")
    return weight
