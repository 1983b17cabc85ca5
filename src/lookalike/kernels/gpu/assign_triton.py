"""The Triton kernels of k-means: the two least scores of every row, and exact sums."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from lookalike.kernels.gpu.assign_torch import STEP, number_mask

RUN = 512  # terms of one center that one program adds
COLUMNS = 128  # columns that one program adds


@triton.jit
def _nearest_certain(
    X, C, height, norm, own, label, n_rows, n_centers, residual, length, unit, step,
    D: tl.constexpr, BQ: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, MASK: tl.constexpr,
):  # fmt: skip
    """label[i] = the center of the least |x_i - c|^2 where that is certain, else -1."""
    row = tl.program_id(0) * BQ + tl.arange(0, BQ)
    inside = row < n_rows
    near = tl.minimum(row, n_rows - 1).to(tl.int64)
    start = tl.load(norm + near) + 1.0
    best = tl.full((BQ,), 3e38, tl.float32)
    second = tl.full((BQ,), 3e38, tl.float32)
    column = tl.arange(0, BK)
    if BK == D:
        x = tl.load(X + near[:, None] * D + column[None, :])
    for tile in range(0, n_centers, BN):
        center = tile + tl.arange(0, BN)
        score = start[:, None] + tl.load(height + center)[None, :]
        if BK == D:
            c = tl.load(C + center[None, :] * D + column[:, None])
            score = tl.dot(x, c, score)
        else:
            x_at = X + near[:, None] * D + column[None, :]
            c_at = C + center[None, :] * D + column[:, None]
            for _ in range(0, D, BK):
                score = tl.dot(tl.load(x_at), tl.load(c_at), score)
                x_at += BK
                c_at += BK
        bits = (score.to(tl.int32, bitcast=True) & (-1 - MASK)) | center[None, :]
        packed = bits.to(tl.float32, bitcast=True)
        least = tl.min(packed, axis=1)
        rest = tl.min(tl.where(packed == least[:, None], 3e38, packed), axis=1)
        second = tl.minimum(tl.minimum(second, rest), tl.maximum(best, least))
        best = tl.minimum(best, least)
    reach = tl.load(norm + near).to(tl.float64)
    error = unit * (length * length + 2 * tl.sqrt(reach) * length + reach + 1.0)
    slack = tl.load(own + near).to(tl.float64) + residual
    digits = (MASK + 1) * 2.0**-22
    one = tl.sqrt(tl.maximum(best.to(tl.float64) * (1 + digits) + error - 1.0, 0.0))
    two = tl.sqrt(tl.maximum(second.to(tl.float64) * (1 - digits) - error - 1.0, 0.0))
    certain = two * (1 - step) > one * (1 + step) + 2 * slack * (1 + step)
    found = best.to(tl.int32, bitcast=True) & MASK
    tl.store(label + row, tl.where(certain, found, -1), mask=inside)


@triton.jit
def _add_terms(
    X, weight, term, sign, center, begin, end, shift, coarse, fine, high, low,
    D: tl.constexpr, B: tl.constexpr, R: tl.constexpr, WEIGHTED: tl.constexpr,
):  # fmt: skip
    """Add the terms of a run of rows of one center; compiled without contraction."""
    run = tl.program_id(0)
    first = tl.load(begin + run)
    last = tl.load(end + run)
    if first >= last:
        return
    column = tl.program_id(1) * B + tl.arange(0, B)
    real = column < D
    away = tl.load(shift + column, mask=real, other=0.0)
    big = tl.load(coarse + column, mask=real, other=0.0)
    small = tl.load(fine + column, mask=real, other=0.0)
    above = tl.zeros((R, B), tl.float64)
    below = tl.zeros((R, B), tl.float64)
    for at in range(first, last, R):
        place = at + tl.arange(0, R)
        here = place < last
        row = tl.load(term + place, mask=here, other=0)
        plus = tl.load(sign + place, mask=here, other=0.0)
        x = tl.load(
            X + row[:, None] * D + column[None, :], mask=here[:, None] & real[None, :], other=0.0
        ).to(tl.float64)
        value = x - away[None, :]
        if WEIGHTED:
            value = value * tl.load(weight + row, mask=here, other=0.0)[:, None]
        rounded = (value + big[None, :]) - big[None, :]
        rest = ((value - rounded) + small[None, :]) - small[None, :]
        above += rounded * plus[:, None]
        below += rest * plus[:, None]
    to = tl.load(center + run).to(tl.int64) * (D + 2) + column
    tl.atomic_add(high + to, tl.sum(above, axis=0), mask=real, sem="relaxed")
    tl.atomic_add(low + to, tl.sum(below, axis=0), mask=real, sem="relaxed")


@triton.jit
def _add_extra(
    square, weight, term, sign, center, begin, end, coarse, fine, high, low,
    D: tl.constexpr, R: tl.constexpr, WEIGHTED: tl.constexpr,
):  # fmt: skip
    """The same of the weights and of the squared lengths."""
    run = tl.program_id(0)
    first = tl.load(begin + run)
    last = tl.load(end + run)
    if first >= last:
        return
    place = first + tl.arange(0, R)
    here = place < last
    row = tl.load(term + place, mask=here, other=0)
    plus = tl.load(sign + place, mask=here, other=0.0)
    one = tl.full((R,), 1.0, tl.float64)
    length = tl.load(square + row, mask=here, other=0.0)
    if WEIGHTED:
        one = tl.load(weight + row, mask=here, other=0.0)
        length = length * one
    to = tl.load(center + run).to(tl.int64) * (D + 2) + D
    big = tl.load(coarse + D)
    small = tl.load(fine + D)
    rounded = (one + big) - big
    rest = ((one - rounded) + small) - small
    tl.atomic_add(high + to, tl.sum(rounded * plus, axis=0), sem="relaxed")
    tl.atomic_add(low + to, tl.sum(rest * plus, axis=0), sem="relaxed")
    big = tl.load(coarse + D + 1)
    small = tl.load(fine + D + 1)
    rounded = (length + big) - big
    rest = ((length - rounded) + small) - small
    tl.atomic_add(high + to + 1, tl.sum(rounded * plus, axis=0), sem="relaxed")
    tl.atomic_add(low + to + 1, tl.sum(rest * plus, axis=0), sem="relaxed")


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
    """Return the nearest center of every row where it is certain, -1 elsewhere."""
    n, width = code.shape
    label = torch.empty(n, dtype=torch.int32, device=code.device)
    narrow = width <= 128
    block, warps, stages = (128, 4, 2) if narrow else (128, 8, 3)
    _nearest_certain[(triton.cdiv(n, block),)](
        code, centers, height, norm, own, label, n, len(centers), residual, length, unit, STEP,
        D=width, BQ=block, BN=128, BK=width if narrow else 64, MASK=number_mask(len(centers)),
        num_warps=warps, num_stages=stages,
    )  # fmt: skip
    return label


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
    """Return sums of (x - shift, 1, |x - shift|^2) a center, on a coarse and on a fine grid."""
    d, device = X.shape[1], X.device
    high, low = torch.zeros((2, n_centers, d + 2), dtype=torch.float64, device=device)
    if len(row) == 0:
        return high, low
    key = center.to(torch.int16) if n_centers < 2**15 else center
    order = key.sort().indices
    term = row[order]
    sign = torch.where(order < n_added, 1.0, -1.0).double()
    count = torch.bincount(center, minlength=n_centers)
    stop = count.cumsum(0)
    runs = torch.div(count + (RUN - 1), RUN, rounding_mode="floor")
    last_run = runs.cumsum(0)
    number = torch.arange(len(row) // RUN + n_centers, device=device)
    of = torch.searchsorted(last_run, number, right=True).clamp(max=n_centers - 1)
    begin = (stop - count)[of] + (number - (last_run - runs)[of]) * RUN
    end = torch.minimum(begin + RUN, stop[of])
    end = torch.where(number < last_run[-1], end, begin)
    shift, coarse, fine = grid
    share = square if weight is None else weight
    given = {"WEIGHTED": weight is not None, "num_warps": 4, "enable_fp_fusion": False}
    _add_terms[(len(number), triton.cdiv(d, COLUMNS))](
        X, share, term, sign, of, begin, end, shift, coarse, fine, high, low,
        D=d, B=min(COLUMNS, triton.next_power_of_2(d)), R=8, **given,
    )  # fmt: skip
    _add_extra[(len(number),)](
        square, share, term, sign, of, begin, end, coarse, fine, high, low,
        D=d, R=RUN, **given,
    )  # fmt: skip
    return high, low
