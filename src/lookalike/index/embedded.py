"""The exact index for every dissimilarity that is a Euclidean distance in disguise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lookalike.data.predicate import Where
from lookalike.decisions import Decisions
from lookalike.index.base import Neighbors, Radius, RowsIndex
from lookalike.index.exact import ExactIndex
from lookalike.index.validate import check_radius
from lookalike.kernels.metrics import Metric
from lookalike.kernels.metrics.base import Embedded
from lookalike.kernels.metrics.minkowski import Euclidean
from lookalike.kernels.native_arrays import NativeRows, RowsLike, native_rows
from lookalike.kernels.pair_keys import pair_keys
from lookalike.kernels.radius import RadiusResult, starts_of
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows, is_tensor, to_host

if TYPE_CHECKING:
    from lookalike.index.gpu_exact import GPUExactIndex


class EmbeddedIndex(RowsIndex):
    """Exact neighbors under a metric that embeds rows, such as cosine or Mahalanobis.

    Rows and queries are embedded, an `ExactIndex` finds the nearest, and their keys are turned
    into distances of the metric.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        The rows, not yet embedded.
    metric : Metric
        One that has an `embed`.
    threads : int, optional
        Threads used to build; None means the setting.
    on_gpu : bool, default=False
        Whether a `GPUExactIndex` finds the Euclidean neighbors of embedded rows.

    Examples
    --------
    >>> from lookalike.kernels.metrics import metric_from
    >>> index = EmbeddedIndex(np.array([[1.0, 0.0], [0.0, 2.0]]), metric_from("cosine"))
    >>> index.query(np.array([[0.0, 9.0]]), k=2)
    Neighbors(distance=array([[0., 1.]]), row=array([[1, 0]]))
    """

    def __init__(
        self,
        X: AnyArray | NativeRows,
        metric: Metric,
        *,
        threads: int | None = None,
        on_gpu: bool = False,
    ) -> None:
        assert isinstance(metric, Embedded), f"{metric} embeds no rows"
        self.metric = metric
        self._plain = type(metric) is Euclidean  # whose distances the index returns itself
        self._index = _exact_index(self._embed(X, "X"), threads, on_gpu=on_gpu)
        self._rows = self._index.rows

    @property
    def decisions(self) -> Decisions:
        """What was decided on the user's behalf."""
        return self._index.decisions

    @property
    def nbytes(self) -> int:
        """Bytes in addition to the rows given: codes, and embedded rows where they differ."""
        return self._index.nbytes + (0 if self._plain else self._rows.nbytes)

    def build(self, *, threads: int | None = None) -> Self:
        """Build the codes of the embedded rows now."""
        self._index.build(threads=threads)
        return self

    def _query(
        self, Q: RowsLike, k: int, exclude: Rows | None, where: Where, threads: int | None
    ) -> Neighbors:
        queries = self._embed(Q, "Q")
        neighbors: Any = self._index._query(queries, k, exclude, where, threads)
        if self._plain:
            if isinstance(neighbors.distance, np.ndarray):
                return Neighbors(neighbors.distance, neighbors.row)
            return Neighbors(to_host(neighbors.distance), to_host(neighbors.row))
        keys = pair_keys(queries, self._rows, neighbors.row, threads=resolve_threads(threads))
        return Neighbors(self.metric.distance(keys), neighbors.row)

    def _query_radius(
        self, Q: RowsLike, radius: Radius, exclude: Rows | None, where: Where, threads: int | None
    ) -> RadiusResult:
        queries = self._embed(Q, "Q")
        if self._plain:
            return self._index._query_radius(queries, radius, exclude, where, threads)
        limit = self.metric.limit(check_radius(radius, len(queries)))
        around = np.nextafter(np.sqrt(limit), np.inf)  # a little wide, then cut by the key
        wider = self._index._query_radius(queries, around, exclude, where, threads)
        query = np.repeat(np.arange(len(queries)), np.diff(wider.start))
        keys = pair_keys(queries[query], self._rows, wider.row[:, None])[:, 0]
        within = keys <= limit[query]
        start = starts_of(np.bincount(query[within], minlength=len(queries)))
        distance: Array = self.metric.distance(keys[within])
        return RadiusResult(distance, wider.row[within], start)

    def _embed(self, X: RowsLike, name: str) -> Any:
        """Return rows whose Euclidean neighbors are those of the metric; plain rows stay."""
        if self._plain and self.metric.w is None:
            if isinstance(X, NativeRows):
                return X
            return X if is_tensor(X) else native_rows(X, name)
        return self.metric.embed(X, what=name)

    def _add(self, X: AnyArray) -> None:
        """Append rows; the metric stays the one that was made of the first rows."""
        self._index = self._index.with_rows(self._embed(X, "X"))
        self._rows = self._index.rows

    def _remove(self, rows: Rows) -> None:
        """Drop rows and close the gaps."""
        self._index = self._index.without_rows(rows)
        self._rows = self._index.rows


def _exact_index(
    X: AnyArray | NativeRows, threads: int | None, *, on_gpu: bool
) -> ExactIndex | GPUExactIndex:
    if not on_gpu:
        return ExactIndex(X, threads=threads)
    from lookalike.index.gpu_exact import GPUExactIndex

    return GPUExactIndex(X)
