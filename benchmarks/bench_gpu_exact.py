"""Exact neighbors on a GPU: time, certified answers, and the peers' search in the same run."""

from __future__ import annotations

import numpy as np
import torch

from benchmarks.gpu_timing import PEAK, heading, milliseconds, peer, tried, wall_milliseconds
from lookalike.index.gpu_exact import GPUExactIndex
from lookalike.kernels.gpu import exact

CHECKED = 100  # queries that are compared with a float64 scan
CASES = (  # rows, columns, queries, k, offset, type
    (2**20, 128, 10_000, 10, 0.0, torch.float32),
    (2**20, 128, 10_000, 10, 100.0, torch.float32),
    (2**20, 128, 10_000, 100, 0.0, torch.float32),
    (2**20, 768, 10_000, 10, 0.0, torch.float32),
    (10 * 2**20, 128, 10_000, 10, 0.0, torch.float32),
    (2**20, 128, 100, 10, 0.0, torch.float32),
    (2**20, 128, 10_000, 10, 0.0, torch.float64),
    (2**20, 128, 10_000, 100, 0.0, torch.float64),
    (2**20, 768, 10_000, 10, 0.0, torch.float64),
)


def torch_search(X, Q, k, batch=1000):
    """The search that torch users write: |x|^2 - 2 q x in the type of the rows, then topk."""
    norm = (X * X).sum(1)
    return torch.cat(
        [(norm - 2 * part @ X.T).topk(k, largest=False).indices for part in Q.split(batch)]
    )


def reference(X, Q, k):
    """Return the neighbors of the first queries by a float64 scan of differences."""
    queries = Q[:CHECKED].double()
    keys, rows = [], []
    for first in range(0, len(X), 2**16):
        gap = torch.cdist(
            queries, X[first : first + 2**16].double(), compute_mode="donot_use_mm_for_euclid_dist"
        )
        key, place = gap.topk(min(k, gap.shape[1]), largest=False)
        keys.append(key)
        rows.append(place + first)
    order = torch.cat(keys, 1).topk(k, largest=False).indices
    return torch.cat(rows, 1).gather(1, order).sort(1).values


def wrong(want, row):
    """Return how many of the first queries have other neighbors than `want`."""
    return int((want != row[: len(want)].sort(1).values).any(1).sum())


def search_row(n, d, n_queries, k, offset, dtype):
    """Print one row of the table: ours, torch, FlashLib."""
    torch.manual_seed(0)
    X = torch.randn(n, d, device="cuda").to(dtype) + offset
    Q = torch.randn(n_queries, d, device="cuda").to(dtype) + offset
    codes = exact.build_codes(X)
    want = reference(X, Q, k)
    ours = milliseconds(lambda: exact.nearest(codes, Q, k))
    share = 2 * n * d * n_queries / (ours * 1e-3) / PEAK
    line = f"{n:,} x {d}, {n_queries:,}, {k}, {offset:g}, {str(dtype)[6:]} | {ours:.2f} "
    line += f"({wrong(want, exact.nearest(codes, Q, k)[1])}, {share:.0%})"
    theirs = milliseconds(lambda: torch_search(X, Q, k))
    line += f" | {theirs:.1f} ({wrong(want, torch_search(X, Q, k))})"
    flash = peer("flashlib")
    if flash is not None and dtype == torch.float32:
        for kind in (torch.float32, torch.bfloat16):
            line += " | " + flash_cell(flash, X.to(kind), Q.to(kind), k, want)
    print(line, flush=True)


def flash_cell(flash, X, Q, k, want):
    """Return time and errors of FlashLib's brute-force search."""

    def work():
        return flash.flash_knn(Q, X, k, return_distances=False)

    try:
        return f"{milliseconds(work):.1f} ({wrong(want, work().long())})"
    except Exception as error:
        return f"- ({type(error).__name__})"


def one_query():
    """Print the latency of one query, through the index and its checks."""
    torch.manual_seed(0)
    X, Q = torch.randn(2**20, 128, device="cuda"), torch.randn(64, 1, 128, device="cuda")
    index, place = GPUExactIndex(X), iter(range(10**9))
    ours = milliseconds(lambda: index.query(Q[next(place) % 64], 10), 101)
    bad = sum(wrong(reference(X, q, 10), index.query(q, 10).row) for q in Q[:20])
    flash = peer("flashlib")
    line = f"one query, 1,048,576 x 128, k = 10 | {ours:.3f} ({bad} of 20)"
    line += f" | {milliseconds(lambda: torch_search(X, Q[0], 10), 101):.3f}"
    if flash is not None:
        for kind in (torch.float32, torch.bfloat16):
            x, q = X.to(kind), Q[0].to(kind)
            line += " | " + tried(
                lambda x=x, q=q: flash.flash_knn(q, x, 10, return_distances=False)
            )
    print(line, flush=True)


def self_search():
    """Print the time of the neighbors of all rows."""
    torch.manual_seed(0)
    X = torch.randn(2**20, 128, device="cuda")
    codes, own = exact.build_codes(X), torch.arange(2**20, device="cuda")
    ours = milliseconds(lambda: exact.nearest(codes, X, 15, own), 3)
    row = exact.nearest(codes, X[:CHECKED], 15, own[:CHECKED])[1]
    want = reference(X, X, 16)
    bad = wrong(want, torch.cat([row, own[:CHECKED, None]], 1))
    line = f"all 15 neighbors of 1,048,576 x 128 | {ours:.0f} ({bad})"
    flash = peer("flashlib")
    if flash is not None:
        for kind in (torch.float32, torch.bfloat16):
            x = X.to(kind)
            time = tried(lambda x=x: flash.flash_knn(x, x, 16, return_distances=False))
            line += f" | {time}"
    print(line, flush=True)


def from_numpy():
    """Print the time from NumPy to NumPy: checks, transfers, codes and search."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2**20, 128)).astype(np.float32)
    Q = rng.normal(size=(10_000, 128)).astype(np.float32)
    ours = wall_milliseconds(lambda: GPUExactIndex(X).query(Q, 10))
    line = f"from and to NumPy, 1,048,576 x 128, 10,000, 10 | {ours:.0f}"

    def theirs():
        return torch_search(torch.from_numpy(X).cuda(), torch.from_numpy(Q).cuda(), 10).cpu()

    print(f"{line} | {wall_milliseconds(theirs):.0f}", flush=True)


def main():
    heading("Exact neighbors on a GPU")
    print(f"wrong: of {CHECKED} queries; the share is of {PEAK / 1e12:.0f} TFLOP/s in half")
    print("rows x columns, queries, k, offset, type | ours ms (wrong, share) | torch ms (wrong) | "
          "flashlib float32, bfloat16 ms (wrong)")  # fmt: skip
    for case in CASES:
        search_row(*case)
        torch.cuda.empty_cache()
    print("work | ours ms | torch ms | flashlib float32, bfloat16 ms")
    for work in (one_query, self_search, from_numpy):
        work()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
