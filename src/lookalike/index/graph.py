"""Neighbors that are known already: sparse distances; what is not stored is not a neighbor."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lookalike.data.predicate import Where
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.base import Neighbors, Radius, RowsIndex
from lookalike.index.validate import check_exclude, check_k, check_radius, check_where
from lookalike.kernels.metrics.custom import Precomputed
from lookalike.kernels.radius import RadiusResult, starts_of
from lookalike.typing import AnyArray, Rows


class GraphIndex(RowsIndex):
    """The distances between rows as a sparse square matrix; queries are rows of such distances.

    A stored zero is a distance. Of equal distances the smaller row number comes first.

    Parameters
    ----------
    X : sparse matrix of shape (n_rows, n_rows)
        Distances >= 0.

    Examples
    --------
    >>> graph = sp.csr_array([[0.0, 1.0, 3.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    >>> GraphIndex(graph).query(graph[[0]], k=2)
    Neighbors(distance=array([[1., 3.]]), row=array([[1, 2]]))
    """

    decisions: Decisions

    def __init__(self, X: Any) -> None:
        if X.shape[0] != X.shape[1]:
            raise ShapeError(
                f"Precomputed matrix must be square. Input is a {X.shape[0]}x{X.shape[1]} matrix. "
                "Give the distances between all rows."
            )
        self.decisions = Decisions()
        self.metric: Precomputed = Precomputed()
        self._rows = _as_graph(X, X.shape[0], "X")

    def stored(self, Q: object, exclude: Rows | None) -> int:
        """Return how many neighbors the query with the fewest has."""
        graph = self._candidates(Q, exclude, np.empty(0, bool))
        return int(np.diff(graph[2]).min(initial=self.n_rows))

    def _query(
        self,
        Q: object,
        k: int,
        exclude: Rows | None,
        where: Where,
        threads: int | None,  # noqa: ARG002
    ) -> Neighbors:
        allowed = check_where(where, self.n_rows)
        k = check_k(k, self.n_rows, excluding=exclude is not None, allowed=allowed)
        distance, row, start = self._candidates(Q, exclude, allowed)
        fewest = int(np.diff(start).min(initial=self.n_rows))
        if fewest < k:
            raise ParameterError(
                f"{k} neighbors are required per samples, but some samples have only {fewest} "
                "neighbors in precomputed graph matrix. Decrease number of neighbors used or "
                "recompute the graph with more neighbors."
            )
        first = start[:-1, None] + np.arange(k)
        return Neighbors(distance[first], row[first])

    def _query_radius(
        self,
        Q: object,
        radius: Radius,
        exclude: Rows | None,
        where: Where,
        threads: int | None,  # noqa: ARG002
    ) -> RadiusResult:
        distance, row, start = self._candidates(Q, exclude, check_where(where, self.n_rows))
        reach = np.repeat(check_radius(radius, len(start) - 1), np.diff(start))
        return _keep(RadiusResult(distance, row, start), distance <= reach)

    def _candidates(self, Q: object, exclude: Rows | None, allowed: AnyArray) -> RadiusResult:
        """Return the rows that may be neighbors of each query, nearest first."""
        graph = _as_graph(Q, self.n_rows, "Q")
        query = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
        order = np.lexsort((graph.indices, graph.data, query))
        row = graph.indices[order].astype(np.int64)
        near = RadiusResult(graph.data[order], row, graph.indptr.astype(np.int64))
        self_rows = check_exclude(exclude, graph.shape[0], self.n_rows)
        kept = row != self_rows[query] if len(self_rows) else np.ones(len(row), bool)
        if len(allowed):
            kept &= allowed[row]
        return near if kept.all() else _keep(near, kept)


def _keep(near: RadiusResult, kept: AnyArray) -> RadiusResult:
    return RadiusResult(near.distance[kept], near.row[kept], starts_of(kept)[near.start])


def _all_stored(X: AnyArray) -> Any:
    """Return dense distances as a CSR matrix that stores every one of them, zeros too."""
    rows, columns = X.shape
    column = np.tile(np.arange(columns), rows)
    start = np.arange(0, X.size + 1, columns)
    return sp.csr_array((np.asarray(X, np.float64).ravel(), column, start), shape=X.shape)


def _as_graph(X: Any, n_columns: int, what: str) -> Any:
    """Return distances as a CSR matrix of float64, columns rising, or raise."""
    graph = sp.csr_array(X, dtype=np.float64) if sp.issparse(X) else _all_stored(X)
    if graph.shape[1] != n_columns:
        raise ShapeError(
            f"{what} has {graph.shape[1]} columns of distances, and there are {n_columns} rows. "
            "Give one for each."
        )
    if not graph.has_canonical_format:
        graph = graph.copy()
        graph.sum_duplicates()
    bad = np.flatnonzero(~(np.isfinite(graph.data) & (graph.data >= 0)))
    if len(bad):
        row = int(np.searchsorted(graph.indptr, bad[0], side="right")) - 1
        kind = "Negative values" if graph.data[bad[0]] < 0 else "Values that are not finite"
        raise ParameterError(
            f"{kind} in data passed to precomputed distance matrix: {what} is "
            f"{graph.data[bad[0]]} at row {row}, column {graph.indices[bad[0]]}. Distances are "
            "finite and >= 0."
        )
    return graph
