"""The training rows that contribute to a prediction, and how much each of them counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.explain.prediction.adapters import n_neighbors, numbers
from lookalike.models.cross_validation import HeldOutRows
from lookalike.models.neighbors.forest import ForestNeighbors
from lookalike.models.neighbors.kernel_sums import gaussians, rows_that_matter
from lookalike.models.neighbors.voting_numpy import distance_weights
from lookalike.typing import Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

Contributions = tuple[Rows, Array, Array]  # rows nearest first, their distances and weights


def number_contributions(model: BaseEstimator, query: object, leave_out: Any) -> Contributions:
    """Return the rows whose weighted mean a fitted neighbors regressor predicts."""
    if isinstance(model, ForestNeighbors):
        return model._contributions(query, leave_out)
    if hasattr(model, "bandwidth_"):
        return _kernel_contributions(model, query, leave_out)
    targets = numbers(model)
    given = getattr(model, "_weight", None)
    weight = np.ones(len(targets)) if given is None else given.copy()
    if leave_out is not None:
        weight[leave_out] = 0.0
    if "radius" in model.get_params():
        neighbors = model.radius_neighbors(query)
        distance, row = (np.asarray(part[0]) for part in neighbors)
        counted = weight[row]
    else:
        k, width = n_neighbors(model), n_neighbors(model) + np.count_nonzero(weight == 0)
        neighbors = model.kneighbors(query, min(int(width), len(weight)))
        distance, row = (np.asarray(part[0]) for part in neighbors)
        before = np.cumsum(weight[row]) - weight[row]
        counted = np.clip(k - before, 0.0, weight[row])
    used = counted > 0
    distance, row = distance[used].astype(np.float64), row[used]
    near = distance_weights(distance[None], model.weights or "uniform")[0] if len(row) else distance
    return row, distance, near * counted[used]


def class_contributions(model: BaseEstimator, query: Any, leave_out: int | None) -> Contributions:
    """Return the rows whose kernels matter to a class; those of each class add to its votes."""
    if hasattr(model, "_kernel_weights"):
        return _kernel_contributions(model, query, leave_out)
    extent = model._extent(model.bandwidth_)
    near = next(rows_that_matter(model, query, _held_out(leave_out), **extent))
    share = model._class_weight()[model._targets.codes[near.row, 0]]
    return _sorted(near.row, near.distance, gaussians(near, model.bandwidth_) * share)


def _kernel_contributions(model: BaseEstimator, query: Any, leave_out: int | None) -> Contributions:
    extent = model._extent(model.bandwidth_)
    near = next(rows_that_matter(model, query, _held_out(leave_out), **extent))
    weight = model._kernel_weights(near, model.bandwidth_)
    return _sorted(near.row, near.distance, weight)


def _held_out(leave_out: int | None) -> HeldOutRows | None:
    return None if leave_out is None else HeldOutRows(np.array([leave_out]))


def _sorted(row: Rows, distance: Array, weight: Array) -> Contributions:
    order = np.lexsort((row, distance))
    order = order[weight[order] > 0]
    return row[order], distance[order], weight[order]
