"""Neighbors among rows that are not in memory: each chunk is searched, the results are merged."""

from __future__ import annotations

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.data.predicate import Where
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import EngineError
from lookalike.index.base import Index, Neighbors, Radius
from lookalike.index.exact import ExactIndex
from lookalike.index.join import (
    NearestKeys,
    join_nearest,
    keys_of_part,
    none_searched,
    require_all_searched,
)
from lookalike.index.rescale import (
    LARGEST_SCALED_QUERY,
    compares_squares,
    distance_scale,
    query_too_far,
    require_one_magnitude,
    stretched,
)
from lookalike.index.validate import check_exclude, check_k, check_where
from lookalike.kernels.metrics import Metric
from lookalike.kernels.metrics.base import Embedded
from lookalike.kernels.metrics.rows import MetricRows, SparseRows, largest_size
from lookalike.kernels.native_arrays import RowsLike
from lookalike.kernels.pair_keys import pair_keys
from lookalike.kernels.radius import RadiusResult, rows_among, starts_of
from lookalike.kernels.scan import scan_nearest, scan_within
from lookalike.typing import AnyArray, Array, Rows


class TopK:
    """The `k` nearest rows of every query, as a reduction over chunks of rows.

    Parameters
    ----------
    Q : rows
        The queries, as ``metric.rows`` returned them.
    k : int
        Neighbors of each.
    metric : Metric
        What is near. It must not be measured on the chunk: give covariances and ranges.
    exclude : array of shape (queries,), optional
        The number of a row that is not a neighbor of the query.
    scale : float
        A power of two by which rows and queries are multiplied before they are compared.
    where : array of shape (rows,), optional
        Which rows may be neighbors, True or False for each.
    n_rows : int, optional
        How many rows there are; then it is checked that each was searched once.
    """

    where: AnyArray | None
    n_rows: int | None

    def __init__(
        self,
        Q: MetricRows,
        k: int,
        metric: Metric,
        exclude: Rows | None = None,
        scale: float = 1.0,
        *,
        where: AnyArray | None = None,
        n_rows: int | None = None,
    ) -> None:
        self.Q = Q
        self.where, self.n_rows = where, n_rows
        self.scale = scale
        self.k = k
        self.metric = metric
        self.exclude = exclude

    def init(self, n_features: int) -> NearestKeys:  # noqa: ARG002 - known from the queries
        """Return the state of no rows."""
        return none_searched(self.Q.shape[0])

    def update(self, state: NearestKeys, chunk: Chunk) -> NearestKeys:
        """Search `chunk` and merge its neighbors."""
        start, stop = chunk.offset, chunk.offset + chunk.X.shape[0]
        number = np.arange(start, stop)
        X = chunk.X
        if self.where is not None:
            number = number[self.where[start:stop]]
            X = X[number - start]
        n_queries = self.Q.shape[0]
        nearest = np.empty((n_queries, 0)), np.empty((n_queries, 0), np.int64)
        if len(number):
            rows = self.metric.rows(X)
            if isinstance(rows, np.ndarray) and compares_squares(self.metric):
                require_one_magnitude(rows, self.scale, start)
            key, local = self._search(rows)
            row = number[local]
            if self.exclude is not None:
                key = np.where(row == self.exclude[:, None], np.inf, key)
            nearest = key, row
        return self.merge(state, keys_of_part(*nearest, start, stop))

    def _search(self, rows: MetricRows) -> tuple[Array, Rows]:
        """Return the smallest keys among some rows, and their places."""
        wanted = min(self.k + (self.exclude is not None), rows.shape[0])
        Q, embedded = self.Q, isinstance(self.metric, Embedded)
        if embedded and not isinstance(rows, SparseRows) and not isinstance(Q, SparseRows):
            if self.scale != 1:
                Q, rows = Q * self.scale, rows * self.scale
            local = ExactIndex(rows, threads=1).query(Q, wanted, threads=1).row
            return pair_keys(Q, rows, local, threads=1), local
        return scan_nearest(self.metric, self.Q, rows, wanted, scale=self.scale, threads=1)

    def merge(self, left: NearestKeys, right: NearestKeys) -> NearestKeys:
        """Keep the nearest of both, equal keys by row number."""
        return join_nearest((left, right), self.k)

    def finalize(self, state: NearestKeys) -> Neighbors:
        """Return the distances that the keys stand for."""
        if self.n_rows is not None:
            require_all_searched(state, self.n_rows)
        distance = self.metric.distance(state.key)
        return Neighbors(stretched(distance, 1 / self.scale, self.metric.degree), state.row)


