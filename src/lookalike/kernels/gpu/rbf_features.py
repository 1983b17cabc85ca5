"""Gaussian basis functions of rows on a card, and leave-one-out errors of ridge regressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from lookalike.typing import Array


def basis_functions(
    X: torch.Tensor, centers: Array, width: float, *, normalized: bool
) -> torch.Tensor:
    """Return the basis functions of every row, (n, centers), in float64."""
    C = torch.as_tensor(centers).to(X.device)
    distance = torch.cdist(X.double(), C, compute_mode="donot_use_mm_for_euclid_dist") / width
    if not normalized:
        return torch.exp(-distance.square() / 2)
    nearest = distance.amin(1, keepdim=True)
    basis = torch.exp(-(distance - nearest) * (distance + nearest) / 2)
    basis = torch.where(distance == nearest, 1.0, torch.nan_to_num(basis, nan=0.0))
    return basis / basis.sum(1, keepdim=True)


def with_targets(features: torch.Tensor, targets: Array) -> torch.Tensor:
    """Return features and targets as columns of one matrix."""
    return torch.hstack([features, torch.as_tensor(targets).to(features.device)])


def squared_leave_one_out(
    features: torch.Tensor, targets: Array, weight: Array, path: Any
) -> Array:
    """Return the sum of squared leave-one-out errors of every penalty."""

    def moved(values: Array) -> torch.Tensor:
        return torch.as_tensor(np.ascontiguousarray(values)).to(features.device)

    shrink = 1 / (moved(path.strength)[:, None] + moved(path.alphas))
    u = (features - moved(path.mean)) @ moved(path.directions)
    own = 1 - (path.floor + u.square() @ shrink)
    own = torch.where(own > 1e-9, own, torch.nan)
    y, w = moved(targets), moved(weight)
    squares = torch.zeros(len(path.alphas), dtype=torch.float64, device=features.device)
    for output, along in enumerate(moved(path.along).T):
        error = (y[:, output, None] - u @ (along[:, None] * shrink)) / own
        square = torch.nan_to_num(error.square(), nan=torch.inf)
        squares += w @ torch.where(w[:, None] > 0, square, 0.0)
    total: Array = squares.cpu().numpy()
    return total
