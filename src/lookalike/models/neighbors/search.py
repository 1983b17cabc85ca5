"""Nearest-neighbor search, exact by whichever index is fastest, or approximate by LSH."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import Tags

from lookalike.data.kept_rows import require_unchanged
from lookalike.data.page_release import MappedFile, mapped_file
from lookalike.data.predicate import Where
from lookalike.data.source import Source, open_source
from lookalike.data.tensors import as_given
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.base import Index, Neighbors
from lookalike.index.chunked import ChunkedIndex
from lookalike.index.cluster import ClusterIndex, joined
from lookalike.index.kdtree import SPLITS, KDTreeIndex
from lookalike.index.lsh_rows import check_share
from lookalike.index.plan import SearchPlan, require_neighbors_fit, search_plan
from lookalike.index.validate import rows_left
from lookalike.kernels.metrics import Metric
from lookalike.models.estimator import check_is_fitted, restored_on_failure, with_callbacks
from lookalike.models.neighbors.cluster_search import distance_type, lazy_neighbors
from lookalike.models.neighbors.graphs import NeighborGraphs, ragged
from lookalike.models.neighbors.rows import NeighborRows
from lookalike.models.neighbors.where import allowed_rows
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows, TableLike, to_host
from lookalike.validation import check_choice, check_float, check_int


class NearestNeighbors(NeighborGraphs, NeighborRows):
    """Nearest-neighbor search: always the neighbors of the float64 reference scan, but faster.

    Replaces scikit-learn's class of this name. Differences: results do not depend on
    offset, scale, batch or threads; equal distances go to the smaller row number; rows may lie
    in files or on a cluster; rows can be added and removed.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors of each query.
    radius : float, default=1.0
        Radius of `radius_neighbors`; the boundary is included.
    algorithm : {"auto", "exact", "brute", "kd_tree", "ball_tree", "lsh"}, default="auto"
        The index; all but ``"lsh"`` are exact. ``"ball_tree"`` uses the index that is fastest for
        the metric.
    leaf_size : int, default=30
        Rows in a leaf of a KD-tree. Never changes a result.
    split : {"variance", "random"}, default="variance"
        The column on which a node of a KD-tree is split: that of the largest variance, or a
        random one. Never changes a result.
    approximate : float, default=0
        With eps > 0 a KD-tree is used, and each distance found is at most 1 + eps times the true
        one; searches within a radius stay exact.
    recall : float, default=0.95
        With ``algorithm="lsh"``, the share of the nearest rows that should be found.
    metric : str, Metric or function, default="minkowski"
        See :func:`lookalike.kernels.metrics.metric_from`. "gower" and "hamming" compare columns
        of numbers and categories, "jaccard" sets: lists of items, columns of booleans or of
        categories.
    p : float, default=2
        Power of ``"minkowski"``.
    metric_params : mapping, optional
        Parameters of the metric, such as ``{"w": weights}``.
    missing : {"error", "mean", "present"}, default="error"
        A missing value is an error; or the mean of its column, the most frequent one of
        categories; or left out of the distance: ``metric="nan_euclidean"`` between numbers,
        "gower" where columns are of several kinds.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the rows stay. ``"auto"`` reads files into memory when they fit the budget;
        ``"gpu"`` searches on a CUDA GPU, with the same answer bit for bit.

    Attributes
    ----------
    effective_metric_ : str or function
        The metric used.
    effective_metric_params_ : dict
        Its parameters.
    n_samples_fit_ : int
        Training rows.
    plan_ : SearchPlan
        The index that is used, and why.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from lookalike import NearestNeighbors
    >>> rows = [[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]
    >>> distance, row = NearestNeighbors(n_neighbors=2).fit(rows).kneighbors([[0.0, 1.0]])
    >>> row
    array([[0, 1]])
    """

    _mapped_file: MappedFile | None = None  # that the rows are mapped from
    _chosen: tuple[object, ...] = ()  # ways to choose n_neighbors, where it is chosen

    _reads_tensors = True

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        radius: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 30,
        split: str = "variance",
        approximate: float = 0.0,
        recall: float = 0.95,
        metric: object = "minkowski",
        p: float = 2,
        metric_params: Mapping[str, object] | None = None,
        missing: str = "error",
        n_jobs: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.split = split
        self.approximate = approximate
        self.recall = recall
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.missing = missing
        self.n_jobs = n_jobs
        self.engine = engine

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Index the rows of `X`, any table, for search; `y` is ignored.

        `X` are lists of items with ``metric="jaccard"``, and distances with
        ``metric="precomputed"``.
        """
        self._check_parameters()
        X = self._table(X)
        imputer = self._fitted_imputer(X, None)
        rows = X if imputer is None else imputer.transform(X)
        self._arrange(rows, open_source(rows))
        self._note_imputer(imputer)
        return self

    def _arrange(self, X: object, source: Source, weight: Array | None = None) -> None:
        """Build the index of the rows."""
        decisions = Decisions()
        self._note_columns(X, source, reset=True)
        source = self._encoded(source, decisions, weight)
        rows = self._rows_in_memory(source, decisions)
        if rows is None:
            self._refuse_in_chunks()
            index: Index = self._index_of_chunks(source)
            on_cluster = isinstance(index, ClusterIndex)
            chosen = ("cluster" if on_cluster else "chunks", "the rows are not in memory")
        else:
            index, chosen = self._index_of(rows, source)
        decisions.add("index", *chosen)
        for decision in index.decisions:
            decisions.add(*decision)
        self._index, self._fit_X = index, rows
        self._note_file(mapped_file(rows))
        self.effective_metric_ = self._effective_metric()
        self.effective_metric_params_ = dict(self.metric_params or {})
        self.n_samples_fit_ = index.n_rows
        self.decisions_ = decisions

    @property
    def plan_(self) -> SearchPlan:
        """The index that is used, why, and what the neighbors of all rows would cost."""
        check_is_fitted(self)
        chosen = self.decisions_.about("index")[0]
        if chosen.choice in (
            "chunks",
            "cluster",
            "gpu_exact",
        ):
            return SearchPlan(chosen.choice, chosen.reason, np.nan, np.nan, 0)
        coded = getattr(self, "_codes", None) is not None  # the metric was made for the codes
        planned = search_plan(
            self._fit_X,
            self._default_k(),
            metric=getattr(self._index, "metric", self._metric) if coded else self._metric,
            p=self.p,
            metric_params=None if coded else self.metric_params,
            algorithm=self.algorithm,
        )
        others = [f"; {one.about} {one.choice}" for one in self.decisions_.about("exact search")]
        return replace(planned, reason=planned.reason + "".join(others))

    def kneighbors(
        self,
        X: object = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
        *,
        where: Where = None,
    ) -> tuple[AnyArray, Rows] | Rows:
        """Return the nearest rows of every query, nearest first.

        Parameters
        ----------
        X : table, optional
            The queries. None means the training rows, each of which is left out of its own
            neighbors by its number. Of rows on a cluster, a Dask collection (and None, where
            the model was fitted on one) gives Dask arrays, computed when they are needed.
        n_neighbors : int, optional
            How many; that of the constructor when None.
        return_distance : bool, default=True
            Whether distances are returned before the row numbers.
        where : mask, row numbers, str, expression or function, optional
            The training rows that may be neighbors; see :func:`allowed_rows` and docs/neighbors.md.
            As many as are asked for are found, exactly with every algorithm.
        """
        check_is_fitted(self)
        k = self._check_k(self._default_k() if n_neighbors is None else n_neighbors, X is None)
        allowed = allowed_rows(where, self)
        if (lazy := lazy_neighbors(self, X, k, allowed)) is not None:
            return lazy if return_distance else lazy[1]
        if X is None and isinstance(self._index, ClusterIndex):
            require_neighbors_fit(self.n_samples_fit_, k)  # the rows stay where they are
            neighbors = joined(list(self._index.query_self(k, allowed)))
            dtype: object = self._index.dtype
        else:
            queries, exclude = self._queries(X)
            dtype = getattr(queries, "dtype", None)
            require_neighbors_fit(queries.shape[0], k)
            neighbors = self._nearest(queries, k, exclude, allowed)
        row: Rows = as_given(X, neighbors.row)
        if not return_distance:
            return row
        distance: AnyArray = neighbors.distance.astype(distance_type(dtype), copy=False)
        return as_given(X, distance), row

    def _nearest(
        self, queries: TableLike, k: int, exclude: Rows | None, allowed: AnyArray | None
    ) -> Neighbors:
        if exclude is not None and allowed is None and isinstance(self._index, KDTreeIndex):
            return self._index.query_self(k, threads=self._threads())  # one walk of the tree
        return self._index.query(
            queries, k, exclude=exclude, where=allowed, threads=self._query_threads()
        )

    def radius_neighbors(
        self,
        X: object = None,
        radius: ArrayLike | None = None,
        return_distance: bool = True,
        sort_results: bool = False,  # they always come sorted
        *,
        where: Where = None,
    ) -> tuple[AnyArray, AnyArray] | AnyArray:
        """Return all rows within `radius` of every query, nearest first, as arrays of arrays.

        Parameters
        ----------
        X : table, optional
            The queries; None means the training rows, each without itself.
        radius : float, optional
            The radius, boundary included; that of the constructor when None.
        return_distance : bool, default=True
            Whether distances are returned before the row numbers.
        sort_results : bool, default=False
            For compatibility with scikit-learn: results are always sorted.
        where : mask, row numbers, str, expression or function, optional
            The training rows that may be neighbors, as for `kneighbors`.
        """
        check_is_fitted(self)
        allowed = allowed_rows(where, self)
        queries, exclude = self._queries(X)
        given: Any = self.radius if radius is None else radius
        neighbors = self._index.query_radius(
            queries, given, where=allowed, exclude=exclude, threads=self._query_threads()
        )
        rows = ragged(neighbors.row, neighbors.start)
        if not return_distance:
            return rows
        dtype = distance_type(getattr(queries, "dtype", None))
        distance: AnyArray = neighbors.distance.astype(dtype, copy=False)
        return ragged(distance, neighbors.start), rows

    @restored_on_failure
    def partial_fit(self, X: object, y: object = None) -> Self:
        """Append rows: afterwards the model finds neighbors as one fitted on all rows."""
        if not hasattr(self, "_index"):
            return self.fit(X)
        rows = to_host(self._matrix(self._encoded_more(self._reopen(self._filled(self._table(X))))))
        stack = sp.vstack if sp.issparse(rows) else np.concatenate
        index = copy(self._index)  # which stays as it is where something fails
        index.add(rows)
        return self._replace_index(index, stack([to_host(self._fit_X), rows]))

    @restored_on_failure
    def remove(self, rows: object) -> Self:
        """Drop training rows by number and close the gaps: as if fitted on the rows left."""
        check_is_fitted(self)
        keep = rows_left(rows, self.n_samples_fit_, some=True)
        index = copy(self._index)
        index.remove(np.flatnonzero(~keep))
        return self._replace_index(index, self._fit_X[np.flatnonzero(keep)])

    def _replace_index(self, index: Index, rows: object) -> Self:
        self._index, self._fit_X, self.n_samples_fit_ = index, rows, index.n_rows
        self._note_file(None)  # both are copies
        self.decisions_ = Decisions(self.decisions_)
        return self

    def _note_file(self, file: MappedFile | None) -> None:
        """Remember which file the rows are mapped from; without one, no attribute is set."""
        self.__dict__.pop("_mapped_file", None)
        if file is not None:
            self._mapped_file = file

    def __getstate__(self) -> dict[str, object]:
        state: dict[str, object] = super().__getstate__()
        state = {name: part for name, part in state.items() if name != "_mapped_file"}
        return {**state, "_fit_X": to_host(state["_fit_X"])} if "_fit_X" in state else state

    def _check_parameters(self) -> None:
        if self.n_neighbors not in self._chosen:
            check_int("n_neighbors", self.n_neighbors, least=1)
        check_int("leaf_size", self.leaf_size, least=1)
        check_choice("split", self.split, SPLITS)
        check_float("approximate", self.approximate, least=0.0, most=1e6)
        check_share(self.recall)
        self._check_missing()
        if isinstance(self.metric, str) and self.metric == "precomputed" and self.metric_params:
            raise ParameterError(
                "metric_params have no effect on precomputed distances. Leave them out."
            )

    def _default_k(self) -> int:
        """Return the number of neighbors where none is given."""
        return self.n_neighbors

    def _queries(self, X: object) -> tuple[Any, Rows | None]:
        """Return the queries, and the rows that are not their neighbors."""
        require_unchanged(self._mapped_file)
        if X is None:
            rows = self._fit_X
            if isinstance(self._index, ChunkedIndex):
                rows = self._matrix(self._index.source)
            return rows, np.arange(self.n_samples_fit_)
        table = self._filled(self._table(X))
        source = self._reopen(table)
        if self._named_metric() == "gower" and _is_frame(self._fit_X):
            return table, None  # of a model file whose rows are a frame
        queries = self._matrix(self._encoded_queries(source))
        if sp.issparse(queries) and isinstance(self._index, KDTreeIndex):
            raise ParameterError(
                f"X is sparse, and the KD-tree of algorithm={self.algorithm!r} searches dense "
                "rows. Give X.toarray(), or fit with algorithm='brute'."
            )
        return queries, None

    def _check_k(self, n_neighbors: object, excluding: bool) -> int:
        k = check_int("n_neighbors", n_neighbors, least=1)
        if k > self.n_samples_fit_ - excluding:
            raise ShapeError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{self.n_samples_fit_}{', of which each leaves itself out' if excluding else ''}. "
                "Choose fewer."
            )
        return k

    def _threads(self) -> int:
        return resolve_threads(self.n_jobs)

    def _query_threads(self) -> int | None:
        return None if isinstance(self._index, ChunkedIndex) else self._threads()

    def _effective_metric(self) -> object:
        if self._metric == "minkowski":
            return {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}.get(self.p, "minkowski")
        return self._metric.name if isinstance(self._metric, Metric) else self._metric

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.missing == "error"
        tags.input_tags.pairwise = self.metric == "precomputed"
        missing = self.missing != "error" or self._metric == "nan_euclidean"
        tags.input_tags.allow_nan = missing
        return tags


def _is_frame(rows: object) -> bool:
    return hasattr(rows, "columns")
