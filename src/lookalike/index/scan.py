"""The index that arranges nothing: it compares every row, under any dissimilarity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from lookalike.data.predicate import Where
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.index.base import Index, Neighbors, Radius
from lookalike.index.rescale import (
    LARGEST_SCALED_QUERY,
    compares_squares,
    distance_scale,
    query_too_far,
    require_one_magnitude,
    stretched,
)
from lookalike.index.subset import query_few
from lookalike.index.tiny_distances import MIN_SAFE_DISTANCE, require_distances, settle_tiny
from lookalike.index.validate import (
    check_exclude,
    check_features,
    check_k,
    check_where,
    radius_numbers,
    rows_left,
)
from lookalike.kernels.metrics import Metric, metric_from
from lookalike.kernels.metrics.custom import CompiledFunction, Precomputed, PythonFunction
from lookalike.kernels.metrics.minkowski import Euclidean
from lookalike.kernels.metrics.rows import (
    MetricRows,
    SparseRows,
    join_rows,
    keep_rows,
    largest_size,
    sparse_rows,
)
from lookalike.kernels.native_arrays import NativeRows, RowsLike, table_shape
from lookalike.kernels.radius import RadiusResult, rows_among
from lookalike.kernels.scan import scan_keys, scan_nearest, scan_within
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix

_MIN_SQUARABLE = 2.0**-300
_MAX_SQUARABLE = 2.0**480  # between these, squares stay normal numbers


class ScanIndex(Index):
    r"""Exact neighbors by comparing every row: the reference of the other indexes, at native speed.

    Serves every metric. With ``metric="euclidean"`` its result is that of the optimized indexes,
    bit for bit. Rows are borrowed, not copied, where their layout and the metric allow.

    Rows whose largest absolute value is above :math:`2^{480}` or below :math:`2^{-300}`, where
    squares would leave the range of float64, are multiplied by a power of two on the way in.

    Parameters
    ----------
    X : matrix, scipy sparse matrix, or data frame for "gower"
        float32, float64, uint8 and int8 are read as they are.
    metric : str, Metric or function
        See `lookalike.kernels.metrics.metric_from`. "minkowski" takes its p from `metric_params`.
    metric_params : mapping, optional
        Parameters of the metric. What is measured on `X` stays as it is when rows are added.
    threads : int, optional
        Threads of later calls that are given none; None is the setting.

    Examples
    --------
    >>> index = ScanIndex([[0.0, 0.0], [3.0, 4.0]], metric="manhattan")
    >>> index.query([[0.0, 1.0]], k=1).distance
    array([[1.]])
    """

    n_rows: int
    n_features: int
    decisions: Decisions

    def __init__(
        self,
        X: RowsLike,
        *,
        metric: str | Metric | Callable[..., float] = "euclidean",
        metric_params: Mapping[str, object] | None = None,
        threads: int | None = None,
    ) -> None:
        resolve_threads(threads)  # a wrong number is an error here, not at the first query
        self.threads = threads
        self.decisions = Decisions()
        self.n_rows, self.n_features = table_shape(X)
        if self.n_rows == 0 or self.n_features == 0:
            raise ShapeError(
                f"X has {self.n_rows} rows and {self.n_features} columns: it is empty. "
                "Give one of each at least."
            )
        self.metric: Metric = metric_from(metric, metric_params=metric_params, X=X)
        if isinstance(self.metric, Precomputed) and self.n_rows != self.n_features:
            raise ShapeError(
                f"X has {self.n_rows} rows and {self.n_features} columns. "
                "Precomputed distances between the rows form a square."
            )
        self._rows = self.metric.rows(X)
        self._scale = self._choose_scale()
        self._note(X)

    def try_function(self) -> None:
        """Raise where the metric is a function of the user's that does not work."""
        if isinstance(self.metric, PythonFunction) and isinstance(self._rows, np.ndarray):
            self.metric.try_on(np.asarray(self._rows[0], np.float64))

    def _query(
        self, Q: RowsLike, k: int, exclude: Rows | None, where: Where, threads: int | None
    ) -> Neighbors:
        allowed = check_where(where, self.n_rows)
        k = check_k(k, self.n_rows, excluding=exclude is not None, allowed=allowed)
        if len(allowed):
            return self._query_allowed(Q, k, exclude, allowed, threads)
        prepared = self._queries(Q)
        key, row = scan_nearest(
            self.metric,
            prepared,
            self._rows,
            k,
            exclude=check_exclude(exclude, prepared.shape[0], self.n_rows),
            scale=self._scale,
            threads=self._threads(threads),
        )
        nearest = Neighbors(self._distance(key), row)
        if compares_squares(self.metric) and isinstance(prepared, np.ndarray):
            rows_of: Any = lambda: self._rows  # noqa: E731 - looked at where distances are small
            degree = self.metric.degree
            require_distances(nearest, self._scale, lambda: prepared, rows_of, degree=degree)
        if type(self.metric) is not Euclidean or self.metric.w is not None or self._scale != 1.0:
            return nearest
        rows = self._rows
        if not isinstance(rows, np.ndarray) or not isinstance(prepared, np.ndarray):
            return nearest
        queries: AnyArray = prepared
        return settle_tiny(
            nearest,
            lambda: queries,
            lambda: rows,
            np.empty(0, np.int64) if exclude is None else np.asarray(exclude),
            lambda some, self_rows: self.query_radius(
                some,
                MIN_SAFE_DISTANCE,
                exclude=self_rows if len(self_rows) else None,
                threads=threads,
            ),
        )

    def distances(self, Q: RowsLike, *, threads: int | None = None) -> Array:
        """Return the distance of every query to every row."""
        prepared = self._queries(Q)
        key = scan_keys(
            self.metric, prepared, self._rows, scale=self._scale, threads=self._threads(threads)
        )
        distance: Array = self._distance(key)
        return distance

    def _query_allowed(
        self, Q: RowsLike, k: int, exclude: Rows | None, allowed: AnyArray, threads: int | None
    ) -> Neighbors:
        """Return the nearest of the rows that are allowed: these alone are compared."""
        n_queries = table_shape(Q, name="Q")[0]
        excluded = check_exclude(exclude, n_queries, self.n_rows)
        row = np.flatnonzero(allowed)
        few = copy(self)
        few.n_rows = len(row)
        if isinstance(self.metric, Precomputed):  # a query has a distance for every row
            few.n_features = len(row)
            distances: Any = self._rows
            few._rows, Q = distances[np.ix_(row, row)], np.asarray(Q)[:, row]
        else:
            few._rows = keep_rows(self._rows, allowed)
        return query_few(few, row, Q, k, exclude=excluded, threads=self._threads(threads))

    def _query_radius(
        self, Q: RowsLike, radius: Radius, exclude: Rows | None, where: Where, threads: int | None
    ) -> RadiusResult:
        prepared, allowed = self._queries(Q), check_where(where, self.n_rows)
        radius = self._check_radius(radius, prepared)
        key, row, start = scan_within(
            self.metric,
            prepared,
            self._rows,
            self.metric.limit(stretched(radius, self._scale, self.metric.degree)),
            exclude=check_exclude(exclude, prepared.shape[0], self.n_rows),
            scale=self._scale,
            threads=self._threads(threads),
        )
        return rows_among(RadiusResult(self._distance(key), row, start), allowed)

    def _add(self, X: AnyArray) -> None:
        """Append rows; the metric stays the one that was made of the first rows."""
        if isinstance(self.metric, Precomputed):
            raise ParameterError(
                "Rows cannot be added to precomputed distances. Build a new index."
            )
        self._rows = join_rows(self._rows, self._prepare(X, "X"))
        self.n_rows = int(self._rows.shape[0])
        self._scale = self._choose_scale()

    def _remove(self, rows: Rows) -> None:
        """Drop rows by number and close the gaps."""
        if isinstance(self.metric, Precomputed):
            raise ParameterError("Rows cannot leave precomputed distances. Build a new index.")
        self._rows = keep_rows(self._rows, rows_left(rows, self.n_rows))
        self.n_rows = int(self._rows.shape[0])
        self._scale = self._choose_scale()

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        if self._rows.shape[0] != self.n_rows:
            raise ShapeError(
                f"{self._rows.shape[0]} rows are not the {self.n_rows} of the index. Build again."
            )

    def _prepare(self, X: RowsLike, what: str) -> MetricRows:
        columns = table_shape(X, name=what)[1]
        check_features(columns, self.n_features, what)
        if isinstance(self._rows, SparseRows):  # a dense row among sparse ones becomes sparse
            return self.metric.rows(_as_sparse(X, what), what=what)
        if sp.issparse(X):
            raise ParameterTypeError(
                f"{what} is sparse and the index is dense. Give {what}.toarray(), or build the "
                "index of sparse rows."
            )
        return self.metric.rows(X, what=what)

    def _queries(self, Q: RowsLike) -> MetricRows:
        prepared = self._prepare(Q, "Q")
        if prepared.shape[1] != self._rows.shape[1]:  # the metric is not that of the rows
            raise ShapeError(
                f"{self.metric.name} makes {prepared.shape[1]} columns of Q, the index has "
                f"{self._rows.shape[1]}. Build the index again."
            )
        if self.metric.degree:
            if isinstance(Q, NativeRows) and Q.values is prepared:
                size = Q.largest
            else:
                size = largest_size(prepared)
            if size * self._scale > LARGEST_SCALED_QUERY:
                raise query_too_far(prepared, self._scale)
        return prepared

    def _choose_scale(self) -> float:
        size = largest_size(self._rows) if self.metric.degree else 1.0
        scale = distance_scale(size, (_MIN_SQUARABLE, _MAX_SQUARABLE))
        if scale != 1:
            self._require_one_magnitude(scale)
            power = int(np.log2(scale))
            self.decisions.add("scale", f"2**{power}", f"the largest value of the rows is {size:g}")
        return scale

    def _require_one_magnitude(self, scale: float) -> None:
        rows = self._rows.value[:, None] if isinstance(self._rows, SparseRows) else self._rows
        if compares_squares(self.metric) and isinstance(rows, np.ndarray):
            require_one_magnitude(rows, scale)

    def _distance(self, key: AnyArray) -> AnyArray:
        return stretched(self.metric.distance(key), 1 / self._scale, self.metric.degree)

    def _check_radius(self, radius: ArrayLike, Q: MetricRows) -> AnyArray:
        given = radius_numbers(radius).astype(np.float64)
        if given.shape not in ((), (Q.shape[0],)):
            raise ShapeError(f"radius has shape {given.shape}. Give one, or one for each query.")
        if np.isnan(given).any():
            raise ParameterError("radius is NaN. Give a number, or numpy.inf for all rows.")
        return np.ascontiguousarray(np.broadcast_to(given, (Q.shape[0],)))

    def _threads(self, threads: int | None) -> int:
        return resolve_threads(self.threads if threads is None else threads)

    def _note(self, X: RowsLike) -> None:
        if isinstance(self.metric, PythonFunction):
            self.decisions.add(
                "metric",
                "a Python function, called once for every query and row",
                "slow: a compiled function (numba cfunc, ctypes, LowLevelCallable) runs natively",
            )
        elif isinstance(self.metric, CompiledFunction):
            self.decisions.add(
                "metric", "a compiled function", "called from several threads at once"
            )
        if isinstance(self._rows, SparseRows):
            self.decisions.add("rows", "a sparse float64 copy", "columns rising and once each")
        elif not np.may_share_memory(self._rows, X.values if isinstance(X, NativeRows) else X):
            kind = f"a {self._rows.dtype} copy"
            self.decisions.add("rows", kind, f"what {self.metric.name} compares")


def _as_sparse(X: RowsLike, what: str) -> Matrix:
    if sp.issparse(X):
        return X
    rows = sparse_rows(X, what=what)
    return sp.csr_array((rows.value, rows.column, rows.start), shape=rows.shape)
