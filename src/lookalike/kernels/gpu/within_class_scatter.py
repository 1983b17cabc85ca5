"""Weight and mean of every class, and the scatter within the classes, of rows on a GPU."""

from __future__ import annotations

import numpy as np
import torch

from lookalike.kernels.compensated import two_sum
from lookalike.kernels.gpu.scatter import add_lower_products, in_memory, row_blocks, symmetric
from lookalike.typing import AnyArray, Array, Rows


def class_moments(
    X: torch.Tensor, place: Rows, n_classes: int, weight: AnyArray | None
) -> tuple[Array, Array, Array, Array]:
    """Return weights, means and their tails by class, and the scatter within classes, in float64.

    `place` is the class of every row by number.
    """
    d = X.shape[1]
    shift = X[0].double()
    where = torch.as_tensor(place, device=X.device)
    w = np.ones(len(X)) if weight is None else np.asarray(weight, np.float64)
    count = np.bincount(place, w, minlength=n_classes).astype(np.float64, copy=False)
    total = X.new_zeros((n_classes, d), dtype=torch.float64)
    first = 0
    for rows, share in row_blocks(X, w):
        codes = where[first : first + len(rows)]
        assert share is not None
        total.index_add_(0, codes, (rows - shift) * share[:, None])
        first += len(rows)
    drift = total / torch.as_tensor(count, device=X.device)[:, None]
    product = X.new_zeros((d, d), dtype=torch.float64)
    first = 0
    for rows, share in row_blocks(X, w):
        assert share is not None
        difference = (rows - shift) - drift[where[first : first + len(rows)]]
        add_lower_products(product, difference * share.sqrt()[:, None])
        first += len(rows)
    mean, tail = two_sum(shift.cpu().numpy(), drift.cpu().numpy())
    return count, mean, tail, in_memory(symmetric(product))
