"""The Triton kernel that puts the keys of a few queries in order; its twin is torch's sort."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from lookalike.kernels.gpu.candidates import CandidateGroups


@triton.jit
def _rank(
    key, candidate, out_key, out_row, k, capacity, width,
    B: tl.constexpr, C: tl.constexpr, G: tl.constexpr,
):  # fmt: skip
    """Each key counts those before it, equal ones by place, and goes to that rank."""
    query = tl.program_id(0).to(tl.int64)
    position = tl.program_id(1) * B + tl.arange(0, B)
    line = key + query * width
    mine = tl.load(line + position, mask=position < width, other=float("inf"))
    rank = tl.zeros((B,), tl.int32)
    for first in range(0, width, C):
        at = first + tl.arange(0, C)
        other = tl.load(line + at, mask=at < width, other=float("inf"))
        before = (other[None, :] < mine[:, None]) | (
            (other[None, :] == mine[:, None]) & (at[None, :] < position[:, None])
        )
        rank += tl.sum(before.to(tl.int32), axis=1)
    group = tl.load(candidate + query * capacity + position // G, mask=position < width, other=0)
    row = group.to(tl.int64) * G + position % G
    inside = (position < width) & (rank < k)
    tl.store(out_key + query * k + rank, mine, mask=inside)
    tl.store(out_row + query * k + rank, row, mask=inside)


def ranked(key: torch.Tensor, groups: CandidateGroups, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k smallest keys of every query and their rows, in order, equal keys by row."""
    n_queries, width = key.shape
    out_key = torch.empty((n_queries, k), dtype=torch.float64, device=key.device)
    out_row = torch.empty((n_queries, k), dtype=torch.int64, device=key.device)
    _rank[(n_queries, triton.cdiv(width, 32))](
        key, groups.group, out_key, out_row, k, groups.group.shape[1], width,
        B=32, C=256, G=groups.size, num_warps=4,
    )  # fmt: skip
    return out_key, out_row
