"""The training rows that a kernel model weighs for one query, and how much each counts."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from lookalike.models.cross_validation import HeldOutRows
from lookalike.models.kernel.bandwidth import KernelModel
from lookalike.models.kernel.nearby_rows import gaussians, rows_that_matter
from lookalike.typing import Array, Rows

Contributions: TypeAlias = tuple[Rows, Array, Array]  # rows nearest first, distances, weights


def kernel_contributions(model: KernelModel, query: Any, leave_out: int | None) -> Contributions:
    """Return the rows whose kernels matter; of a classifier, those of a class add to its votes."""
    held_out = None if leave_out is None else HeldOutRows(np.array([leave_out]))
    near = next(rows_that_matter(model, query, held_out, **model._extent(model.bandwidth_)))
    if hasattr(model, "_kernel_weights"):
        weight = model._kernel_weights(near, model.bandwidth_)
    else:
        share = model._class_weight()[model.targets_.codes[near.row, 0]]
        weight = gaussians(near, model.bandwidth_) * share
    order = np.lexsort((near.row, near.distance))
    order = order[weight[order] > 0]
    return near.row[order], near.distance[order], weight[order]


def kernel_probabilities(
    model: KernelModel, query: object, contributions: Contributions
) -> tuple[Contributions, Array]:
    """Return contributions as parts of probabilities, and these: a background may add to them."""
    row, distance, weight = contributions
    near, far = model._scales(distance[:1] ** 2, query, model.bandwidth_)
    codes, n_classes = model.targets_.codes[row, 0], len(model.classes_)
    mixed = np.bincount(codes, weight * near, n_classes) + model._prior() * far
    return (row, distance, weight * near / mixed.sum()), mixed / mixed.sum()
