"""Neighbors as a sparse matrix: a row for every query, a column for every training row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn import get_config

from lookalike.typing import AnyArray, Rows
from lookalike.validation import check_choice

if TYPE_CHECKING:
    from lookalike.models.neighbors.neighbors_model import NeighborsModel


def neighbors_graph(
    model: NeighborsModel, X: object, n_neighbors: int | None, mode: str
) -> sp.csr_matrix:
    """Return the nearest rows of every query as a matrix of ones, or of distances."""
    check_choice("mode", mode, ("connectivity", "distance"))
    distance, row = map(np.asarray, model.kneighbors(X, n_neighbors))
    value = np.ones(row.size) if mode == "connectivity" else distance.ravel()
    start = np.arange(0, row.size + 1, row.shape[1])
    return _graph(value, row.ravel(), start, model.n_samples_fit_)


def radius_graph(
    model: NeighborsModel, X: object, radius: ArrayLike | None, mode: str, *, sort_results: bool
) -> sp.csr_matrix:
    """Return all rows within a radius of every query as a matrix of ones, or of distances."""
    check_choice("mode", mode, ("connectivity", "distance"))
    distances, rows = model.radius_neighbors(X, radius, sort_results=sort_results)
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    row = np.concatenate(list(rows)) if len(rows) else np.empty(0, np.int64)
    value = np.ones(len(row)) if mode == "connectivity" else np.concatenate(list(distances))
    return _graph(value, row, start, model.n_samples_fit_)


def _graph(value: AnyArray, row: Rows, start: Rows, n_rows: int) -> sp.csr_matrix:
    """Return a sparse matrix, or array where the settings of scikit-learn ask for arrays."""
    asked = get_config().get("sparse_interface", "spmatrix")  # no setting before version 1.9
    kind = sp.csr_array if asked == "sparray" else sp.csr_matrix
    return kind((value, row, start), shape=(len(start) - 1, n_rows))


def ragged(values: AnyArray, start: Rows) -> AnyArray:
    """Return an array of arrays, one per query, of values joined one query after the other."""
    parts = np.empty(len(start) - 1, dtype=object)
    parts[:] = np.split(values, start[1:-1])
    return parts
