"""Which rows pull a prediction, and how much each: for numbers, and for soft neighbors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.explain.prediction.adapters import n_neighbors, numbers
from lookalike.models.cross_validation import HeldOutRows
from lookalike.models.neighbors.kernel_sums import gaussian_reach, gaussians, rows_that_matter
from lookalike.models.neighbors.vote_rules import influence
from lookalike.typing import Array, Rows


class Pull(NamedTuple):
    """Rows that count for a query, nearest first, and what each counts."""

    row: Rows
    distance: Array
    weight: Array

    def first(self, count: int) -> Pull:
        """Return the nearest `count` of them."""
        return Pull(self.row[:count], self.distance[:count], self.weight[:count])


def pull_of_numbers(model: Any, query: Any, leave_out: int | None) -> Pull:
    """Return the rows whose weighted mean a fitted regressor by neighbors predicts."""
    if hasattr(model, "bandwidth_"):
        return _of_kernels(model, query, leave_out)
    targets = numbers(model)
    held = getattr(model, "_weight", None)
    held = np.ones(len(targets)) if held is None else held.copy()
    if leave_out is not None:
        held[leave_out] = 0.0
    if "radius" in model.get_params():
        found = model.radius_neighbors(query)
        distance, row = (np.asarray(part[0]) for part in found)
        counted = held[row]
    else:
        k, width = n_neighbors(model), n_neighbors(model) + np.count_nonzero(held == 0)
        found = model.kneighbors(query, min(int(width), len(held)))
        distance, row = (np.asarray(part[0]) for part in found)
        before = np.cumsum(held[row]) - held[row]
        counted = np.clip(k - before, 0.0, held[row])
    used = counted > 0
    distance, row = distance[used].astype(np.float64), row[used]
    near = influence(distance[None], model.weights or "uniform")[0] if len(row) else distance
    return Pull(row, distance, near * counted[used])


def pull_of_classes(model: Any, query: Any, leave_out: int | None) -> Pull:
    """Return the rows that matter to soft neighbors; of each class they add up to its votes."""
    reach = gaussian_reach(model.bandwidth_, model.n_samples_fit_, model._weight_spread())
    near = next(rows_that_matter(model, query, _left(leave_out), beyond=reach))
    share = model._class_weight()[model._targets.codes[near.row, 0]]
    return _sorted(Pull(near.row, np.sqrt(near.squared), gaussians(near, model.bandwidth_) * share))


def _of_kernels(model: Any, query: Any, leave_out: int | None) -> Pull:
    extent = model._extent(model.bandwidth_)
    near = next(rows_that_matter(model, query, _left(leave_out), **extent))
    weight = model._pull(near, model.bandwidth_)
    return _sorted(Pull(near.row, np.sqrt(near.squared), weight))


def _left(leave_out: int | None) -> HeldOutRows | None:
    return None if leave_out is None else HeldOutRows(np.array([leave_out]))


def _sorted(pull: Pull) -> Pull:
    order = np.lexsort((pull.row, pull.distance))
    order = order[pull.weight[order] > 0]
    return Pull(pull.row[order], pull.distance[order], pull.weight[order])
