r"""Exact nearest rows on a GPU: half-precision codes rule groups of rows out, float64 decides.

Rows are centered, scaled by a power of two and rounded to float16: :math:`\hat x`, with the true
residual :math:`r_x = \|x - \hat x\|`. For a query q

.. math:: \bigl| \|q - x\| - \|\hat q - \hat x\| \bigr| \le r_q + r_x.

The matrix units give the least :math:`\|\hat x\|^2 - 2 \hat q \hat x` of every group of rows. The
k-th smallest of these bounds the k-th distance from above; every group whose minimum, less the
slack, lies below that bound is a candidate, however many there are. The rows of candidates are
compared by direct differences in float64, in the reference's order of summation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import torch

from lookalike.kernels.gpu import exact_torch
from lookalike.kernels.gpu.candidates import Bounds, CandidateGroups, CandidateRequest

GROUP_SIZES = (16, 32, 64)  # rows of a group
ROW_TILE = 256  # rows are padded to a multiple
LARGEST_CODE = 2.0**13  # of a row
LARGEST_QUERY_CODE = 32752.0  # of a query: twice that is the largest float16
MINIMA_BYTES = 2**31  # of the minima of one batch of queries
KEY_BYTES = 2**31  # of the keys of one batch
MAX_ROWS_WITHOUT_CODES = 4096  # rows without codes, at most: they are compared with every query
FLOAT64_BLOCK_VALUES = 2**25  # numbers that are float64 at a time
LARGEST_K = 1024  # neighbors from which on all rows are compared
MAX_KEYS_PER_PROGRAM = 8192  # keys of a query that one program sorts out


class Codes(NamedTuple):
    """Rows and their codes on the GPU; all of it is replaced together, never changed."""

    X: torch.Tensor  # (n, d) as given
    code: torch.Tensor  # (padded n, padded d) float16
    norm: torch.Tensor  # (padded n,) float32, +inf for rows without codes
    mean: torch.Tensor  # (d,) float64
    scale: torch.Tensor  # (), float64: a power of two, which float32 may not hold
    residual: float  # largest of a row with a code, in units of codes
    norm_bound: float  # largest length of a code
    always: torch.Tensor  # rows that are compared with every query, in order


def padded_width(d: int) -> int:
    """Return the columns of codes: what one product of the matrix units takes."""
    if d <= 128:
        return max(16, 1 << (d - 1).bit_length())
    return -(-d // 64) * 64


def group_size(n: int, k: int, d: int) -> int:
    """Return the rows of a group: small groups cost minima, large ones cost rows to compare."""
    best = math.sqrt(2.4 * n / (k * d))  # where both cost the same on an H200
    return min(GROUP_SIZES, key=lambda size: abs(math.log(size / best)))


def bytes_per_row(X: Any) -> int:
    """Return what a row takes on the GPU: itself, its code, and its share of temporaries."""
    d = int(X.shape[1])
    item = int(X.itemsize)
    return d * item + 2 * padded_width(d) + 64


def build_codes(X: torch.Tensor) -> Codes:
    """Return the rows with their codes, made where the rows lie."""
    n, d = X.shape
    device = X.device
    mean, scale, largest = mean_and_scale(X)
    step = max(1, FLOAT64_BLOCK_VALUES // d)
    size = -(-n // ROW_TILE) * ROW_TILE
    code = torch.zeros((size, padded_width(d)), dtype=torch.float16, device=device)
    norm = torch.full((size,), torch.inf, dtype=torch.float32, device=device)
    residual = torch.empty(n, dtype=torch.float64, device=device)
    length = torch.empty(n, dtype=torch.float64, device=device)
    for first in range(0, n, step):
        rows = slice(first, min(first + step, n))
        shifted = (X[rows].double() - mean) * scale
        half = shifted.half()
        code[rows, :d] = half
        wide = half.double()
        residual[rows] = (shifted - wide).square_().sum(1).sqrt_()
        length[rows] = wide.square_().sum(1)
        norm[rows] = length[rows].float()
    # the mean and the difference are rounded to float64: as good as a residual of every row
    offset = float((mean.abs().max() + largest) * scale) * math.sqrt(d) * 2.0**-51
    residual += offset
    always = _without_codes(residual)
    norm[always] = torch.inf
    coded = torch.ones(n, dtype=torch.bool, device=device)
    coded[always] = False
    any_coded = bool(coded.any())
    return Codes(
        X,
        code,
        norm,
        mean,
        scale,
        float(residual[coded].max()) * (1 + 1e-9) if any_coded else 0.0,
        float(length[coded].max()) ** 0.5 * (1 + 1e-9) if any_coded else 0.0,
        always,
    )


def mean_and_scale(X: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Return the mean, the power of two that codes are scaled by, and the largest difference.

    The power stays a tensor: kernels are given numbers as float32, which holds few powers of two.
    """
    n, d = X.shape
    mean = torch.zeros(d, dtype=torch.float64, device=X.device)
    step = max(1, FLOAT64_BLOCK_VALUES // d)
    for first in range(0, n, step):
        mean += X[first : first + step].double().sum(0)
    mean /= n
    spread = torch.zeros((), dtype=torch.float64, device=X.device)
    for first in range(0, n, step):
        difference = (X[first : first + step].double() - mean).abs_().max()
        spread = torch.maximum(spread, difference)
    largest = float(spread)
    power = math.floor(math.log2(LARGEST_CODE / largest)) if largest > 0 else 0
    return mean, torch.tensor(2.0**power, dtype=torch.float64, device=X.device), largest


def _without_codes(residual: torch.Tensor) -> torch.Tensor:
    """Return the few rows whose residual would spoil the bound of all others."""
    n = len(residual)
    most = min(MAX_ROWS_WITHOUT_CODES, n // 256)
    if most == 0:
        return torch.empty(0, dtype=torch.int64, device=residual.device)
    largest, rows = residual.topk(most + 1)
    far = largest[:-1] > 4 * largest[-1]
    return rows[:-1][far].sort().values


def nearest(
    codes: Codes,
    Q: torch.Tensor,
    k: int,
    exclude: torch.Tensor | None = None,
    *,
    size: int | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the keys (float64) and rows of the k nearest rows of every query, nearest first.

    `size` is the number of rows of a group, chosen by the number of rows when None.
    """
    size = size or group_size(len(codes.X), k, codes.X.shape[1])
    if k >= LARGEST_K:
        return _nearest_by_all_keys(codes, Q, k, exclude)
    batch = max(1, min(len(Q), MINIMA_BYTES // (4 * (len(codes.norm) // size))))
    parts = []
    for first in range(0, len(Q), batch):
        self_rows = None if exclude is None else exclude[first : first + batch]
        parts.append(_nearest(codes, Q[first : first + batch], k, self_rows, size))
    if not parts:
        return Q.new_empty((0, k), dtype=torch.float64), Q.new_empty((0, k), dtype=torch.int64)
    return torch.cat([key for key, _ in parts]), torch.cat([row for _, row in parts])


def _nearest_by_all_keys(
    codes: Codes, Q: torch.Tensor, k: int, exclude: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k nearest rows by the keys of all rows, where minima of groups bound nothing."""
    n, size = len(codes.X), GROUP_SIZES[-1]
    number = -(-n // size)
    batch = max(1, KEY_BYTES // (64 * number * size))
    key = torch.empty((len(Q), k), dtype=torch.float64, device=Q.device)
    row = torch.empty((len(Q), k), dtype=torch.int64, device=Q.device)
    for first in range(0, len(Q), batch):
        part = slice(first, first + batch)
        queries = Q[part]
        all_groups = torch.arange(number, dtype=torch.int32, device=Q.device).repeat(
            len(queries), 1
        )
        count = torch.full((len(queries),), number, dtype=torch.int32, device=Q.device)
        groups = CandidateGroups(all_groups, count, size)
        self_rows = _excluded(exclude, first, queries)
        keys = kernels_for(codes.X).keys(queries, codes.X, groups, self_rows, number)
        found = exact_torch.ordered(keys, groups.rows(number))
        key[part], row[part] = found[0][:, :k], found[1][:, :k]
    return key, row


def merged(
    parts: list[tuple[torch.Tensor, torch.Tensor]], k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k nearest of those found in blocks of rows: smallest key first, then row."""
    if len(parts) == 1:
        return parts[0]
    key, row = (torch.cat(column, 1) for column in zip(*parts, strict=True))
    key, row = exact_torch.ordered(key, row)
    return key[:, :k], row[:, :k]


def within(
    codes: Codes, Q: torch.Tensor, radius: torch.Tensor, exclude: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return query, key and row of all pairs that may be within the radius, by query and row.

    Pairs a little beyond it may be among them: the caller compares the distances it reports.
    """
    kernels, size = kernels_for(codes.X), GROUP_SIZES[0]
    batch = max(1, min(len(Q), MINIMA_BYTES // (4 * (len(codes.norm) // size))))
    pairs = []
    for first in range(0, len(Q), batch):
        part = Q[first : first + batch]
        self_rows = _excluded(exclude, first, part)
        least, bounds = minima_of(codes, part, size)
        reach = radius[first : first + batch].double() * codes.scale
        count = kernels.choose(least, bounds, CandidateRequest(size, 1, 1, reach)).count
        for some, slots in _batches(count, size):
            wanted = CandidateRequest(size, 1, slots, reach[some])
            groups = kernels.choose(least[some], tuple(bound[some] for bound in bounds), wanted)
            key, row = _compare(codes, part[some], groups, self_rows[some], slots)
            query, rank = torch.nonzero(torch.isfinite(key), as_tuple=True)
            pairs.append((some[query] + first, key[query, rank], row[query, rank]))
    if not pairs:
        empty = Q.new_empty(0, dtype=torch.int64)
        return empty, Q.new_empty(0, dtype=torch.float64), empty
    query, key, row = (torch.cat(column) for column in zip(*pairs, strict=True))
    order = row.sort(stable=True).indices
    order = order[query[order].sort(stable=True).indices]
    return query[order], key[order], row[order]


def _nearest(
    codes: Codes, Q: torch.Tensor, k: int, exclude: torch.Tensor | None, size: int
) -> tuple[torch.Tensor, torch.Tensor]:
    kernels = kernels_for(codes.X)
    least, bounds = minima_of(codes, Q, size)
    wanted = k + (exclude is not None)
    capacity = 2 * wanted + 32
    groups = kernels.choose(least, bounds, CandidateRequest(size, wanted, capacity))
    self_rows = _excluded(exclude, 0, Q)
    fewest, most = -(-k // size), int(groups.count.max())
    if most <= capacity and most * size <= MAX_KEYS_PER_PROGRAM:
        return _rank(codes, Q, groups, self_rows, k=k, slots=max(most, fewest))
    key = torch.empty((len(Q), k), dtype=torch.float64, device=Q.device)
    row = torch.empty((len(Q), k), dtype=torch.int64, device=Q.device)
    for some, slots in _batches(groups.count, size, fewest):
        request = CandidateRequest(size, wanted, slots)
        part = kernels.choose(least[some], tuple(bound[some] for bound in bounds), request)
        key[some], row[some] = _rank(codes, Q[some], part, self_rows[some], k=k, slots=slots)
    return key, row


def _batches(count: torch.Tensor, size: int, fewest: int = 1) -> Iterator[tuple[torch.Tensor, int]]:
    """Give queries with about as many candidate groups, and the slots that the most need."""
    order = count.sort(stable=True).indices
    slots = count[order].clamp(min=fewest).tolist()
    first = 0
    while first < len(slots):
        last = first + 1
        while (
            last < len(slots)
            and slots[last] <= 2 * slots[first]
            and (last + 1 - first) * slots[last] * size * 8 <= KEY_BYTES
        ):
            last += 1
        yield order[first:last], slots[last - 1]
        first = last


def minima_of(codes: Codes, Q: torch.Tensor, size: int) -> tuple[torch.Tensor, Bounds]:
    """Return the minima of every group, and what bounds them."""
    d, kernels = Q.shape[1], kernels_for(codes.X)
    code, bounds = kernels.encode(
        Q,
        codes.mean,
        codes.code.shape[1],
        scale=codes.scale,
        largest=LARGEST_QUERY_CODE,  # farther queries are clamped: the residual holds the rest
        residual=codes.residual,
        length=codes.norm_bound,
        unit=(d + 16) * 2.0**-22,  # products are exact, a sum of d of them and |x|^2 loses this
        per_value=math.sqrt(d) * 2.0**-50,
    )
    return kernels.minima(codes.code, codes.norm, code, size), bounds


def _excluded(exclude: torch.Tensor | None, first: int, Q: torch.Tensor) -> torch.Tensor:
    if exclude is None:
        return torch.full((len(Q),), -1, dtype=torch.int64, device=Q.device)
    return exclude[first : first + len(Q)]


def _rank(
    codes: Codes,
    Q: torch.Tensor,
    groups: CandidateGroups,
    exclude: torch.Tensor,
    *,
    k: int,
    slots: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k smallest keys and their rows: sorted, equal keys by row."""
    kernels = kernels_for(codes.X)
    if len(codes.always) or slots * groups.size > MAX_KEYS_PER_PROGRAM:
        key, row = exact_torch.ordered(*_compare(codes, Q, groups, exclude, slots))
        return key[:, :k].contiguous(), row[:, :k].contiguous()
    key = kernels.keys(Q, codes.X, groups, exclude, slots)
    key, row = kernels.smallest(key, groups, k)
    ranked: tuple[torch.Tensor, torch.Tensor] = kernels.ordered(key, row)
    return ranked


def _compare(
    codes: Codes, Q: torch.Tensor, groups: CandidateGroups, exclude: torch.Tensor, slots: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return keys and rows of all candidates; a key is +inf where there is no row."""
    kernels = kernels_for(codes.X)
    key, row = kernels.keys(Q, codes.X, groups, exclude, slots), groups.rows(slots)
    if len(codes.always) == 0:
        return key, row
    coded = torch.isfinite(codes.norm[row.clamp(max=len(codes.norm) - 1)])
    key = key.masked_fill(~coded, torch.inf)  # rows without codes come once, below
    few = codes.X[codes.always]
    number = -(-len(few) // GROUP_SIZES[0])
    all_groups = torch.arange(number, dtype=torch.int32, device=Q.device).repeat(len(Q), 1)
    count = torch.full((len(Q),), number, dtype=torch.int32, device=Q.device)
    everyone = CandidateGroups(all_groups, count, GROUP_SIZES[0])
    other = kernels.keys(Q, few, everyone, torch.full_like(exclude, -1), number)[:, : len(few)]
    other = other.masked_fill(codes.always[None] == exclude[:, None], torch.inf)
    return torch.cat([key, other], 1), torch.cat([row, codes.always.repeat(len(Q), 1)], 1)


def kernels_for(X: torch.Tensor) -> ModuleType:
    """Return the Triton kernels for a GPU, their twins elsewhere."""
    if X.device.type != "cuda":
        return exact_torch
    from lookalike.kernels.gpu import exact_triton

    return exact_triton
