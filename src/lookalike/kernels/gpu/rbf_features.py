"""Gaussian basis functions of rows on a GPU, and leave-one-out errors of ridge regressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from lookalike.typing import Array


def basis_functions(
    X: torch.Tensor, centers: Array, width: float, *, normalized: bool, mix: Array | None = None
) -> torch.Tensor:
    """Return the basis functions of every row, (n, centers), in float64; or sums of them."""
    basis = _basis_functions(X, centers, width, normalized=normalized)
    return basis if mix is None else basis @ torch.as_tensor(np.ascontiguousarray(mix)).to(X.device)


def _basis_functions(
    X: torch.Tensor, centers: Array, width: float, *, normalized: bool
) -> torch.Tensor:
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


def leave_one_out_sums(features: torch.Tensor, targets: Array, weight: Array, path: Any) -> Array:
    """Return sums over rows for every penalty: squared errors, losses, squared losses, (3, a)."""

    def moved(values: Array) -> torch.Tensor:
        return torch.as_tensor(np.ascontiguousarray(values)).to(features.device)

    shrink = 1 / (moved(path.strength)[:, None] + moved(path.alphas))
    u = features - moved(path.mean)
    u = u if path.directions is None else u @ moved(path.directions)
    one_minus_leverage = 1 - (path.floor + u.square() @ shrink)
    one_minus_leverage = torch.where(one_minus_leverage > 1e-9, one_minus_leverage, torch.nan)
    y, w = moved(targets), moved(weight)
    square = torch.zeros_like(one_minus_leverage)
    best, chosen = (
        torch.full_like(one_minus_leverage, -torch.inf),
        torch.full_like(one_minus_leverage, -1.0),
    )
    for output, along in enumerate(moved(path.along).T):
        error = (y[:, output, None] - u @ (along[:, None] * shrink)) / one_minus_leverage
        square += torch.nan_to_num(error.square(), nan=torch.inf)
        predicted = y[:, output, None] - error + float(path.target[output])
        chosen = torch.where(predicted > best, float(output), chosen)
        best = torch.where(predicted > best, predicted, best)
    loss = square / len(path.target)
    if path.classes:
        own_class = (y + moved(path.target)).argmax(1)[:, None]
        loss = (chosen != own_class).double()
    counted = w[:, None] > 0
    sums = [w @ torch.where(counted, one, 0.0) for one in (square, loss, loss.square())]
    total: Array = torch.stack(sums).cpu().numpy()
    return total
