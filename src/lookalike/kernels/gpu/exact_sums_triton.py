"""The Triton kernels of exact sums: rows are added to their centers, or taken away again."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from lookalike.kernels.gpu.exact_sums_torch import SumTerms

TERMS_PER_PROGRAM = 512  # terms of one center that one program adds
COLUMNS_PER_PROGRAM = 128  # columns that one program adds


@triton.jit
def _split(value, big, small):
    """Return a value rounded to the coarse grid, and the rest of it to the fine one."""
    rounded = (value + big) - big
    return rounded, ((value - rounded) + small) - small


@triton.jit
def _run_of(begin, end):
    """Return the number of the run of a program, and where it begins and ends."""
    run = tl.program_id(0)
    return run, tl.load(begin + run), tl.load(end + run)


@triton.jit
def _add_terms(
    X, weight, term, sign, center, begin, end, shift, coarse, fine, high, low,
    D: tl.constexpr, B: tl.constexpr, R: tl.constexpr, WEIGHTED: tl.constexpr,
    SIGNED: tl.constexpr,
):  # fmt: skip
    """Add the terms of a run of rows of one center; compiled without contraction."""
    run, first, last = _run_of(begin, end)
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
        position = at + tl.arange(0, R)
        inside = position < last
        row = tl.load(term + position, mask=inside, other=0)
        x = tl.load(
            X + row[:, None] * D + column[None, :], mask=inside[:, None] & real[None, :], other=0.0
        ).to(tl.float64)
        value = x - away[None, :]
        if WEIGHTED:
            value = value * tl.load(weight + row, mask=inside, other=0.0)[:, None]
        rounded, rest = _split(value, big[None, :], small[None, :])
        if SIGNED:
            plus = tl.load(sign + position, mask=inside, other=0.0)
            rounded = rounded * plus[:, None]
            rest = rest * plus[:, None]
        else:
            rounded = tl.where(inside[:, None], rounded, 0.0)
            rest = tl.where(inside[:, None], rest, 0.0)
        above += rounded
        below += rest
    to = tl.load(center + run).to(tl.int64) * (D + 2) + column
    tl.atomic_add(high + to, tl.sum(above, axis=0), mask=real, sem="relaxed")
    tl.atomic_add(low + to, tl.sum(below, axis=0), mask=real, sem="relaxed")


@triton.jit
def _add_extra(
    square, weight, term, sign, center, begin, end, coarse, fine, high, low,
    D: tl.constexpr, R: tl.constexpr, WEIGHTED: tl.constexpr, SIGNED: tl.constexpr,
):  # fmt: skip
    """The same of the weights and of the squared lengths."""
    run, first, last = _run_of(begin, end)
    if first >= last:
        return
    position = first + tl.arange(0, R)
    inside = position < last
    row = tl.load(term + position, mask=inside, other=0)
    plus = inside.to(tl.float64)
    if SIGNED:
        plus = tl.load(sign + position, mask=inside, other=0.0)
    one = tl.full((R,), 1.0, tl.float64)
    length = tl.load(square + row, mask=inside, other=0.0)
    if WEIGHTED:
        one = tl.load(weight + row, mask=inside, other=0.0)
        length = length * one
    to = tl.load(center + run).to(tl.int64) * (D + 2) + D
    rounded, rest = _split(one, tl.load(coarse + D), tl.load(fine + D))
    tl.atomic_add(high + to, tl.sum(rounded * plus, axis=0), sem="relaxed")
    tl.atomic_add(low + to, tl.sum(rest * plus, axis=0), sem="relaxed")
    rounded, rest = _split(length, tl.load(coarse + D + 1), tl.load(fine + D + 1))
    tl.atomic_add(high + to + 1, tl.sum(rounded * plus, axis=0), sem="relaxed")
    tl.atomic_add(low + to + 1, tl.sum(rest * plus, axis=0), sem="relaxed")


def add_terms(of: SumTerms) -> tuple[torch.Tensor, torch.Tensor]:
    """Return sums of (x - shift, 1, |x - shift|^2) a center, on a coarse and on a fine grid."""
    X, row, center, n_added, n_centers, square, weight, grid = of
    d, device = X.shape[1], X.device
    high, low = torch.zeros((2, n_centers, d + 2), dtype=torch.float64, device=device)
    n_terms = len(center)
    if n_terms == 0:
        return high, low
    ordered, order = (center.to(torch.int16) if n_centers < 2**15 else center).sort()
    term, signed = order if row is None else row[order], n_added < n_terms
    sign = torch.where(order < n_added, 1.0, -1.0).double() if signed else term
    numbers = torch.arange(n_centers, device=device, dtype=ordered.dtype)
    stop = torch.searchsorted(ordered, numbers, right=True)
    count = torch.diff(stop, prepend=stop.new_zeros(1))
    runs = torch.div(count + (TERMS_PER_PROGRAM - 1), TERMS_PER_PROGRAM, rounding_mode="floor")
    last_run = runs.cumsum(0)
    number = torch.arange(n_terms // TERMS_PER_PROGRAM + n_centers, device=device)
    of = torch.searchsorted(last_run, number, right=True).clamp(max=n_centers - 1)
    begin = (stop - count)[of] + (number - (last_run - runs)[of]) * TERMS_PER_PROGRAM
    end = torch.minimum(begin + TERMS_PER_PROGRAM, stop[of])
    end = torch.where(number < last_run[-1], end, begin)
    shift, coarse, fine = grid
    share = square if weight is None else weight
    given = {"WEIGHTED": weight is not None, "SIGNED": signed, "enable_fp_fusion": False}
    _add_terms[(len(number), triton.cdiv(d, COLUMNS_PER_PROGRAM))](
        X, share, term, sign, of, begin, end, shift, coarse, fine, high, low,
        D=d, B=min(COLUMNS_PER_PROGRAM, triton.next_power_of_2(d)), R=8, num_warps=4, **given,
    )  # fmt: skip
    _add_extra[(len(number),)](
        square, share, term, sign, of, begin, end, coarse, fine, high, low,
        D=d, R=TERMS_PER_PROGRAM, num_warps=4, **given,
    )  # fmt: skip
    return high, low
