"""The torch twins of the kernels of k-means: the same answers on any device, slowly."""

from __future__ import annotations

import torch

CELLS = 2**24  # numbers of one temporary
LANES = 8
STEP = 1e-6  # more than the rounding of distances in float32


def nearest_certain(
    code: torch.Tensor,
    norm: torch.Tensor,
    own: torch.Tensor,
    centers: torch.Tensor,
    height: torch.Tensor,
    *,
    residual: float,
    length: float,
    unit: float,
) -> torch.Tensor:
    """Return the nearest center of every row where it is certain, -1 elsewhere.

    The number of a center takes the place of the last digits of its score: one minimum gives the
    score and the center.
    """
    n, padded = len(code), len(centers)
    mask = number_mask(padded)
    number = torch.arange(padded, dtype=torch.int32, device=code.device)
    out = torch.empty(n, dtype=torch.int32, device=code.device)
    step = max(1, CELLS // padded)
    for first in range(0, n, step):
        part = slice(first, first + step)
        start = height[None] + (norm[part, None] + 1.0)
        score = start + code[part].float() @ centers.float().T
        packed = ((score.view(torch.int32) & ~mask) | number).view(torch.float32)
        two = packed.topk(2, dim=1, largest=False, sorted=True).values
        long = norm[part].double().sqrt()
        error = unit * (length * length + 2 * long * length + norm[part] + 1.0)
        certain = _certain(two.double(), error, own[part].double() + residual, mask)
        label = two[:, 0].contiguous().view(torch.int32) & mask
        out[part] = torch.where(certain, label, -1)
    return out


def _certain(
    two: torch.Tensor, error: torch.Tensor, slack: torch.Tensor, mask: int
) -> torch.Tensor:
    """Return whether the lesser of two scores belongs to the nearer center, whatever rounding."""
    digits = (mask + 1) * 2.0**-22
    nearer = (two[:, 0] * (1 + digits) + error - 1.0).clamp(min=0).sqrt()
    other = (two[:, 1] * (1 - digits) - error - 1.0).clamp(min=0).sqrt()
    certain: torch.Tensor = other * (1 - STEP) > nearer * (1 + STEP) + 2 * slack * (1 + STEP)
    return certain


def number_mask(padded: int) -> int:
    """Return the bits of a score that hold the number of one of `padded` centers."""
    return (1 << max(1, (padded - 1).bit_length())) - 1


def squares(X: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
    """Return |x - shift|^2 of every row, in the CPU's order of summation."""
    n, d = X.shape
    out = torch.empty(n, dtype=torch.float64, device=X.device)
    step = max(1, CELLS // LANES)
    for first in range(0, n, step):
        part = X[first : first + step]
        total = torch.zeros((len(part), LANES), dtype=torch.float64, device=X.device)
        whole = d // LANES * LANES
        for at in range(0, whole, LANES):
            gap = part[:, at : at + LANES].double() - shift[at : at + LANES]
            total += gap * gap
        for at in range(whole, d):  # columns beyond go to the first lane
            gap = part[:, at].double() - shift[at]
            total[:, 0] += gap * gap
        pairs = total[:, 0::2] + total[:, 1::2]
        out[first : first + step] = (pairs[:, 0] + pairs[:, 1]) + (pairs[:, 2] + pairs[:, 3])
    return out


def add_terms(
    X: torch.Tensor,
    row: torch.Tensor,
    center: torch.Tensor,
    *,
    n_added: int,
    n_centers: int,
    square: torch.Tensor,
    weight: torch.Tensor | None,
    grid: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return sums of (x - shift, 1, |x - shift|^2) a center, on a coarse and on a fine grid.

    The first `n_added` rows are added, the others taken away. Every addition is exact.
    """
    d = X.shape[1]
    shift, coarse, fine = grid
    high = torch.zeros((n_centers, d + 2), dtype=torch.float64, device=X.device)
    low = torch.zeros_like(high)
    step = max(1, CELLS // (d + 2))
    for first in range(0, len(row), step):
        part = row[first : first + step]
        terms = torch.ones((len(part), d + 2), dtype=torch.float64, device=X.device)
        terms[:, :d] = X[part].double() - shift[:d]
        terms[:, d + 1] = square[part]
        if weight is not None:
            terms *= weight[part, None]
        place = torch.arange(first, first + len(part), device=X.device)
        sign = torch.where(place < n_added, 1.0, -1.0).double()[:, None]
        rounded = (terms + coarse) - coarse
        rest = ((terms - rounded) + fine) - fine
        where = center[first : first + step].long()
        high.index_add_(0, where, rounded * sign)
        low.index_add_(0, where, rest * sign)
    return high, low
