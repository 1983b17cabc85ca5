"""Trees as scikit-learn offers them: one array arranged for search, without an estimator."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from lookalike.errors import ParameterError, ShapeError
from lookalike.index.scan import ScanIndex
from lookalike.index.validate import check_radius, index_rows, radius_numbers
from lookalike.kernels.metrics import METRIC_ALIASES
from lookalike.kernels.native_arrays import native_rows
from lookalike.models.neighbors.distance_kernels import DISTANCE_KERNELS
from lookalike.models.neighbors.graphs import ragged
from lookalike.models.neighbors.search_options import SearchOptions
from lookalike.models.neighbors.search_space import SearchSpace
from lookalike.models.neighbors.valid_metrics import BALL_TREE_METRICS, KD_TREE_METRICS
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_float, check_int, typed

PAIRS_IN_MEMORY = 2**22  # distances in memory at once


class RowsTree:
    """An array of rows, searched exactly by the index that is fastest for the metric.

    Subclasses say which metrics they take.
    """

    valid_metrics: ClassVar[list[str]]
    leaf_size: int
    metric: object

    def __init__(
        self, X: object, leaf_size: int = 40, metric: object = "minkowski", **metric_params: Any
    ) -> None:
        check_int("leaf_size", leaf_size, least=1)
        self._require_valid(metric)
        p = metric_params.pop("p", 2) if _is_minkowski(metric) else 2
        self.leaf_size, self.metric = leaf_size, metric
        rows = index_rows(X).values  # type: ignore[arg-type]  # whatever was given
        options = SearchOptions(
            metric=metric, p=p, metric_params=metric_params or None, leaf_size=leaf_size
        )
        options.check()
        self.space_: SearchSpace = SearchSpace.fit(rows.copy(), options)
        if isinstance(self.space_.index, ScanIndex):
            self.space_.index.try_function()

    @property
    def data(self) -> AnyArray:
        """The rows."""
        rows: AnyArray = self.space_.training_rows()
        return rows

    @typed
    def query(  # noqa: PLR0917 - in the order of scikit-learn
        self,
        X: object,
        k: int = 1,
        return_distance: bool = True,
        dualtree: bool = False,
        breadth_first: bool = False,
        sort_results: bool = True,
    ) -> tuple[Array, Rows] | Rows:
        """Return the `k` nearest rows of every query, nearest first, equal distances by number.

        Parameters
        ----------
        X : array of shape (..., n_features)
            The queries.
        k : int, default=1
            How many.
        return_distance : bool, default=True
            Whether distances are returned before the row numbers.
        dualtree, breadth_first, sort_results : bool
            For scikit-learn's signature: the result is the same, and sorted.
        """
        queries, shape = self._queries(X)
        if check_int("k", k, least=1) > self.space_.n_rows:
            raise ShapeError(
                f"k must be less than or equal to the number of training points: k={k}, and there "
                f"are {self.space_.n_rows}. Choose fewer."
            )
        near = self.space_.nearest(queries, k)
        row = near.row.reshape(*shape, k)
        return (near.distance.reshape(*shape, k), row) if return_distance else row

    @typed
    def query_radius(
        self,
        X: object,
        r: object,
        return_distance: bool = False,
        count_only: bool = False,
        sort_results: bool = False,  # they always come sorted
    ) -> object:
        """Return all rows within a radius of every query, nearest first, the boundary included.

        Parameters
        ----------
        X : array of shape (..., n_features)
            The queries.
        r : float or array of shape (...)
            The radius, one for all queries or one for each.
        return_distance : bool, default=False
            Whether distances are returned after the row numbers.
        count_only : bool, default=False
            Whether the number of rows is returned in place of them.
        sort_results : bool, default=False
            For scikit-learn's signature: results are always sorted. Needs `return_distance`.
        """
        queries, shape = self._queries(X)
        if count_only and return_distance:
            raise ParameterError(
                "count_only and return_distance cannot both be true. Leave one of them out."
            )
        if sort_results and not return_distance:
            raise ParameterError(
                "return_distance must be True if sort_results is True. Results are sorted in any "
                "case: leave sort_results out."
            )
        radius = self._radii(r, shape)
        near = self.space_.within(queries, radius)
        if count_only:
            return np.diff(near.start).astype(np.intp).reshape(shape)
        rows = ragged(near.row, near.start).reshape(shape)
        return (rows, ragged(near.distance, near.start).reshape(shape)) if return_distance else rows

    @typed
    def two_point_correlation(self, X: object, r: object, dualtree: bool = False) -> Rows:
        """Return for every radius of `r` how many pairs of a query and a row are that near.

        Parameters
        ----------
        X : array of shape (n_queries, n_features)
            The queries.
        r : array
            The radii, the boundary included.
        dualtree : bool
            For scikit-learn's signature.
        """
        numbers = np.ravel(radius_numbers(r))
        radius = check_radius(numbers, len(numbers))
        queries, _ = self._queries(X)
        count = np.zeros(radius.shape, np.int64)
        for distance in self._distances(queries, float(radius.max(initial=0.0))):
            count += np.searchsorted(np.sort(np.concatenate(distance)), radius, side="right")
        return count

    @typed
    def kernel_density(  # noqa: PLR0917 - in the order of scikit-learn
        self,
        X: object,
        h: float,
        kernel: str = "gaussian",
        atol: float = 0,
        rtol: float = 1e-8,
        breadth_first: bool = True,
        return_log: bool = False,
    ) -> Array:
        """Return the sum of the kernels of all rows at every query, each of integral one.

        Parameters
        ----------
        X : array of shape (..., n_features)
            The queries.
        h : float
            The bandwidth.
        kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}
            The kernel, of the distance by the metric of the tree.
        atol, rtol : float
            The error that is allowed. The sums are those of float64, whatever is allowed.
        breadth_first : bool
            For scikit-learn's signature.
        return_log : bool, default=False
            Whether logarithms are returned, finite also where the sum underflows.
        """
        check_choice("kernel", kernel, tuple(DISTANCE_KERNELS))
        h = check_float("h", h, least=np.nextafter(0, 1))
        check_float("atol", atol, least=0.0)
        check_float("rtol", rtol, least=0.0)
        queries, shape = self._queries(X)
        chosen, columns = DISTANCE_KERNELS[kernel], int(queries.shape[1])
        everywhere = return_log and not chosen.compact
        reach = np.inf if everywhere else min(h * chosen.reach, np.finfo(np.float64).max)
        sums = [
            _log_sum(chosen.log_value(distance / h))
            for part in self._distances(queries, reach)
            for distance in part
        ]
        log_density = np.array(sums).reshape(shape)
        log_density -= chosen.log_norm(columns) + columns * np.log(h)
        return log_density if return_log else np.exp(log_density)

    def _distances(self, queries: AnyArray, radius: float) -> Iterator[list[Array]]:
        """Give the distances up to a radius of each query, sorted, for some queries at a time."""
        size = max(1, PAIRS_IN_MEMORY // self.space_.n_rows)
        reach = min(radius, np.finfo(np.float64).max)
        for begin in range(0, len(queries), size):
            near = self.space_.within(queries[begin : begin + size], reach)
            yield [near.distance[start:stop] for start, stop in pairwise(near.start)]

    def _queries(self, X: object) -> tuple[AnyArray, tuple[int, ...]]:
        """Return the queries as rows, and the shape of the answers."""
        given: Any = X if hasattr(X, "shape") and not sp.issparse(X) else _as_array(X)
        shape, columns = tuple(given.shape), self.space_.rows.shape[1]
        if not shape or shape[-1] != columns:
            raise ShapeError(
                f"query data dimension must match training data dimension: X has shape {shape}, "
                f"and the rows have {columns} columns. Give as many."
            )
        rows = given if len(shape) == 2 else np.asanyarray(given).reshape(-1, columns)
        return self.space_.queries(native_rows(rows).values), shape[:-1]

    def _radii(self, r: object, shape: tuple[int, ...]) -> Array:
        """Return the radius of every query, in the order of the rows."""
        given = radius_numbers(r)
        try:
            return np.broadcast_to(given, shape).ravel()
        except ValueError:
            raise ShapeError(
                f"r has shape {given.shape}, and X has queries of shape {shape}. Give one radius, "
                "or one for each query."
            ) from None

    def _require_valid(self, metric: object) -> None:
        if isinstance(metric, str) and metric.lower() not in self.valid_metrics:
            raise ParameterError(
                f"metric {metric} is not valid for {type(self).__name__}. Give one of "
                f"{self.valid_metrics}."
            )

    def __len__(self) -> int:
        return self.space_.n_rows


class KDTree(RowsTree):
    """Rows arranged for exact search in any Minkowski distance.

    Replaces scikit-learn's class of this name: the same methods and results, whichever index is
    fastest; equal distances go to the smaller row number, and results within a radius are sorted.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        The rows, which are copied.
    leaf_size : int, default=40
        Rows in a leaf, where a KD-tree is used. Never changes a result.
    metric : str, default="minkowski"
        One of `valid_metrics`.
    **metric_params
        Parameters of the metric: ``p`` of "minkowski".

    Examples
    --------
    >>> from lookalike.neighbors import KDTree
    >>> tree = KDTree([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> tree.query([[0.0, 1.0]], k=2, return_distance=False)
    array([[0, 1]])
    >>> tree.query_radius([[0.0, 0.0]], r=5.0, count_only=True)
    array([2])
    """

    valid_metrics = KD_TREE_METRICS


class BallTree(RowsTree):
    """Rows arranged for exact search in any metric.

    Replaces scikit-learn's class of this name: the same methods and results, whichever index is
    fastest; equal distances go to the smaller row number, and results within a radius are sorted.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        The rows, which are copied.
    leaf_size : int, default=40
        Rows in a leaf, where a KD-tree is used. Never changes a result.
    metric : str, function or DistanceMetric, default="minkowski"
        One of `valid_metrics`, or a function of two rows.
    **metric_params
        Parameters of the metric, such as ``p`` of "minkowski" or ``V`` of "seuclidean".

    Examples
    --------
    >>> from math import radians
    >>> from lookalike.neighbors import BallTree
    >>> cities = [[radians(52.5), radians(13.4)], [radians(48.9), radians(2.4)]]
    >>> angle, _ = BallTree(cities, metric="haversine").query(cities, k=2)
    >>> print(round(6371 * angle[0, 1]), "km")
    871 km
    """

    valid_metrics = BALL_TREE_METRICS


def _is_minkowski(metric: object) -> bool:
    return (
        isinstance(metric, str)
        and METRIC_ALIASES.get(metric.lower(), metric.lower()) == "minkowski"
    )


def _as_array(X: Any) -> AnyArray:
    """Return nested lists as an array of as many dimensions, or raise as rows would."""
    try:
        return native_rows(X).values if sp.issparse(X) else np.asarray(X)
    except ValueError:
        return native_rows(X).values


def _log_sum(log_value: Array) -> float:
    """Return the logarithm of the sum of exponentials, that of the nearest row taken out."""
    if not len(log_value) or log_value[0] == -np.inf:
        return -np.inf
    return float(log_value[0] + np.log(np.exp(log_value - log_value[0]).sum()))
