"""The neighbors that a map is made of: searched by a metric or a model, or given."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.preprocessing import normalize
from sklearn.utils import _safe_indexing

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.index.base import Neighbors
from lookalike.models.decomposition.pca import PCA
from lookalike.models.manifold.quality import RowOrder, order_by
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.typing import Array, Rows
from lookalike.validation import shown

ANGULAR_METRICS = ("cosine", "correlation")


def fitted_search(search: object, X: object, y: object) -> BaseEstimator:
    """Return a copy of the search, fitted on the rows."""
    if isinstance(search, type) or not all(hasattr(search, m) for m in ("fit", "kneighbors")):
        raise ParameterTypeError(
            f"search={shown(search)} has no fit and kneighbors. Give NearestNeighbors(...), a "
            "forest model such as ForestNeighborsClassifier(), 'precomputed' or None."
        )
    model = clone(search)
    return model.fit(X) if isinstance(model, NearestNeighbors) else model.fit(X, y)


def neighbors_of(search: BaseEstimator, X: object, k: int) -> Neighbors:
    """Return the `k` nearest training rows of new rows, or of every training row where None."""
    distance, row = search.kneighbors(X, k)
    return Neighbors(np.ascontiguousarray(distance, np.float64), np.ascontiguousarray(row))


def given_neighbors(X: object, n_rows: int | None = None) -> Neighbors:
    """Return neighbors as they were given: distances and rows, or a sparse matrix of distances.

    `n_rows` is the number of rows among which they are; None where they are among themselves.
    """
    if sp.issparse(X):
        X = _of_matrix(X)
    pair = (X.distance, X.row) if hasattr(X, "distance") and hasattr(X, "row") else X
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise ParameterTypeError(
            "search='precomputed' takes the neighbors of every row, and X is "
            f"{shown(type(X).__name__)}. Give (distance, row) as kneighbors() returns them, or "
            "kneighbors_graph(mode='distance')."
        )
    try:
        distance, row = np.ascontiguousarray(pair[0], np.float64), np.ascontiguousarray(pair[1])
    except (TypeError, ValueError):  # texts, or lists of several lengths
        distance, row = np.empty(0), np.empty(0)
    if distance.ndim != 2 or distance.shape != row.shape or row.dtype.kind not in "iu":
        raise ShapeError(
            f"Distances have shape {distance.shape} and rows {row.shape} of type {row.dtype}. "
            "Give two of shape (n_rows, n_neighbors), the second of whole numbers."
        )
    row = row.astype(np.int64, copy=False)
    _check_values(distance, row, len(row) if n_rows is None else n_rows, own=n_rows is None)
    return Neighbors(distance, row)


def first_places(X: object, search: object, graph: sp.csr_array, decisions: Decisions) -> Array:
    """Return two principal components of the rows, or of the graph where rows are not numbers."""
    rows, of_what = _numeric_rows(X, search)
    if rows is None:
        rows, of_what = sp.csr_matrix(graph), "the graph: the rows are not complete numbers"
    n_components = min(2, *rows.shape) if hasattr(rows, "shape") else 2
    scores = PCA(n_components, engine="auto").fit_transform(rows)
    decisions.add("start", "PCA", f"two principal components of {of_what}")
    start = np.zeros((graph.shape[0], 2))
    start[:, :n_components] = np.asarray(scores, np.float64)
    spread = float(start[:, 0].std())
    return start / spread if spread > 0 and np.isfinite(spread) else np.zeros_like(start)


def row_order(X: object, search: BaseEstimator) -> RowOrder:
    """Return the order of other rows by distance to some of them."""
    if isinstance(search, NearestNeighbors):
        return order_by(search)

    def order(part: Rows, count: int) -> Rows:
        row = search.kneighbors(_safe_indexing(X, part), count + 1)[1]
        own_last = np.argsort(row == part[:, None], axis=1, kind="stable")[:, :count]
        return np.take_along_axis(row, own_last, axis=1)

    return order


def _numeric_rows(X: object, search: object) -> tuple[object, str]:
    """Return the rows as numbers without gaps, or None; and what they are called."""
    if not isinstance(search, NearestNeighbors):
        return None, ""
    space = search.space_
    named, rows = space.options.metric_name(space.codes), space.rows
    if named == "precomputed" or space.codes is not None:
        return None, ""
    if rows is None:
        return X, "the rows"
    values = rows.data if sp.issparse(rows) else np.asarray(rows)
    if values.dtype.kind not in "fiub" or (values.dtype.kind == "f" and np.isnan(values).any()):
        return None, ""
    if named in ANGULAR_METRICS:
        return normalize(rows), "the rows at length 1"
    return rows, "the rows"


def _of_matrix(X: Any) -> tuple[object, object]:
    """Return the stored entries of a sparse matrix, as many in every row, nearest first."""
    X = X.tocsr()
    counts = np.diff(X.indptr)
    if X.shape[0] == 0 or counts.min() != counts.max() or counts[0] == 0:
        raise ShapeError(
            f"The rows of X hold {counts.min() if len(counts) else 0} to "
            f"{counts.max() if len(counts) else 0} neighbors. Give as many for every row, as "
            "kneighbors_graph(mode='distance') does."
        )
    distance = np.asarray(X.data, np.float64).reshape(len(counts), -1)
    row = np.asarray(X.indices, np.int64).reshape(distance.shape)
    order = np.lexsort((row, distance), axis=1)
    return np.take_along_axis(distance, order, 1), np.take_along_axis(row, order, 1)


def _check_values(distance: Array, row: Any, n_rows: int, *, own: bool) -> None:
    if row.size == 0 or row.min() < 0 or row.max() >= n_rows:
        raise ParameterError(
            f"The neighbors name rows from {row.min() if row.size else 0} to "
            f"{row.max() if row.size else 0}, and there are {n_rows}. Give numbers of rows."
        )
    if not np.isfinite(distance).all() or (np.diff(distance, axis=1) < 0).any():
        raise ParameterError(
            "The distances of the neighbors are not finite, or not in rising order. Give the "
            "nearest first."
        )
    if own and (row == np.arange(len(row))[:, None]).any():
        first = int(np.flatnonzero((row == np.arange(len(row))[:, None]).any(axis=1))[0])
        raise ParameterError(
            f"Row {first} is among its own neighbors. Give kneighbors() without rows, which "
            "leaves each out."
        )
