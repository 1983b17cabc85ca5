"""The Triton kernels of exact search: block minima, candidates, float64 keys, the k smallest."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from lookalike.kernels.gpu import exact_torch
from lookalike.kernels.gpu.candidates import Bounds, CandidateGroups, CandidateRequest

ROWS_PER_PROGRAM = 64  # whose keys one program computes
LONGEST_RANKING = 128  # neighbors that one program puts in order
FEW_QUERIES = 64
BLOCKS_LOADED_AHEAD = 4  # blocks of eight columns that are loaded before they are added


@triton.jit
def _encode(
    Q, mean, code, norm, slack, rounding, scale, largest, row_residual, row_length, unit, per_value,
    D: tl.constexpr, W: tl.constexpr, B: tl.constexpr,
):  # fmt: skip
    """The code of a query times -2, its squared length, and how far scores may be off."""
    query = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, B)
    real = column < D
    q = tl.load(Q + query * D + column, mask=real, other=0.0).to(tl.float64)
    shifted = (q - tl.load(mean + column, mask=real, other=0.0)) * tl.load(scale)
    half = tl.minimum(tl.maximum(shifted, -largest), largest).to(tl.float16)
    wide = half.to(tl.float64)
    tl.store(code + query * W + column, half * -2.0, mask=column < W)
    difference = shifted - wide
    residual = (
        tl.sqrt(tl.sum(difference * difference)) * (1.0 + 1e-9)
        + tl.max(tl.abs(shifted)) * per_value
    )
    own = tl.sum(wide * wide)
    tl.store(norm + query, own)
    tl.store(slack + query, residual + row_residual)
    tl.store(rounding + query, unit * (row_length * row_length + 2 * tl.sqrt(own) * row_length))


@triton.jit
def _store_minima(
    score, minima, query, tile, n_queries, n_groups,
    BQ: tl.constexpr, BN: tl.constexpr, G: tl.constexpr,
):  # fmt: skip
    """Write the least score of each query in every group of a tile of rows."""
    least = tl.min(tl.reshape(score, (BQ, BN // G, G)), axis=2)
    group = tile * (BN // G) + tl.arange(0, BN // G)
    tl.store(
        minima + query[:, None].to(tl.int64) * n_groups + group[None, :],
        least,
        mask=query[:, None] < n_queries,
    )


@triton.jit
def _minima(
    Q, X, norm, minima, n_queries, n_groups, n_tiles, tiles_each,
    D: tl.constexpr, BQ: tl.constexpr, BN: tl.constexpr, G: tl.constexpr,
):  # fmt: skip
    """minima[i, g] = min over rows x of group g of |x|^2 - 2 q_i x; the query tile stays put."""
    query_blocks = tl.cdiv(n_queries, BQ)
    pid = tl.program_id(0)
    split = pid // query_blocks  # neighbors in the grid read the same rows: they come from L2
    query = (pid % query_blocks) * BQ + tl.arange(0, BQ)
    column = tl.arange(0, D)
    q = tl.load(
        Q + query[:, None].to(tl.int64) * D + column[None, :],
        mask=query[:, None] < n_queries,
        other=0.0,
    )
    first = split * tiles_each
    last = tl.minimum(first + tiles_each, n_tiles)
    for tile in range(first, last):
        row = tile * BN + tl.arange(0, BN)
        x = tl.load(X + row[None, :].to(tl.int64) * D + column[:, None])
        start = tl.broadcast_to(tl.load(norm + row)[None, :], (BQ, BN))
        score = tl.dot(q, x, start)
        _store_minima(score, minima, query, tile, n_queries, n_groups, BQ, BN, G)


@triton.jit
def _minima_wide(
    Q, X, norm, minima, n_queries, n_groups, n_tiles, D,
    BQ: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr,
    BAND: tl.constexpr,
):  # fmt: skip
    """The same for rows too wide for one product: columns come in steps of BK."""
    query_blocks = tl.cdiv(n_queries, BQ)
    pid = tl.program_id(0)
    in_band = BAND * query_blocks  # tiles of a band of rows meet all queries while they are in L2
    band = pid // in_band
    band_tiles = tl.minimum(n_tiles - band * BAND, BAND)
    tile = band * BAND + (pid % in_band) % band_tiles
    query = ((pid % in_band) // band_tiles) * BQ + tl.arange(0, BQ)
    row = tile * BN + tl.arange(0, BN)
    step = tl.arange(0, BK)
    q_at = Q + tl.minimum(query, n_queries - 1)[:, None].to(tl.int64) * D + step[None, :]
    x_at = X + row[None, :].to(tl.int64) * D + step[:, None]
    score = tl.broadcast_to(tl.load(norm + row)[None, :], (BQ, BN))
    for _ in range(0, D, BK):
        score = tl.dot(tl.load(q_at), tl.load(x_at), score)
        q_at += BK
        x_at += BK
    _store_minima(score, minima, query, tile, n_queries, n_groups, BQ, BN, G)


@triton.jit
def _sortable(value):
    """Return float32 as int32 in the same order."""
    bits = value.to(tl.int32, bitcast=True)
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


@triton.jit
def _kth(keys, k, low, high):
    """Return the k-th smallest of int32 keys by bisection between two of them."""
    low = low.to(tl.int64)
    high = high.to(tl.int64)
    while low < high:
        middle = (low + high) >> 1
        enough = tl.sum((keys <= middle.to(tl.int32)).to(tl.int32)) >= k
        low = tl.where(enough, low, middle + 1)
        high = tl.where(enough, middle, high)
    return low.to(tl.int32)


@triton.jit
def _choose(
    minima, query_norm, slack, reach, candidate, count, n_groups, k, capacity, rounding,
    S: tl.constexpr, GIVEN: tl.constexpr,
):  # fmt: skip
    """Write the groups that may hold a neighbor: as many as there are, so that none is missed.

    `slack` is r_q + max r_x and `rounding` bounds the error of a minimum, of each query. GIVEN:
    `reach` is the largest distance wanted; else the k-th smallest of S minima bounds it.
    """
    query = tl.program_id(0).to(tl.int64)
    line = minima + query * n_groups
    own = tl.load(query_norm + query)
    wide = tl.load(slack + query)
    error = tl.load(rounding + query)
    slot_number = tl.arange(0, S)
    if GIVEN:
        limit = tl.load(reach + query)
    else:
        least = tl.full((S,), float("inf"), tl.float32)
        for first in range(0, n_groups, S):
            at = first + slot_number
            least = tl.minimum(least, tl.load(line + at, mask=at < n_groups, other=float("inf")))
        keys = _sortable(least)
        kth = _kth(keys, k, tl.min(keys), tl.max(keys))
        level = (kth ^ ((kth >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True).to(tl.float64)
        limit = tl.sqrt(tl.maximum(level + own + error, 0.0)) + wide
    limit = (limit + wide) * 1.000001
    bound = limit * limit - own + error
    bound = (bound + tl.abs(bound) * 1e-6).to(tl.float32)  # more than its rounding
    taken = 0
    for first in range(0, n_groups, S):
        at = first + slot_number
        value = tl.load(line + at, mask=at < n_groups, other=float("inf"))
        here = ((value <= bound) & (at < n_groups)).to(tl.int32)
        slot = taken + tl.cumsum(here, 0) - here
        tl.store(candidate + query * capacity + slot, at, mask=(here > 0) & (slot < capacity))
        taken += tl.sum(here)
    tl.store(count + query, taken)


@triton.jit
def _keys(
    Q, X, candidate, count, exclude, key, n_rows, capacity, width,
    D: tl.constexpr, G: tl.constexpr, R: tl.constexpr, BLOCKS: tl.constexpr, AHEAD: tl.constexpr,
):  # fmt: skip
    """The squared distance of a query to the rows of its candidate groups, as the reference sums.

    Term j goes to lane j % 8, the lanes are folded 8 -> 4 -> 2 -> 1; compiled without contraction.
    """
    query = tl.program_id(0).to(tl.int64)
    position = tl.program_id(1) * R + tl.arange(0, R)
    out = key + query * width + position
    number = tl.load(count + query)
    if tl.program_id(1) * R >= number * G:
        tl.store(out, tl.full((R,), float("inf"), tl.float64), mask=position < width)
        return
    slot = position // G
    group = tl.load(candidate + query * capacity + slot, mask=slot < number, other=0)
    row = group.to(tl.int64) * G + position % G
    known = (slot < number) & (row < n_rows) & (row != tl.load(exclude + query))
    lane = tl.arange(0, 8)
    total = tl.zeros((R, 8), tl.float64)
    at = X + row[:, None] * D + lane[None, :]
    for block in range(BLOCKS):
        for ahead in tl.static_range(AHEAD):
            column = (block * AHEAD + ahead) * 8 + lane
            q = tl.load(Q + query * D + column, mask=column < D, other=0.0).to(tl.float64)
            x = tl.load(
                at + (block * AHEAD + ahead) * 8,
                mask=known[:, None] & (column[None, :] < D),
                other=0.0,
            ).to(tl.float64)
            difference = q[None, :] - x
            total += difference * difference
    four = tl.sum(tl.reshape(total, (R, 2, 4)), axis=1)
    two = tl.sum(tl.reshape(four, (R, 2, 2)), axis=1)
    one = tl.sum(two, axis=1)
    tl.store(out, tl.where(known, one, float("inf")), mask=position < width)


@triton.jit
def _smallest(
    key, candidate, out_key, out_row, k, capacity, width,
    W: tl.constexpr, G: tl.constexpr,
):  # fmt: skip
    """Write the k smallest keys of every query in order of their rows; ties by row number."""
    query = tl.program_id(0).to(tl.int64)
    position = tl.arange(0, W)
    bits = tl.load(key + query * width + position, mask=position < width, other=float("inf")).to(
        tl.int64, bitcast=True
    )
    low = tl.min(bits)
    high = tl.max(bits)
    while low < high:
        middle = low + ((high - low) >> 1)
        enough = tl.sum((bits <= middle).to(tl.int32)) >= k
        low = tl.where(enough, low, middle + 1)
        high = tl.where(enough, middle, high)
    below = (bits < low).to(tl.int32)
    level = (bits == low).to(tl.int32)
    spare = k - tl.sum(below)
    before = tl.cumsum(level, 0) - level
    taken = below | (level & (before < spare).to(tl.int32))
    slot = tl.cumsum(taken, 0) - taken
    group = tl.load(candidate + query * capacity + position // G, mask=position < width, other=0)
    row = group.to(tl.int64) * G + position % G
    inside = (taken > 0) & (slot < k)
    tl.store(out_key + query * k + slot, bits.to(tl.float64, bitcast=True), mask=inside)
    tl.store(out_row + query * k + slot, row, mask=inside)


@triton.jit
def _order(key, row, out_key, out_row, k, K: tl.constexpr):
    """Write the keys of a query in order, equal ones by row: each counts those before it."""
    query = tl.program_id(0).to(tl.int64)
    position = tl.arange(0, K)
    inside = position < k
    mine = tl.load(key + query * k + position, mask=inside, other=float("inf"))
    own = tl.load(row + query * k + position, mask=inside, other=0x7FFFFFFFFFFFFFFF)
    first = (mine[None, :] < mine[:, None]) | (
        (mine[None, :] == mine[:, None]) & (own[None, :] < own[:, None])
    )
    rank = tl.sum((first & inside[None, :]).to(tl.int32), axis=1)
    tl.store(out_key + query * k + rank, mine, mask=inside)
    tl.store(out_row + query * k + rank, own, mask=inside)


def encode(
    Q: torch.Tensor, mean: torch.Tensor, width: int, *, scale: torch.Tensor, largest: float,
    residual: float, length: float, unit: float, per_value: float,
) -> tuple[torch.Tensor, Bounds]:  # fmt: skip
    """Return the codes of queries times -2; their squared lengths, slack and rounding."""
    n_queries, d = Q.shape
    code = torch.empty((n_queries, width), dtype=torch.float16, device=Q.device)
    bounds = torch.empty((3, n_queries), dtype=torch.float64, device=Q.device)
    _encode[(n_queries,)](
        Q, mean, code, *bounds, scale, largest, residual, length, unit, per_value,
        D=d, W=width, B=triton.next_power_of_2(width), num_warps=4,
    )  # fmt: skip
    return code, (bounds[0], bounds[1], bounds[2])


def minima(codes: torch.Tensor, norm: torch.Tensor, queries: torch.Tensor, group: int) -> Any:
    """Return the least score of every group of rows for every query; `queries` are times -2."""
    n, width = codes.shape
    n_queries = len(queries)
    n_groups = n // group
    out = torch.empty((n_queries, n_groups), dtype=torch.float32, device=codes.device)
    if width <= 128:
        block = 256 if n_queries > 128 else (128 if n_queries > 64 else 64)
        tile = 128
        n_tiles = n // tile
        blocks = triton.cdiv(n_queries, block)
        splits = max(1, min(n_tiles, max(32, triton.cdiv(2 * 132, blocks))))
        each = triton.cdiv(n_tiles, splits)
        grid = (blocks * triton.cdiv(n_tiles, each),)
        _minima[grid](
            queries, codes, norm, out, n_queries, n_groups, n_tiles, each,
            D=width, BQ=block, BN=tile, G=group, num_warps=8 if block == 256 else 4, num_stages=3,
        )  # fmt: skip
        return out
    block, tile = (128, 256) if n_queries > 64 else (64, 256)
    n_tiles = n // tile
    grid = (n_tiles * triton.cdiv(n_queries, block),)
    _minima_wide[grid](
        queries, codes, norm, out, n_queries, n_groups, n_tiles, width,
        BQ=block, BN=tile, BK=64, G=group, BAND=8, num_warps=8, num_stages=3,
    )  # fmt: skip
    return out


def choose(least: torch.Tensor, bounds: Bounds, wanted: CandidateRequest) -> CandidateGroups:
    """Return the groups of rows that may hold one of the k nearest, or a row in reach."""
    query_norm, slack, rounding = bounds
    size, k, capacity, reach = wanted
    n_queries, n_groups = least.shape
    together = min(4096, max(1024, triton.next_power_of_2(4 * k)))
    few = n_queries <= FEW_QUERIES  # programs that leave most of the GPU idle: wider ones
    together = 4096 if few else together
    candidate = torch.zeros((n_queries, capacity), dtype=torch.int32, device=least.device)
    count = torch.empty(n_queries, dtype=torch.int32, device=least.device)
    _choose[(n_queries,)](
        least, query_norm, slack, slack if reach is None else reach, candidate, count,
        n_groups, k, capacity, rounding, S=together, GIVEN=reach is not None,
        num_warps=8 if few else 4,
    )  # fmt: skip
    return CandidateGroups(candidate, count, size)


def keys(
    Q: torch.Tensor, X: torch.Tensor, groups: CandidateGroups, exclude: torch.Tensor, slots: int
) -> torch.Tensor:
    """Return the float64 keys of the rows of the candidate groups, +inf where there is none."""
    n_queries, d = Q.shape
    width = slots * groups.size
    out = torch.empty((n_queries, width), dtype=torch.float64, device=X.device)
    together = min(BLOCKS_LOADED_AHEAD, triton.cdiv(d, 8))
    _keys[(n_queries, triton.cdiv(width, ROWS_PER_PROGRAM))](
        Q, X, groups.group, groups.count, exclude, out, len(X), groups.group.shape[1], width,
        D=d, G=groups.size, R=ROWS_PER_PROGRAM, BLOCKS=triton.cdiv(d, 8 * together),
        AHEAD=together,
        num_warps=4, enable_fp_fusion=False,
    )  # fmt: skip
    return out


def smallest(
    key: torch.Tensor, groups: CandidateGroups, k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k smallest keys of every query and their rows, in order of rows."""
    n_queries, width = key.shape
    out_key = torch.empty((n_queries, k), dtype=torch.float64, device=key.device)
    out_row = torch.empty((n_queries, k), dtype=torch.int64, device=key.device)
    size = triton.next_power_of_2(width)
    _smallest[(n_queries,)](
        key, groups.group, out_key, out_row, k, groups.group.shape[1], width,
        W=size, G=groups.size, num_warps=4 if size <= 2048 else 8,
    )  # fmt: skip
    return out_key, out_row


def ordered(key: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return keys and rows of every query sorted by key, equal keys by row."""
    n_queries, k = key.shape
    if k > LONGEST_RANKING:
        return exact_torch.ordered(key, row)
    out_key, out_row = torch.empty_like(key), torch.empty_like(row)
    size = max(2, triton.next_power_of_2(k))
    _order[(n_queries,)](key, row, out_key, out_row, k, K=size, num_warps=1 if size < 64 else 4)
    return out_key, out_row
