"""Exact neighbors on a GPU: time, certified answers, and torch's own search in the same run."""

from __future__ import annotations

import subprocess

import numpy as np
import torch
import triton

from lookalike.kernels.gpu import exact

ROUNDS = 7
PEAK = 790e12  # dense half-precision operations a second, measured on an H200
CHECKED = 100  # queries that are compared with a float64 scan
CASES = (  # rows, columns, queries, k, offset
    (2**20, 128, 10_000, 10, 0.0),
    (2**20, 128, 10_000, 10, 100.0),
    (2**20, 128, 10_000, 100, 0.0),
    (2**20, 768, 10_000, 10, 0.0),
    (10 * 2**20, 128, 10_000, 10, 0.0),
    (2**20, 128, 100, 10, 0.0),
    (2**20, 128, 1, 10, 0.0),
)


def milliseconds(work):
    """Return the median time of `work` by CUDA events."""
    for _ in range(2):
        work()
    times = []
    for _ in range(ROUNDS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return float(np.median(times))


def torch_search(X, Q, k, batch=1000):
    """The search that torch users write: |x|^2 - 2 q x in float32, then topk."""
    norm = (X * X).sum(1)
    return torch.cat(
        [(norm - 2 * part @ X.T).topk(k, largest=False).indices for part in Q.split(batch)]
    )


def wrong(X, Q, k, row):
    """Return how many of the first queries have other neighbors than a float64 scan finds."""
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
    want = torch.cat(rows, 1).gather(1, order).sort(1).values
    return int((want != row[:CHECKED].sort(1).values).any(1).sum())


def main():
    driver = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
        capture_output=True, text=True, check=False,
    ).stdout.strip()  # fmt: skip
    print(
        f"{torch.cuda.get_device_name()}, driver {driver}, torch {torch.__version__}, "
        f"triton {triton.__version__}; medians of {ROUNDS}, wrong: of {CHECKED} queries"
    )
    print("rows x columns, queries, k, offset | ours ms (wrong, peak) | torch float32 ms (wrong)")
    for n, d, n_queries, k, offset in CASES:
        torch.manual_seed(0)
        X = torch.randn(n, d, device="cuda") + offset
        Q = torch.randn(n_queries, d, device="cuda") + offset
        codes = exact.build_codes(X)
        ours = milliseconds(lambda codes=codes, Q=Q, k=k: exact.nearest(codes, Q, k))
        share = 2 * n * d * n_queries / (ours * 1e-3) / PEAK
        errors = wrong(X, Q, k, exact.nearest(codes, Q, k)[1])
        theirs = milliseconds(lambda X=X, Q=Q, k=k: torch_search(X, Q, k))
        peer = wrong(X, Q, k, torch_search(X, Q, k))
        print(
            f"{n:,} x {d}, {n_queries:,}, {k}, {offset:g} | {ours:.2f} ({errors}, {share:.0%}) | "
            f"{theirs:.1f} ({peer})",
            flush=True,
        )
        del X, Q, codes
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