class ChunkedIndex(Index):
    """Rows that stay in their file, stream or cluster; every query goes through all of them.

    Parameters
    ----------
    source : Source
        Rows that can be read again.
    metric : Metric
        What is near.
    engine : Engine
        Where chunks are searched.
    n_rows : int
        How many rows there are.
    largest : float
        The largest magnitude among their values.
    """

    n_rows: int
    n_features: int
    decisions: Decisions
    _number = "one per chunk"  # of indexes

    def __init__(
        self, source: Source, metric: Metric, engine: Engine, n_rows: int, largest: float = 1.0
    ) -> None:
        self.source = source
        self.metric = metric
        self.engine = engine
        self.n_rows, self.n_features = n_rows, source.n_features
        self.decisions = Decisions()
        self.decisions.add("index", self._number, "the rows are not in memory")
        self.scale: float = distance_scale(largest) if metric.degree else 1.0
        if self.scale != 1:
            power = int(np.log2(self.scale))
            self.decisions.add("scale", f"2**{power}", f"the largest value is {largest:.3g}")

    def _query(
        self, Q: RowsLike, k: int, exclude: Rows | None, where: Where, threads: int | None
    ) -> Neighbors:
        self._refuse(threads)
        allowed = check_where(where, self.n_rows)
        k = check_k(k, self.n_rows, excluding=exclude is not None, allowed=allowed)
        queries = self._queries(Q)
        if exclude is not None:
            exclude = check_exclude(exclude, queries.shape[0], self.n_rows)
        return self._nearest_rows(queries, k, exclude, allowed)

    def _nearest_rows(
        self, queries: MetricRows, k: int, exclude: Rows | None, allowed: AnyArray
    ) -> Neighbors:
        """Return the nearest rows of checked queries; `allowed` is empty where all rows are."""
        search = TopK(
            queries,
            k,
            self.metric,
            exclude,
            self.scale,
            where=allowed if len(allowed) else None,
            n_rows=self.n_rows,
        )
        return self.engine.reduce(search, self.source)

    def _query_radius(
        self, Q: RowsLike, radius: Radius, exclude: Rows | None, where: Where, threads: int | None
    ) -> RadiusResult:
        self._refuse(threads)
        queries, allowed = self._queries(Q), check_where(where, self.n_rows)
        n_queries = queries.shape[0]
        reach = np.broadcast_to(np.asarray(radius, np.float64), (n_queries,))
        most = self.metric.limit(stretched(reach, self.scale, self.metric.degree))
        parts = self._within(queries, most)
        query, key, row = (np.concatenate(part) for part in zip(*parts, strict=True))
        if exclude is not None:
            kept = row != np.asarray(exclude)[query]
            query, key, row = query[kept], key[kept], row[kept]
        order = np.lexsort((row, key, query))
        start = starts_of(np.bincount(query, minlength=n_queries))
        return rows_among(RadiusResult(self._distance(key[order]), row[order], start), allowed)

    def _within(self, queries: MetricRows, most: Array) -> list[tuple[Rows, Array, Rows]]:
        """Return query, key and row of all pairs whose key is at most the limit of the query."""
        return list(self.engine.map(_Within(queries, most, self.metric, self.scale), self.source))

    def _distance(self, key: Array) -> Array:
        return stretched(self.metric.distance(key), 1 / self.scale, self.metric.degree)

    def _add(self, X: AnyArray) -> None:
        """Refuse: rows belong to the source."""
        raise EngineError(f"{len(X)} rows cannot be added to rows that stay in their source.")

    def _remove(self, rows: Rows) -> None:
        """Refuse: rows belong to the source."""
        raise EngineError(f"{len(rows)} rows cannot leave a source that is not in memory.")

    def _queries(self, Q: RowsLike) -> MetricRows:
        queries = self.metric.rows(Q, what="Q")
        size = largest_size(queries) * self.scale if self.metric.degree else 0.0
        if size > LARGEST_SCALED_QUERY:
            raise query_too_far(queries, self.scale)
        return queries

    def _refuse(self, threads: int | None) -> None:
        if threads is not None:
            raise EngineError("The engine has its threads already. Give n_jobs to the model.")


class _Within:
    """The rows of a chunk within the limits: (query, key, row) of each."""

    def __init__(self, Q: MetricRows, most: Array, metric: Metric, scale: float) -> None:
        self.Q, self.most, self.metric, self.scale = Q, most, metric, scale

    def __call__(self, chunk: Chunk) -> tuple[Rows, Array, Rows]:
        rows = self.metric.rows(chunk.X)
        key, row, start = scan_within(
            self.metric, self.Q, rows, self.most, scale=self.scale, threads=1
        )
        query = np.repeat(np.arange(self.Q.shape[0]), np.diff(start))
        return query, key, row + chunk.offset
