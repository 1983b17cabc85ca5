"""Base of the models that search: they have a space of training rows, and ask it for neighbors."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import scipy.sparse as sp
from numpy.typing import ArrayLike

from lookalike.data.predicate import Where
from lookalike.data.source import Source, open_source
from lookalike.data.sources.tensors import as_given
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.base import Neighbors
from lookalike.index.cluster import ClusterIndex, join_neighbors
from lookalike.index.kdtree import KDTreeIndex
from lookalike.index.plan import require_neighbors_fit
from lookalike.models.estimator import Model, check_is_fitted
from lookalike.models.neighbors.cluster_search import distance_type, lazy_neighbors
from lookalike.models.neighbors.graphs import neighbors_graph, radius_graph, ragged
from lookalike.models.neighbors.search_options import SearchOptions
from lookalike.models.neighbors.search_space import SearchSpace, fit_rows
from lookalike.models.preprocessing.imputer import SimpleImputer
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_int

if TYPE_CHECKING:
    from sklearn.utils import Tags


class NeighborsModel(Model):
    """Training rows in a :class:`SearchSpace`, and the neighbors of queries among them.

    Subclasses have some of the parameters of :class:`SearchOptions`; the others are as here.
    """

    metric: Any = "euclidean"
    p: float | None = 2.0
    metric_params: Mapping[str, object] | None = None
    missing: str
    algorithm: str
    leaf_size: int
    split: str = "variance"
    approximate: float = 0.0
    recall: float = 0.95
    radius: Any = 1.0  # of radius_neighbors, where the model itself uses K neighbors
    n_neighbors: Any = 5  # of kneighbors, where the model itself uses a radius
    space_: SearchSpace
    decisions_: Decisions
    n_samples_fit_: int

    _reads_tensors: ClassVar[bool] = False  # whether rows and queries may stay on a GPU
    _chosen: ClassVar[tuple[str, ...]] = ()  # ways to choose n_neighbors, where it is chosen

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
        space = self.space_
        allowed = None if where is None else space.allowed(where)
        if space.on_cluster and (lazy := lazy_neighbors(self, X, k, allowed)) is not None:
            return lazy if return_distance else lazy[1]
        neighbors, dtype = self._nearest(X, k, allowed)
        row: Rows = as_given(X, neighbors.row)
        if not return_distance:
            return row
        distance: AnyArray = neighbors.distance.astype(distance_type(dtype), copy=False)
        return as_given(X, distance), row

    def _nearest(self, X: object, k: int, allowed: AnyArray | None) -> tuple[Neighbors, object]:
        """Return the neighbors of queries, and the type of these."""
        if X is not None:
            space, queries = self.space_.checked_queries(X, self._check_columns)
            require_neighbors_fit(queries.shape[0], k)
            near = space.nearest(queries, k, where=allowed, n_jobs=self.n_jobs)
            return near, getattr(queries, "dtype", None)
        space = self.space_
        require_neighbors_fit(space.n_rows, k)
        if isinstance(space.index, ClusterIndex):  # the rows stay where they are
            return join_neighbors(list(space.index.query_self(k, allowed))), space.index.dtype
        return space.nearest_of_training(k, where=allowed, n_jobs=self.n_jobs), space.dtype

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
        if sort_results and not return_distance:
            raise ParameterError(
                "return_distance must be True if sort_results is True. Results are sorted in any "
                "case: leave sort_results out."
            )
        allowed = self.space_.allowed(where)
        space, queries = self.space_.checked_queries(X, self._check_columns)
        reach: Any = self.radius if radius is None else radius
        if reach is None:
            raise ParameterError(
                "radius is None in the constructor and in the call. Give it in one of them."
            )
        near = space.within(
            queries,
            reach,
            where=allowed,
            exclude=space.own_rows(X),
            n_jobs=self.n_jobs,
        )
        rows = ragged(near.row, near.start)
        if not return_distance:
            return rows
        dtype = distance_type(getattr(queries, "dtype", None))
        return ragged(near.distance.astype(dtype, copy=False), near.start), rows

    def kneighbors_graph(
        self, X: object = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> sp.csr_matrix:
        """Return the neighbors as a sparse matrix of ones, or of distances."""
        return neighbors_graph(self, X, n_neighbors, mode)

    def radius_neighbors_graph(
        self,
        X: object = None,
        radius: ArrayLike | None = None,
        mode: str = "connectivity",
        sort_results: bool = False,
    ) -> sp.csr_matrix:
        """Return all rows within `radius` as a sparse matrix of ones, or of distances."""
        return radius_graph(self, X, radius, mode, sort_results=sort_results)

    def search_options(self) -> SearchOptions:
        """Return the options of the search that the parameters make."""
        names = [field.name for field in fields(SearchOptions) if field.name != "reads_tensors"]
        given = {name: getattr(self, name) for name in names}
        return SearchOptions(**given, reads_tensors=self._reads_tensors)

    @property
    def _fit_X(self) -> object:  # noqa: N802 - the name that scikit-learn reads
        """The training rows, where scikit-learn's manifold learners look for them."""
        check_is_fitted(self)
        return self.space_.training_rows()

    @property
    def _fit_method(self) -> str:
        """What finds the neighbors, in scikit-learn's words."""
        check_is_fitted(self)
        return "kd_tree" if isinstance(self.space_.index, KDTreeIndex) else "brute"

    def _fit_rows(self, X: object) -> Self:
        """Arrange the rows of a table for search."""
        self._check_parameters()
        self._arrange(*fit_rows(X, self.search_options()))
        return self

    def _arrange(
        self, rows: object, imputer: SimpleImputer | None, weight: Array | None = None
    ) -> None:
        """Arrange training rows for search."""
        options, decisions = self.search_options(), Decisions()
        options.warn_of_two_powers()
        source = open_source(rows)
        self._note_columns(rows, source, reset=True)
        space = SearchSpace.fit(
            source, options, weight=weight, imputer=imputer, decisions=decisions
        )
        if options.is_semimetric():
            warnings.warn(
                "Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing "
                "the execution with `algorithm='brute'`.",
                UserWarning,
                stacklevel=6,
            )
        self._hold_space(space)
        self.effective_metric_: object = options.effective_metric(space.codes)
        self.effective_metric_params_: dict[str, object] = dict(self.metric_params or {})
        self.decisions_ = decisions

    def _hold_space(self, space: SearchSpace) -> None:
        self.space_, self.n_samples_fit_ = space, space.n_rows

    def _check_columns(self, table: object, source: Source) -> None:
        self._note_columns(table, source, reset=False)

    def _queries(self, X: object) -> tuple[Any, Rows | None]:
        """Return the queries, and the rows that are not their neighbors."""
        return self.space_.queries(X, self._check_columns), self.space_.own_rows(X)

    def _check_parameters(self) -> None:
        if self.n_neighbors not in (None, *self._chosen):
            check_int("n_neighbors", self.n_neighbors, least=1)
        self.search_options().check()

    def _default_k(self) -> int:
        """Return the number of neighbors where none is given."""
        if self.n_neighbors is None:
            raise ParameterError(
                "n_neighbors is None in the constructor and in the call. Give it in one of them."
            )
        return int(self.n_neighbors)

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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.missing != "present"
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.allow_nan = self.missing != "error" or self.metric == "nan_euclidean"
        return tags
