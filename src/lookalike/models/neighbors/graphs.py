"""Neighbors as a sparse matrix: a row for every query, a column for every training row."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from lookalike.typing import AnyArray, Rows
from lookalike.validation import check_choice


class NeighborGraphs:
    """Adds the graphs to a model that has `kneighbors` and `radius_neighbors`."""

    n_samples_fit_: int
    kneighbors: Any
    radius_neighbors: Any

    def kneighbors_graph(
        self, X: object = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> sp.csr_matrix:
        """Return the neighbors as a sparse matrix of ones, or of distances."""
        check_choice("mode", mode, ("connectivity", "distance"))
        distance, row = map(np.asarray, self.kneighbors(X, n_neighbors))
        value = np.ones(row.size) if mode == "connectivity" else distance.ravel()
        start = np.arange(0, row.size + 1, row.shape[1])
        shape = (len(row), self.n_samples_fit_)
        return sp.csr_matrix((value, row.ravel(), start), shape=shape)

    def radius_neighbors_graph(
        self,
        X: object = None,
        radius: ArrayLike | None = None,
        mode: str = "connectivity",
        sort_results: bool = False,
    ) -> sp.csr_matrix:
        """Return all rows within `radius` as a sparse matrix of ones, or of distances."""
        check_choice("mode", mode, ("connectivity", "distance"))
        distances, rows = self.radius_neighbors(X, radius, sort_results=sort_results)
        start = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        row = np.concatenate(list(rows)) if len(rows) else np.empty(0, np.int64)
        value = np.ones(len(row)) if mode == "connectivity" else np.concatenate(list(distances))
        return sp.csr_matrix((value, row, start), shape=(len(rows), self.n_samples_fit_))


def ragged(values: AnyArray, start: Rows) -> AnyArray:
    """Return an array of arrays, one per query, of values joined one query after the other."""
    parts = np.empty(len(start) - 1, dtype=object)
    parts[:] = np.split(values, start[1:-1])
    return parts
