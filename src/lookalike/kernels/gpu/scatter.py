"""Mean and scatter matrix of rows on a GPU, in float64."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import torch

from lookalike.kernels.compensated import two_sum
from lookalike.typing import AnyArray, Array

SHIFT_ROWS = 64  # of which the middle is taken out of all rows
FLOAT64_BLOCK_BYTES = 2**30  # of rows that are float64 at a time
PANEL_COLUMNS = 128  # columns of which the products with those before them are formed together
MIN_PINNED_COPY_BYTES = 2**20  # bytes whose copy from the GPU is worth a buffer
PANEL_ALIGNMENT = 16  # columns: other edges of panels make slow products


def scatter(X: torch.Tensor, weight: AnyArray | None = None) -> tuple[float, Array, Array, Array]:
    """Return weight, mean, the tail of the mean, and scatter of the rows.

    Rows are shifted by values from their midst, so that a common offset does no harm; products
    are those of float64, of the lower triangle alone.
    """
    d = X.shape[1]
    none = np.zeros(d)
    if len(X) == 0:
        return 0.0, none, none, np.zeros((d, d))
    shift = middle(X[:SHIFT_ROWS])
    product = X.new_zeros((d, d), dtype=torch.float64)
    total = X.new_zeros(d, dtype=torch.float64)
    count = 0.0
    for rows, w in row_blocks(X, weight):
        difference = rows - shift  # float64
        if w is None:
            total += difference.sum(0)
            count += len(difference)
        else:
            total += w @ difference
            count += float(w.sum())
            difference *= w.sqrt()[:, None]
        add_lower_products(product, difference)
    if count == 0.0:
        return 0.0, none, none, np.zeros((d, d))
    drift = total / count
    product -= torch.outer(drift * count, drift)
    mean, tail = two_sum(shift.cpu().numpy(), drift.cpu().numpy())
    return count, mean, tail, in_memory(symmetric(product))


def middle(X: torch.Tensor) -> torch.Tensor:
    """Return the median of every column as float64, of two middle values the larger."""
    ordered: torch.Tensor = X.double().sort(dim=0).values[len(X) // 2]
    return ordered


def row_blocks(
    X: torch.Tensor, weight: AnyArray | None
) -> Iterator[tuple[torch.Tensor, torch.Tensor | None]]:
    """Give rows that can be float64 at a time, with their weights."""
    w = None if weight is None else torch.as_tensor(np.asarray(weight, np.float64)).to(X.device)
    step = max(1, FLOAT64_BLOCK_BYTES // (8 * X.shape[1]))
    for first in range(0, len(X), step):
        part = slice(first, first + step)
        yield X[part], None if w is None else w[part]


def add_lower_products(product: torch.Tensor, rows: torch.Tensor) -> None:
    """Add the products of columns to the lower triangle, a panel of columns at a time."""
    d = rows.shape[1]
    panels = -(-d // PANEL_COLUMNS)
    edges = [
        min(d, -(-d * i // panels // PANEL_ALIGNMENT) * PANEL_ALIGNMENT) for i in range(panels)
    ] + [d]
    for first, last in itertools.pairwise(edges):
        product[first:last, :last].addmm_(rows[:, first:last].T, rows[:, :last])


def symmetric(product: torch.Tensor) -> torch.Tensor:
    """Return the symmetric matrix that has this lower triangle."""
    lower = product.tril()
    return lower + product.tril(-1).T


def in_memory(values: torch.Tensor) -> Array:
    """Return a tensor as an array; a large one comes through page-locked memory."""
    if values.device.type != "cuda" or values.nbytes < MIN_PINNED_COPY_BYTES:
        small: Array = values.cpu().numpy()
        return small
    locked = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
    locked.copy_(values, non_blocking=True)
    torch.cuda.current_stream(values.device).synchronize()
    return np.array(locked.numpy())
