"""A check of the neighbors: a random sample of rows compared with brute force in float64."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from lookalike.errors import UnsupportedError
from lookalike.typing import Array, Rows
from lookalike.validation import check_int

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration_state import ExplorationState
    from lookalike.web.explorer.neighbor_model import NeighborModel

MAX_ROWS_CHECKED = 10_000
CHECK_SECONDS = 15.0  # after which no further row is checked
CHECK_TOLERANCE = 1e-9  # relative: distances that differ by less may be in either order
SCIPY_METRICS = {
    "euclidean": "euclidean",
    "sqeuclidean": "sqeuclidean",
    "manhattan": "cityblock",
    "chebyshev": "chebyshev",
    "correlation": "correlation",
}


def self_check(
    exploration: ExplorationState, rows: int = 200, seed: int | None = None
) -> dict[str, object]:
    """Return whether the neighbors of random rows are those that brute force in float64 finds.

    Rows are checked in random order, for at most 15 seconds. Every distance from the row to every
    training row is computed again in float64, by scipy where it has the metric. Rows of
    equal distance, but for rounding, may come in either order.
    """
    neighbors, begin = exploration.neighbors, time.monotonic()
    rows = check_int("rows", rows, least=1, most=MAX_ROWS_CHECKED)
    seed = secrets.randbits(32) if seed is None else seed
    rng = np.random.default_rng(seed)
    checked_rows = rng.choice(
        len(exploration.rows), min(rows, len(exploration.rows)), replace=False
    )
    k = min(neighbors.k_max, len(neighbors.row) - 1)
    nearest = neighbors.neighbors(k)
    trained = neighbors.Z[neighbors.row].astype(np.float64)
    different: list[int] = []
    checked = 0
    for row in checked_rows.tolist():
        if time.monotonic() - begin > CHECK_SECONDS:
            break
        checked += 1
        distance = brute_force(neighbors, trained, row)
        if not _agrees(distance, nearest.row[row], nearest.distance[row], neighbors, row):
            different.append(row)
    return {
        "rows_checked": checked,
        "equal": checked - len(different),
        "different": different,
        "k": k,
        "metric": neighbors.metric,
        "seed": seed,
        "seconds": time.monotonic() - begin,
    }


def brute_force(neighbors: NeighborModel, trained: Any, row: int) -> Array:
    """Return the distance of a row to every training row, infinite to itself."""
    name, query = neighbors.metric, neighbors.Z[row : row + 1]
    if sp.issparse(trained) and name == "cosine":
        distance = _cosine(trained, sp.csr_array(query).toarray().astype(np.float64)[0])
    elif sp.issparse(trained):
        raise UnsupportedError(f"The metric {name} has no brute force here to compare with.")
    elif name == "cosine":
        distance = _cosine(trained, np.asarray(query, np.float64)[0])
    elif name in SCIPY_METRICS:
        distance = cdist(np.asarray(query, np.float64), trained, SCIPY_METRICS[name])[0]
    elif name == "gower":
        distance = _gower(neighbors, trained, np.asarray(query, np.float64)[0])
    else:
        raise UnsupportedError(f"The metric {name} has no brute force here to compare with.")
    position = int(neighbors.place[row])
    if position >= 0:
        distance[position] = np.inf
    return np.asarray(distance, np.float64)


def _cosine(trained: Any, query: Array) -> Array:
    """Return one minus the cosine; rows of zeros are at distance 1 of all but themselves."""
    squares = trained.multiply(trained) if sp.issparse(trained) else trained**2
    length = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
    query_norm = float(np.sqrt(query @ query))
    inner = np.asarray(trained @ query).ravel()
    if query_norm == 0:
        return np.where(length == 0, 0.0, 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        distance: Array = 1.0 - inner / (length * query_norm)
    return np.asarray(np.where(length == 0, 1.0, distance), np.float64)


def _gower(neighbors: NeighborModel, trained: Array, query: Array) -> Array:
    """Return Gower's distance: the mean over columns, that expected where a cell is missing."""
    params = neighbors.model.metric_params or {}
    categorical = np.zeros(trained.shape[1], bool)
    categorical[list(params.get("categorical", ()))] = True
    span = np.nanmax(trained, axis=0) - np.nanmin(trained, axis=0)
    apart = trained != query
    difference = np.abs(trained - query) / np.where(span > 0, span, 1.0)
    difference = np.where(categorical | (span == 0), apart, np.minimum(difference, 1.0))
    both = ~np.isnan(trained) & ~np.isnan(query)
    expected = neighbors.model.space_.index.metric.expected
    if expected is None:  # of a model file that was written before there were any
        total, count = np.where(both, difference, 0.0).sum(axis=1), both.sum(axis=1)
        present: Array = np.divide(total, count, out=np.ones(len(total)), where=count > 0)
        return present
    mean = np.where(both, difference, expected).mean(axis=1)
    distance: Array = np.where(both.any(axis=1), mean, 1.0)
    return distance


def _agrees(
    distance: Array, row: Rows, listed_distance: Array, neighbors: NeighborModel, query: int
) -> bool:
    """Return whether neighbors are the nearest by brute force, equal ones in either order."""
    k = len(row)
    nearest = np.sort(distance[np.isfinite(distance)])[:k]
    places = neighbors.place[row]
    scale = max(float(np.abs(nearest).max(initial=0.0)), 1e-300)
    same = np.allclose(
        distance[places], nearest, rtol=CHECK_TOLERANCE, atol=CHECK_TOLERANCE * scale
    )
    self_position = int(neighbors.place[query])
    return bool(
        same
        and np.allclose(
            listed_distance, nearest, rtol=CHECK_TOLERANCE, atol=CHECK_TOLERANCE * scale
        )
        and len(set(places.tolist())) == k
        and self_position not in places
    )
