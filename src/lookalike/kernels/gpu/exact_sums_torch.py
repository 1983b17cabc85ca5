"""The torch twins of exact sums: the same bits on any device, slowly."""

from __future__ import annotations

from typing import NamedTuple

import torch

TEMPORARY_CELLS = 2**24  # numbers of one temporary
SUM_LANES = 8


class SumTerms(NamedTuple):
    """Rows that are added to the sums of their centers, or taken away."""

    X: torch.Tensor  # (n, d)
    row: torch.Tensor | None  # which rows; all of them in order when None
    center: torch.Tensor  # of each of these
    n_added: int  # this many are added, the others taken away
    n_centers: int
    square: torch.Tensor  # (n,) |x - shift|^2
    weight: torch.Tensor | None  # (n,)
    grid: torch.Tensor  # shift, coarse and fine


def squares(X: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
    """Return |x - shift|^2 of every row, in the CPU's order of summation."""
    n, d = X.shape
    out = torch.empty(n, dtype=torch.float64, device=X.device)
    step = max(1, TEMPORARY_CELLS // SUM_LANES)
    for first in range(0, n, step):
        part = X[first : first + step]
        total = torch.zeros((len(part), SUM_LANES), dtype=torch.float64, device=X.device)
        whole = d // SUM_LANES * SUM_LANES
        for at in range(0, whole, SUM_LANES):
            difference = part[:, at : at + SUM_LANES].double() - shift[at : at + SUM_LANES]
            total += difference * difference
        for at in range(whole, d):  # columns beyond go to the first lane
            difference = part[:, at].double() - shift[at]
            total[:, 0] += difference * difference
        pairs = total[:, 0::2] + total[:, 1::2]
        out[first : first + step] = (pairs[:, 0] + pairs[:, 1]) + (pairs[:, 2] + pairs[:, 3])
    return out


def add_terms(of: SumTerms) -> tuple[torch.Tensor, torch.Tensor]:
    """Return sums of (x - shift, 1, |x - shift|^2) a center, on a coarse and on a fine grid.

    Every addition is exact.
    """
    X, row, center, n_added, n_centers, square, weight, grid = of
    if row is None:
        row = torch.arange(len(X), device=X.device)
    d = X.shape[1]
    shift, coarse, fine = grid
    high = torch.zeros((n_centers, d + 2), dtype=torch.float64, device=X.device)
    low = torch.zeros_like(high)
    step = max(1, TEMPORARY_CELLS // (d + 2))
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
