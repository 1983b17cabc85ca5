"""The torch twins of the kernels of exact search: the same answers on any device, slowly."""

from __future__ import annotations

import torch

from lookalike.kernels.gpu.candidates import Bounds, CandidateGroups, CandidateRequest

SUM_LANES = 8
TEMPORARY_CELLS = 2**24  # numbers of one temporary


def encode(
    Q: torch.Tensor, mean: torch.Tensor, width: int, *, scale: torch.Tensor, largest: float,
    residual: float, length: float, unit: float, per_value: float,
) -> tuple[torch.Tensor, Bounds]:  # fmt: skip
    """Return the codes of queries times -2; their squared lengths, slack and rounding."""
    shifted = (Q.double() - mean) * scale
    half = shifted.clamp(-largest, largest).half()
    wide = half.double()
    own = (shifted - wide).square().sum(1).sqrt() * (1 + 1e-9)
    own += shifted.abs().amax(1) * per_value
    norm = wide.square().sum(1)
    code = torch.zeros((len(Q), width), dtype=torch.float16, device=Q.device)
    code[:, : Q.shape[1]] = -2 * half
    rounding = unit * (length**2 + 2 * norm.sqrt() * length)
    return code, (norm, own + residual, rounding)


def minima(
    codes: torch.Tensor, norm: torch.Tensor, queries: torch.Tensor, group: int
) -> torch.Tensor:
    """Return the least score of every group of rows for every query; `queries` are times -2."""
    n, n_queries = len(codes), len(queries)
    out = torch.empty((n_queries, n // group), dtype=torch.float32, device=codes.device)
    step = max(group, TEMPORARY_CELLS // max(n_queries, 1) // group * group)
    for first in range(0, n, step):
        rows = slice(first, min(first + step, n))
        score = norm[rows] + queries.float() @ codes[rows].float().T
        out[:, first // group : rows.stop // group] = score.view(n_queries, -1, group).amin(2)
    return out


def choose(least: torch.Tensor, bounds: Bounds, wanted: CandidateRequest) -> CandidateGroups:
    """Return the groups of rows that may hold one of the k nearest, or a row in reach."""
    query_norm, slack, rounding = bounds
    size, k, capacity, reach = wanted
    limit = reach
    if limit is None:
        kth = least.double().kthvalue(min(k, least.shape[1]), dim=1).values
        if k > least.shape[1]:
            kth = torch.full_like(kth, torch.inf)
        limit = (kth + query_norm + rounding).clamp(min=0).sqrt() + slack
    limit = (limit + slack) * 1.000001
    bound = limit * limit - query_norm + rounding
    bound = bound + bound.abs() * 1e-6
    taken = least.double() <= bound[:, None]
    count = taken.sum(1).int()
    order = (~taken).to(torch.uint8).sort(dim=1, stable=True).indices[:, :capacity].int()
    candidate = torch.zeros((len(least), capacity), dtype=torch.int32, device=least.device)
    candidate[:, : order.shape[1]] = order
    return CandidateGroups(candidate, count, size)


def keys(
    Q: torch.Tensor, X: torch.Tensor, groups: CandidateGroups, exclude: torch.Tensor, slots: int
) -> torch.Tensor:
    """Return the float64 keys of the rows of the candidate groups, +inf where there is none."""
    n, d = X.shape
    row = groups.rows(slots)
    slot = torch.arange(slots, device=X.device).repeat_interleave(groups.size)
    absent = (slot[None] >= groups.count[:, None]) | (row >= n) | (row == exclude[:, None])
    total = torch.zeros((*row.shape, SUM_LANES), dtype=torch.float64, device=X.device)
    clamped = row.clamp(max=n - 1)
    for first in range(0, d, SUM_LANES):
        last = min(first + SUM_LANES, d)
        difference = Q[:, None, first:last].double() - X[clamped, first:last].double()
        total[..., : last - first] += difference * difference
    half = SUM_LANES // 2
    while half:
        total = total[..., :half] + total[..., half : 2 * half]
        half //= 2
    return total[..., 0].masked_fill(absent, torch.inf)


def smallest(
    key: torch.Tensor, groups: CandidateGroups, k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k smallest keys of every query and their rows, in order of rows."""
    rank = key.sort(dim=1, stable=True).indices[:, :k].sort(dim=1).values
    row = groups.rows(key.shape[1] // groups.size)
    return key.gather(1, rank), row.gather(1, rank)


def ordered(key: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return keys and rows of every query sorted by key, equal keys by row."""
    by_row = row.sort(dim=1)
    key, row = key.gather(1, by_row.indices), by_row.values
    order = key.sort(dim=1, stable=True).indices
    return key.gather(1, order), row.gather(1, order)
