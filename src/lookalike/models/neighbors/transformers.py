"""Rows as the graph of their neighbors, for the estimators that take precomputed distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import scipy.sparse as sp

from lookalike.models.estimator import check_is_fitted, with_callbacks
from lookalike.models.neighbors.neighbors_model import NeighborsModel
from lookalike.models.neighbors.radius import Absent
from lookalike.models.sklearn_bases import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from lookalike.validation import check_int


class GraphTransformer(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    NeighborsModel,
):
    """Base of the transformers: a column for every training row."""

    mode: str
    missing = "error"
    engine = "auto"

    def __init__(
        self,
        *,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: object = "minkowski",
        p: float | None = 2,
        metric_params: Mapping[str, object] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Index the rows of `X`, any table, for search; `y` is ignored."""
        return self._fit_rows(X)

    def fit_transform(self, X: object, y: object = None) -> sp.csr_matrix:
        """Return the graph of the rows of `X`, each the first neighbor of itself."""
        return self.fit(X, y).transform(X)

    def transform(self, X: object) -> sp.csr_matrix:
        """Return the neighbors of the rows of `X` among those of fit, as a sparse matrix."""
        raise NotImplementedError

    @property
    def _n_features_out(self) -> int:
        return self.n_samples_fit_


class KNeighborsTransformer(GraphTransformer):
    """The graph of the K nearest rows, exact, for estimators with ``metric="precomputed"``.

    Replaces scikit-learn's class of this name; equal distances go to the smaller row number.

    Parameters
    ----------
    mode : {"distance", "connectivity"}, default="distance"
        What the matrix holds: distances, of one neighbor more than asked for, so that every row
        is its own first one; or ones.
    n_neighbors : int, default=5
        Neighbors of each row.
    algorithm, leaf_size, metric, p, metric_params, n_jobs
        As in :class:`lookalike.NearestNeighbors`.

    Attributes
    ----------
    n_samples_fit_ : int
        Training rows: the columns of the graph.
    effective_metric_, effective_metric_params_, space_, decisions_
        As in :class:`lookalike.NearestNeighbors`.

    Examples
    --------
    >>> from lookalike.neighbors import KNeighborsTransformer
    >>> graph = KNeighborsTransformer(n_neighbors=1).fit_transform([[0.0], [1.0], [3.0]])
    >>> graph.toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    """

    def __init__(
        self,
        *,
        mode: str = "distance",
        n_neighbors: int | None = 5,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: object = "minkowski",
        p: float | None = 2,
        metric_params: Mapping[str, object] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            algorithm=algorithm, leaf_size=leaf_size, metric=metric, p=p,
            metric_params=metric_params, n_jobs=n_jobs,
        )  # fmt: skip
        self.mode = mode
        self.n_neighbors = n_neighbors

    def transform(self, X: object) -> sp.csr_matrix:
        """Return the neighbors of the rows of `X` among those of fit, as a sparse matrix.

        Parameters
        ----------
        X : table
            The queries, with the columns of fit.
        """
        check_is_fitted(self)
        more = check_int("n_neighbors", self.n_neighbors, least=1) + (self.mode == "distance")
        return self.kneighbors_graph(X, n_neighbors=more, mode=self.mode)


class RadiusNeighborsTransformer(GraphTransformer):
    """The graph of all rows within a radius, for estimators with ``metric="precomputed"``.

    Replaces scikit-learn's class of this name.

    Parameters
    ----------
    mode : {"distance", "connectivity"}, default="distance"
        What the matrix holds: distances or ones.
    radius : float, default=1.0
        Rows up to this distance are neighbors, the boundary included.
    algorithm, leaf_size, metric, p, metric_params, n_jobs
        As in :class:`lookalike.NearestNeighbors`.

    Attributes
    ----------
    n_samples_fit_ : int
        Training rows: the columns of the graph.
    effective_metric_, effective_metric_params_, space_, decisions_
        As in :class:`lookalike.NearestNeighbors`.

    Examples
    --------
    >>> from lookalike.neighbors import RadiusNeighborsTransformer
    >>> graph = RadiusNeighborsTransformer(radius=2.0).fit_transform([[0.0], [1.0], [3.0]])
    >>> graph.toarray()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """

    kneighbors = kneighbors_graph = Absent()

    def __init__(
        self,
        *,
        mode: str = "distance",
        radius: float | None = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: object = "minkowski",
        p: float | None = 2,
        metric_params: Mapping[str, object] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            algorithm=algorithm, leaf_size=leaf_size, metric=metric, p=p,
            metric_params=metric_params, n_jobs=n_jobs,
        )  # fmt: skip
        self.mode = mode
        self.radius = radius

    def transform(self, X: object) -> sp.csr_matrix:
        """Return the rows of fit within the radius of the rows of `X`, as a sparse matrix.

        Parameters
        ----------
        X : table
            The queries, with the columns of fit.
        """
        check_is_fitted(self)
        return self.radius_neighbors_graph(X, mode=self.mode, sort_results=True)
