"""Which codes to build for exact search: measured on a sample of the rows, decided by cost."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from lookalike.engines.blas import single_threaded_blas
from lookalike.interrupt import interruptible
from lookalike.kernels.exact import BLOCK_DIRECTIONS, WIDEST_CODE, CodeMap
from lookalike.kernels.native_arrays import ValueRange, value_range
from lookalike.typing import AnyArray, Array

MOST_BLOCKS = 4
SAMPLE_VALUES = 3_200_000
FILTER_SAMPLE_ROWS = 4096
ROWS_PER_SAMPLED_ROW = 5  # few rows are searched as soon as they are sampled
MIN_ROWS_FOR_CODES = 512  # rows from which codes pay at all
MIN_ROWS_FOR_DIRECTIONS = 8192  # rows from which finding directions pays
ROTATED_APART = (16, 32, BLOCK_DIRECTIONS - 1)  # directions: a search may look at the first alone
STEP_QUANTILE = 0.9  # share of the rows by which a step is chosen
BUILD_CYCLES_PER_ROW, BUILD_CYCLES_PER_VALUE, PRODUCTS_PER_CYCLE = 2000.0, 10.0, 16.0
PLAN_CYCLES_PER_VALUE = 120.0  # of the sample
QUERIES_PER_PANEL = 4  # queries from which rows are compared with several at once
MEMORY_CYCLES_PER_BYTE = 0.4
COST_QUERIES, COST_ROWS = 48, 3000  # of the sample, on which costs are measured


# A map of codes, the mean that is taken off first, and directions (blocks, d, 64) as float32.
FilterPlan: TypeAlias = tuple[CodeMap, Array, AnyArray]


def draw_sample(X: AnyArray, rng: np.random.Generator) -> tuple[AnyArray, Array, float]:
    """Return a random sample of rows as the filter sees them, its mean and its scale.

    The float32 values are about the mean, and usual ones are brought near 1.
    """
    n, d = X.shape
    size = min(
        n, FILTER_SAMPLE_ROWS, max(512, SAMPLE_VALUES // d), max(1024, n // ROWS_PER_SAMPLED_ROW)
    )
    rows = np.sort(rng.choice(n, size, replace=False))
    values = X[rows].astype(np.float64)
    # Outliers must move neither center nor scale: the furthest rows are left out of the mean.
    keep = np.argsort(np.abs(values - np.median(some(values, 64), axis=0)).max(axis=1))
    mean = values[keep[: max(1, size - size // 50)]].mean(axis=0)
    values -= mean
    usual = float(np.median(np.sqrt(np.square(values).mean(axis=1))))
    scale = 2.0 ** float(-np.frexp(usual)[1]) if usual > 0 else 1.0
    with np.errstate(over="ignore"):
        small = (values * scale).astype(np.float32)
    norms = np.abs(small).max(axis=1)
    return small[norms < 1e6], mean, scale


def lossless_map(values: ValueRange, d: int) -> tuple[CodeMap, Array] | None:
    """Return codes that hold whole numbers of a small range exactly, where the rows allow it."""
    if not values.whole or values.most - values.least > 255:
        return None
    middle = np.floor((values.least + values.most + 1) / 2)
    half = max(values.most - middle, middle - values.least, 1.0)
    step = 2.0 ** -max(0.0, np.floor(np.log2(127 / half)))
    return CodeMap(step=float(step)), np.full(d, middle)


def full_plan(
    sample: AnyArray, mean: Array, scale: float, values: ValueRange, share: float = STEP_QUANTILE
) -> FilterPlan:
    """Return codes of the columns themselves, with the step that loses least."""
    d = sample.shape[1]
    none = np.zeros((0, d, BLOCK_DIRECTIONS), np.float32)
    lossless = lossless_map(values, d)
    if lossless:
        return *lossless, none
    return CodeMap(scale=scale, step=best_step(sample, share)), mean, none


def prefix_map(
    sample: AnyArray,
    scale: float,
    room: float,
    rng: np.random.Generator,
    share: float = STEP_QUANTILE,
) -> tuple[CodeMap, AnyArray] | None:
    """Return codes of leading directions of the sample, or None where there are too few.

    At most `room` directions, of which as many are taken as fill whole blocks unless there is
    room for a part of the last one only: its others are zero.
    """
    rows, d = sample.shape
    blocks = int(
        min(MOST_BLOCKS, (min(rows, d) + 1) // BLOCK_DIRECTIONS, -(-(room + 1) // BLOCK_DIRECTIONS))
    )
    if blocks < 1 or d <= BLOCK_DIRECTIONS or room + 1 < BLOCK_DIRECTIONS:
        return None
    P = rotated_directions(sample, int(min(blocks * BLOCK_DIRECTIONS - 1, room)), rng)
    exact = P.astype(np.float64)
    defect = float(np.linalg.norm(exact @ exact.T - np.eye(len(P)))) + 1e-12
    image = sample @ P.T
    head, tail = image[:, : BLOCK_DIRECTIONS - 1], image[:, BLOCK_DIRECTIONS - 1 :]
    norm2 = np.square(sample, dtype=np.float64).sum(axis=1)
    rest_first, rest_all = (
        float(np.median(np.sqrt(np.maximum(norm2 - np.square(part).sum(axis=1), 0))))
        for part in (head, image)
    )
    step, ratio = best_step(head, share), 1
    if blocks > 1:
        fine = max(best_step(tail, share), step / 16)
        ratio = max(1, round(step / fine))
        step /= ratio
    code_map = CodeMap(scale, blocks, defect, step, ratio, rest_first, rest_all)
    padded = np.zeros((blocks * BLOCK_DIRECTIONS, d), np.float32)
    padded[: BLOCK_DIRECTIONS - 1], padded[BLOCK_DIRECTIONS : len(P) + 1] = (
        P[: BLOCK_DIRECTIONS - 1],
        P[BLOCK_DIRECTIONS - 1 :],
    )
    return code_map, np.ascontiguousarray(
        padded.reshape(blocks, BLOCK_DIRECTIONS, d).transpose(0, 2, 1)
    )


def rotated_directions(S: AnyArray, count: int, rng: np.random.Generator) -> AnyArray:
    """Return orthonormal rows that span leading principal directions of `S`, as float32.

    Subspace iteration; then the heads of the first 63, the rest of these and the others are rotated
    at random among themselves, so that their coordinates have about the same spread.
    """
    d = S.shape[1]
    C = S.T @ S if d <= len(S) else None
    V = rng.standard_normal((d, min(d, count + 16)), np.float32)
    for _ in range(2):
        V = interruptible(np.linalg.qr, C @ V if C is not None else S.T @ (S @ V))[0]
    image = C @ V if C is not None else S.T @ (S @ V)
    _, W = interruptible(np.linalg.eigh, (V.T @ image).astype(np.float64))
    V = V @ W[:, ::-1][:, :count]  # float64; what is left of angles is measured as the defect
    for part in map(slice, (0, *ROTATED_APART), (*ROTATED_APART, count)):
        size = V[:, part].shape[1]
        if size:
            V[:, part] = V[:, part] @ np.linalg.qr(rng.standard_normal((size, size)))[0]
    return np.ascontiguousarray(V.T, np.float32)


def best_step(values: AnyArray, share: float = STEP_QUANTILE) -> float:
    """Return the step of 8-bit codes that leaves the smallest margin to this share of the rows."""
    values = some(values, 256 if share == STEP_QUANTILE else len(values))
    most = np.sort(np.abs(values).max(axis=1))
    tried = {float(most[min(len(most) - 1, int(q * len(most)))]) for q in (0.5, 0.8, 0.95, 0.99, 1)}
    steps = [reach / 127 for reach in sorted(tried) if reach > 0] or [1.0]

    def margin(step: float) -> float:
        codes = np.clip(np.rint(values / step), -128, 127)
        lost = np.sqrt(np.square(values - codes * step).sum(axis=1))
        return float(np.quantile(lost, share))

    return min(steps, key=margin)


def plan_filter(
    X: AnyArray,
    kind: str,
    values: ValueRange,
    room: float | None = None,
    share: float = STEP_QUANTILE,
) -> tuple[FilterPlan | None, str]:
    """Return the plan for the rows of `X`, None where all distances are computed, and why.

    `room` is how many directions there may be; None is as many whole blocks as take about as much
    memory as the rows. `share` is that of the rows whose codes must be good.
    Made by one thread of the BLAS: its products are small, and threads that wait for more would
    take the cores from the search that follows.
    """
    n, d = X.shape
    few = f"{n} rows of {d} are too few for {kind}"
    if kind == "auto" and n < MIN_ROWS_FOR_CODES:
        return None, few
    with single_threaded_blas():
        rng = np.random.default_rng(0)
        sample, mean, scale = draw_sample(X, rng)
        plans: dict[str, FilterPlan] = {}
        if kind in ("auto", "full") and d <= WIDEST_CODE:
            plans["full"] = full_plan(sample, mean, scale, values, share)
        if kind == "prefix" or (kind == "auto" and n >= MIN_ROWS_FOR_DIRECTIONS):
            most = memory_room(X) if room is None else room
            prefix = prefix_map(sample, scale, most, rng, share)
            if prefix:
                plans["prefix"] = prefix[0], mean, prefix[1]
        if not plans:
            return None, few
        if kind != "auto":
            return plans[kind], f"filter={kind!r}"
        lossless = lossless_map(values, d) is not None
        return cheapest(plans, sample, n, X.dtype.itemsize, lossless=lossless)


def memory_room(X: AnyArray) -> float:
    """Return how many directions fill whole blocks that take about the memory of the rows."""
    room = 1.25 * X.dtype.itemsize * X.shape[1] - 40
    return float((room - BLOCK_DIRECTIONS) // BLOCK_DIRECTIONS * BLOCK_DIRECTIONS - 1)


def cheapest(
    plans: dict[str, FilterPlan], sample: AnyArray, n: int, item_bytes: int, *, lossless: bool
) -> tuple[FilterPlan | None, str]:
    """Return the plan of least cost, None where none is worth it, and the costs."""
    costs = cycles_per_pair(plans, sample, n, item_bytes, lossless=lossless)
    costs["none"] = cycles_without_filter(sample.shape[1])
    listed = ", ".join(f"{name} {cost:.1f}" for name, cost in costs.items())
    paired = min(COST_ROWS, len(sample) - COST_QUERIES)
    reason = f"estimated cycles per pair on {COST_QUERIES} x {paired} sampled pairs: {listed}"
    return plans.get(min(costs, key=lambda name: costs[name])), reason


def predicted_cycles(X: AnyArray) -> float:
    """Return about how many cycles exact search of `X` spends on a row and a query."""
    n, d = X.shape
    values = value_range(X, 1)
    plan, _ = plan_filter(X, "auto", values)
    if plan is None:
        return cycles_without_filter(d)
    sample, _, _ = draw_sample(X, np.random.default_rng(0))
    lossless = lossless_map(values, d) is not None
    return cycles_per_pair({"": plan}, sample, n, X.dtype.itemsize, lossless=lossless)[""]


def cycles_per_pair(
    plans: dict[str, FilterPlan], sample: AnyArray, n: int, item_bytes: int, *, lossless: bool
) -> dict[str, float]:
    """Return the cost of each plan, in cycles, measured on pairs of the sample.

    Codes of the columns themselves lose nothing where they are `lossless`.
    """
    spread = sample[np.argsort(np.arange(len(sample)) % 64, kind="stable")]
    queries, rows = spread[:COST_QUERIES], spread[COST_QUERIES : COST_QUERIES + COST_ROWS]
    d = rows.shape[1]
    true = gaps(queries, rows)
    rank = min(len(rows) - 1, int(10 * len(rows) / n))
    limit = np.partition(true, rank, axis=1)[:, rank : rank + 1]
    distance_cost = 60 + d * (0.6 + 0.1 * item_bytes)  # of a row that lies anywhere
    costs = {}
    for name, (code_map, _, directions) in plans.items():
        if code_map.blocks == 0:
            lost = [0.0 if lossless else margins(part, code_map.step) for part in (queries, rows)]
            passed = float((true - np.add.outer(*lost) <= limit).mean())
            costs[name] = 0.3 + d / 64 + passed * distance_cost
        else:
            lows = bounds(code_map, directions, queries, rows)
            first, wide = (float((low <= limit).mean()) for low in lows)
            costs[name] = 1.3 + first * (30 if code_map.blocks > 1 else 0) + wide * distance_cost
    return costs


def cycles_without_filter(d: int) -> float:
    """Return about how many cycles a float64 distance takes when all rows are read in order."""
    return 10 + 0.5 * d


def cycles_of_scan(d: int, item_bytes: int, n_queries: int) -> float:
    """Return about how many cycles a query takes for a row without codes.

    Few queries at once wait for the memory.
    """
    waiting = MEMORY_CYCLES_PER_BYTE * d * item_bytes if n_queries < QUERIES_PER_PANEL else 0.0
    return max(cycles_without_filter(d), waiting)


def cycles_to_build(d: int, plan: FilterPlan | None = None) -> float:
    """Return about how many cycles the codes of a row take; without a plan, those of columns."""
    products = d * BLOCK_DIRECTIONS * (plan[0].blocks if plan else 0)
    return BUILD_CYCLES_PER_ROW + BUILD_CYCLES_PER_VALUE * d + products / PRODUCTS_PER_CYCLE


def cycles_to_plan(n: int, d: int) -> float:
    """Return about how many cycles it takes to choose the codes of all rows."""
    return PLAN_CYCLES_PER_VALUE * min(n, FILTER_SAMPLE_ROWS) * d


def bounds(
    code_map: CodeMap, directions: AnyArray, queries: AnyArray, rows: AnyArray
) -> tuple[AnyArray, AnyArray]:
    """Return lower bounds of first and wide codes for pairs of the sample, margins included."""
    P = directions.transpose(0, 2, 1).reshape(-1, rows.shape[1])
    step = code_map.step
    lows = []
    for count in (BLOCK_DIRECTIONS, len(P)):
        parts, lost = [], []
        for values in (queries, rows):
            image = values @ P[:count].T
            rest = np.sqrt(np.maximum(np.square(values).sum(1) - np.square(image).sum(1), 0))
            parts.append(np.column_stack([image, rest]))
            first = margins(image[:, :BLOCK_DIRECTIONS], step * code_map.ratio)
            lost.append(np.hypot(first, margins(image[:, BLOCK_DIRECTIONS:], step)))
        lows.append(gaps(*parts) - np.add.outer(*lost))
    return lows[0], lows[1]


def margins(values: AnyArray, step: float) -> AnyArray:
    """Return what each row loses when it is coded with `step`."""
    codes = np.clip(np.rint(values / step), -128, 127)
    return np.asarray(np.sqrt(np.square(values - codes * step).sum(axis=1)))


def some(values: AnyArray, count: int = 256) -> Array:
    """Return about `count` of the rows, evenly spread."""
    return values[:: max(1, len(values) // count)].astype(np.float64)


def gaps(Q: AnyArray, X: AnyArray) -> AnyArray:
    """Return rough distances of all pairs: good enough to plan with."""
    square = np.square(Q).sum(1)[:, None] + np.square(X).sum(1)[None] - 2 * (Q @ X.T)
    return np.asarray(np.sqrt(np.maximum(square, 0)))
