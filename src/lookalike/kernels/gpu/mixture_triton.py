"""The Triton kernels of EM: products of columns, and responsibilities; twins in `mixture`."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

MAX_COMPONENTS_IN_REGISTERS = 256  # whose log densities at a row are in registers together
NUMBERS_PER_PROGRAM = 4096  # numbers of one program


@triton.jit
def _products(z, terms, n, d, B: tl.constexpr):
    """terms[first(i) + j - i] = z[i] z[j] for all j >= i, of a block of rows."""
    i = tl.program_id(1)
    row = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    inside = row < n
    own = tl.load(z + i.to(tl.int64) * n + row, mask=inside, other=0.0)
    first = i * d - i * (i - 1) // 2
    out = terms + first.to(tl.int64) * n + row
    at = z + i.to(tl.int64) * n + row
    for _ in range(i, d):
        tl.store(out, own * tl.load(at, mask=inside, other=0.0), mask=inside)
        at += n
        out += n


@triton.jit
def _shares(
    joint, weight, peak, n, k,
    K: tl.constexpr, B: tl.constexpr, WEIGHTED: tl.constexpr,
):  # fmt: skip
    """Make responsibilities of log densities (k, n) in place, times the weights of the rows."""
    row = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    part = tl.arange(0, K)
    inside = (part[:, None] < k) & (row[None, :] < n)
    at = joint + part[:, None].to(tl.int64) * n + row[None, :]
    value = tl.load(at, mask=inside, other=float("-inf"))
    most = tl.max(value, axis=0)
    most = tl.where(row < n, most, 0.0)
    share = tl.exp(value - most[None, :])
    total = tl.sum(share, axis=0)
    scale = 1.0 / tl.where(row < n, total, 1.0)
    if WEIGHTED:
        scale = scale * tl.load(weight + row, mask=row < n, other=0.0)
    tl.store(at, share * scale[None, :], mask=inside)
    tl.store(peak + row, most + tl.log(total), mask=row < n)


def products(z: torch.Tensor, terms: torch.Tensor) -> None:
    """Write the products of all pairs of columns of rows (d, n)."""
    d, n = z.shape
    _products[(triton.cdiv(n, 1024), d)](z, terms, n, d, B=1024, num_warps=4)


def shares(
    log_joint: torch.Tensor, weight: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return responsibilities (k, n) times weights, in the place of log densities, and these."""
    k, n = log_joint.shape
    peak = torch.empty(n, dtype=torch.float64, device=log_joint.device)
    size = max(2, triton.next_power_of_2(k))
    block = max(16, NUMBERS_PER_PROGRAM // size)
    _shares[(triton.cdiv(n, block),)](
        log_joint, peak if weight is None else weight, peak, n, k,
        K=size, B=block, WEIGHTED=weight is not None, num_warps=4,
    )  # fmt: skip
    return log_joint, peak
