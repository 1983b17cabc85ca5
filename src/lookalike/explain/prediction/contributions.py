"""The training rows that contribute to a prediction, and how much each of them counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.explain.prediction.adapters import n_neighbors, numbers
from lookalike.models.kernel.contributions import Contributions, kernel_contributions
from lookalike.models.neighbors.training_rows import training_weight
from lookalike.models.neighbors.voting_numpy import distance_weights
from lookalike.models.trees.forest import ForestNeighbors, forest_contributions

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def number_contributions(model: BaseEstimator, query: object, leave_out: Any) -> Contributions:
    """Return the rows whose weighted mean a fitted neighbors regressor predicts."""
    if isinstance(model, ForestNeighbors):
        return forest_contributions(model, query, leave_out)
    if hasattr(model, "bandwidth_"):
        return kernel_contributions(model, query, leave_out)
    targets = numbers(model)
    given = training_weight(model)
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
