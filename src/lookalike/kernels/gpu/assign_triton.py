"""The Triton kernels of k-means: the nearest center of every row, by codes and in float64."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from lookalike.kernels.gpu.assign_torch import (
    FLOAT32_DISTANCE_ROUNDING,
    NO_CENTER_SCORE,
    AssignCodes,
    CodeForm,
    number_mask,
)

FLOAT32_LENGTH_FACTOR = 1 + 1e-6  # than lengths, also after its own rounding to float32
NARROW_LAUNCH = (128, 4, 2)
WIDE_LAUNCH = (128, 8, 3)  # rows of a program, warps and stages


@triton.jit
def _encode_centers(
    C, mean, code, height, limits, n_centers, scale, largest, per_value, wider, far,
    D: tl.constexpr, W: tl.constexpr, B: tl.constexpr,
):  # fmt: skip
    """The code of a center and its squared length; the largest residual and length of all."""
    center = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, B)
    real = (column < D) & (center < n_centers)
    c = tl.load(C + center * D + column, mask=real, other=0.0)
    center_mean = tl.load(mean + column, mask=real, other=0.0)
    shifted = tl.where(real, (c - center_mean) * tl.load(scale), 0.0)
    half = tl.minimum(tl.maximum(shifted, -largest), largest).to(tl.float16)
    wide = half.to(tl.float64)
    tl.store(code + center * W + column, half, mask=column < W)
    difference = shifted - wide
    residual = tl.sqrt(tl.sum(difference * difference)) + tl.max(tl.abs(shifted)) * per_value
    length = tl.sum(wide * wide)
    tl.store(height + center, tl.where(center < n_centers, length.to(tl.float32), far))
    # numbers that are not negative are in the order of their bits
    tl.atomic_max(limits, (residual * wider).to(tl.int64, bitcast=True))
    tl.atomic_max(limits + 1, (tl.sqrt(length) * wider).to(tl.int64, bitcast=True))


@triton.jit
def _pack(score, center, MASK: tl.constexpr):
    """Put the number of a center into the last digits of its score."""
    bits = (score.to(tl.int32, bitcast=True) & (-1 - MASK)) | center[None, :]
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def _bounds(norm, own, limits, near, unit):
    """Return what rounding may add to a score, and what codes may add to a distance."""
    residual = tl.load(limits)
    length = tl.load(limits + 1)
    reach = tl.load(norm + near).to(tl.float64)
    error = unit * (length * length + 2 * tl.sqrt(reach) * length + reach + 1.0)
    return error, tl.load(own + near).to(tl.float64) + residual


@triton.jit
def _farthest(score, error, digits):
    """Return at least the distance that belongs to a score."""
    return tl.sqrt(tl.maximum(score.to(tl.float64) * (1 + digits) + error - 1.0, 0.0))


@triton.jit
def _closest(score, error, digits):
    """Return at most the distance that belongs to a score."""
    return tl.sqrt(tl.maximum(score.to(tl.float64) * (1 - digits) - error - 1.0, 0.0))


@triton.jit
def _nearest_certain(
    X, C, height, norm, own, limits, label, n_rows, n_centers, unit, step,
    D: tl.constexpr, BQ: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, MASK: tl.constexpr,
):  # fmt: skip
    """label[i] = the center of the least |x_i - c|^2 where that is certain, else -1.

    Two tiles of centers at a time: where the lesser of a pair of scores is the least of all, the
    greater takes its place among those of which the second is sought.
    """
    row = tl.program_id(0) * BQ + tl.arange(0, BQ)
    near = tl.minimum(row, n_rows - 1).to(tl.int64)
    start = tl.load(norm + near) + 1.0
    best = tl.full((BQ,), 3e38, tl.float32)
    second = tl.full((BQ,), 3e38, tl.float32)
    column = tl.arange(0, BK)
    if BK == D:
        x = tl.load(X + near[:, None] * D + column[None, :])
    for tile in range(0, n_centers, 2 * BN):
        center = tile + tl.arange(0, BN)
        two = center + BN
        score = start[:, None] + tl.load(height + center)[None, :]
        other = start[:, None] + tl.load(height + two)[None, :]
        if BK == D:
            score = tl.dot(x, tl.load(C + center[None, :] * D + column[:, None]), score)
            other = tl.dot(x, tl.load(C + two[None, :] * D + column[:, None]), other)
        else:
            x_at = X + near[:, None] * D + column[None, :]
            one_at = C + center[None, :] * D + column[:, None]
            two_at = C + two[None, :] * D + column[:, None]
            for _ in range(0, D, BK):
                part = tl.load(x_at)
                score = tl.dot(part, tl.load(one_at), score)
                other = tl.dot(part, tl.load(two_at), other)
                x_at += BK
                one_at += BK
                two_at += BK
        score = _pack(score, center, MASK)
        other = _pack(other, two, MASK)
        low = tl.minimum(score, other)
        least = tl.min(low, axis=1)
        rest = tl.min(tl.where(low == least[:, None], tl.maximum(score, other), low), axis=1)
        second = tl.minimum(tl.minimum(second, rest), tl.maximum(best, least))
        best = tl.minimum(best, least)
    error, slack = _bounds(norm, own, limits, near, unit)
    digits = (MASK + 1) * 2.0**-22
    nearer = _farthest(best, error, digits)
    further = _closest(second, error, digits)
    certain = further * (1 - step) > nearer * (1 + step) + 2 * slack * (1 + step)
    best_center = best.to(tl.int32, bitcast=True) & MASK
    tl.store(label + row, tl.where(certain, best_center, -1), mask=row < n_rows)


@triton.jit
def _contenders(
    X, C, height, norm, own, limits, rows, found, n_found, n_centers, unit, step,
    D: tl.constexpr, BQ: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, MASK: tl.constexpr,
):  # fmt: skip
    """found[i] = the at most four centers that may be nearest to rows[i], -1 where there are fewer.

    A fourth one means that there may be more.
    """
    position = tl.program_id(0) * BQ + tl.arange(0, BQ)
    near = tl.load(rows + tl.minimum(position, n_found - 1))
    start = tl.load(norm + near) + 1.0
    b1 = tl.full((BQ,), 3e38, tl.float32)
    b2 = b1
    b3 = b1
    b4 = b1
    column = tl.arange(0, BK)
    for tile in range(0, n_centers, BN):
        center = tile + tl.arange(0, BN)
        score = start[:, None] + tl.load(height + center)[None, :]
        x_at = X + near[:, None] * D + column[None, :]
        c_at = C + center[None, :] * D + column[:, None]
        for _ in range(0, D, BK):
            score = tl.dot(tl.load(x_at), tl.load(c_at), score)
            x_at += BK
            c_at += BK
        score = _pack(score, center, MASK)
        for _ in tl.static_range(4):
            least = tl.min(score, axis=1)
            score = tl.where(score == least[:, None], 3e38, score)
            more = tl.maximum(b1, least)
            b1 = tl.minimum(b1, least)
            least = tl.maximum(b2, more)
            b2 = tl.minimum(b2, more)
            more = tl.maximum(b3, least)
            b3 = tl.minimum(b3, least)
            b4 = tl.minimum(b4, more)
    error, slack = _bounds(norm, own, limits, near, unit)
    digits = (MASK + 1) * 2.0**-22
    limit = _farthest(b1, error, digits) * (1 + step) + 2 * slack * (1 + step)
    inside = position < n_found
    out = found + position * 4
    for slot in tl.static_range(4):
        value = b1 if slot == 0 else (b2 if slot == 1 else (b3 if slot == 2 else b4))
        maybe = (_closest(value, error, digits) * (1 - step) <= limit) & (value < 2e38)
        number = value.to(tl.int32, bitcast=True) & MASK
        tl.store(out + slot, tl.where(maybe, number, -1), mask=inside)


@triton.jit
def _decide(
    X, C, rows, found, label, n_found,
    D: tl.constexpr, BLOCKS: tl.constexpr, R: tl.constexpr,
):  # fmt: skip
    """Give rows the nearest of their contenders by float64 keys, the lowest of equals.

    Rows with a fourth contender keep -1. Compiled without contraction.
    """
    position = tl.program_id(0) * (4 * R) + tl.arange(0, 4 * R)
    which = position // 4
    center = tl.load(found + position, mask=which < n_found, other=-1)
    row = tl.load(rows + tl.minimum(which, n_found - 1))
    known = center >= 0
    lane = tl.arange(0, 8)
    total = tl.zeros((4 * R, 8), tl.float64)
    x_at = X + row[:, None] * D + lane[None, :]
    c_at = C + center[:, None].to(tl.int64) * D + lane[None, :]
    for block in range(BLOCKS):
        here = known[:, None] & ((block * 8 + lane)[None, :] < D)
        x = tl.load(x_at + block * 8, mask=here, other=0.0).to(tl.float64)
        difference = x - tl.load(c_at + block * 8, mask=here, other=0.0)
        total += difference * difference
    four = tl.sum(tl.reshape(total, (4 * R, 2, 4)), axis=1)
    two = tl.sum(tl.reshape(four, (4 * R, 2, 2)), axis=1)
    key = tl.reshape(tl.where(known, tl.sum(two, axis=1), float("inf")), (R, 4))
    number = tl.reshape(center, (R, 4))
    least = tl.min(key, axis=1)
    best = tl.min(tl.where(key == least[:, None], number, 0x7FFFFFFF), axis=1)
    line = tl.program_id(0) * R + tl.arange(0, R)
    inside = line < n_found
    full = tl.load(found + line * 4 + 3, mask=inside, other=0) >= 0
    to = tl.load(rows + line, mask=inside, other=0)
    tl.store(label + to, tl.where(full, -1, best), mask=inside)


def encode_centers(C: torch.Tensor, form: CodeForm) -> tuple[torch.Tensor, ...]:
    """Return codes, squared lengths (FAR for no center), the largest residual and length."""
    mean, size, width, scale, largest, per_value = form
    code = torch.empty((size, width), dtype=torch.float16, device=C.device)
    height = torch.empty(size, dtype=torch.float32, device=C.device)
    limits = torch.zeros(2, dtype=torch.int64, device=C.device)
    _encode_centers[(size,)](
        C, mean, code, height, limits, len(C), scale, largest, per_value,
        FLOAT32_LENGTH_FACTOR, NO_CENTER_SCORE,
        D=C.shape[1], W=width, B=triton.next_power_of_2(width), num_warps=4,
    )  # fmt: skip
    return code, height, limits.view(torch.float64)


def nearest_certain(codes: AssignCodes) -> torch.Tensor:
    """Return the nearest center of every row where it is certain, -1 elsewhere."""
    code, norm, residual, centers, height, limits, unit = codes
    n, width = code.shape
    label = torch.empty(n, dtype=torch.int32, device=code.device)
    narrow = width <= 128
    block, warps, stages = NARROW_LAUNCH if narrow else WIDE_LAUNCH
    _nearest_certain[(triton.cdiv(n, block),)](
        code, centers, height, norm, residual, limits, label, n, len(centers), unit,
        FLOAT32_DISTANCE_ROUNDING,
        D=width, BQ=block, BN=64, BK=width if narrow else 64, MASK=number_mask(len(centers)),
        num_warps=warps, num_stages=stages,
    )  # fmt: skip
    return label


def decide(
    codes: AssignCodes, rows: torch.Tensor, X: torch.Tensor, C: torch.Tensor, label: torch.Tensor
) -> None:
    """Give some rows their nearest center in float64, in place, where few centers contend."""
    code, norm, residual, centers, height, limits, unit = codes
    n, width = len(rows), code.shape[1]
    found = torch.empty((n, 4), dtype=torch.int32, device=X.device)
    block, warps, stages = NARROW_LAUNCH if width <= 128 else WIDE_LAUNCH
    _contenders[(triton.cdiv(n, block),)](
        code, centers, height, norm, residual, limits, rows, found, n, len(centers), unit,
        FLOAT32_DISTANCE_ROUNDING,
        D=width, BQ=block, BN=64, BK=width if width <= 128 else 64,
        MASK=number_mask(len(centers)), num_warps=warps, num_stages=stages,
    )  # fmt: skip
    d = X.shape[1]
    _decide[(triton.cdiv(n, 16),)](
        X, C, rows, found, label, n,
        D=d, BLOCKS=triton.cdiv(d, 8), R=16, num_warps=4, enable_fp_fusion=False,
    )  # fmt: skip
