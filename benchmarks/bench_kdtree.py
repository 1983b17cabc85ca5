"""All nearest neighbours by KD-tree beside pykdtree and scipy: `python -m benchmarks.bench_kdtree`.

Every line is one set of points: seconds to build and to find k neighbours of every point, and how
many times longer each peer takes for both together. All run in turn in the same process, on the
same number of threads; times are medians, the spread is (largest - smallest) / median.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

from lookalike.index.kdtree import KDTreeIndex

THREADS = 2


def ours(X, k):
    start = time.perf_counter()
    index = KDTreeIndex(X, threads=THREADS)
    built = time.perf_counter()
    index.query_self(k, threads=THREADS)
    return built - start, time.perf_counter() - built


def ours_as_queries(X, k):
    start = time.perf_counter()
    index = KDTreeIndex(X, threads=THREADS)
    built = time.perf_counter()
    index.query(X, k + 1, threads=THREADS)
    return built - start, time.perf_counter() - built


def pykdtree(X, k):
    os.environ["OMP_NUM_THREADS"] = str(THREADS)
    from pykdtree.kdtree import KDTree

    start = time.perf_counter()
    tree = KDTree(X)
    built = time.perf_counter()
    tree.query(X, k + 1)  # the point itself among them
    return built - start, time.perf_counter() - built


def scipy(X, k):
    from scipy.spatial import cKDTree

    start = time.perf_counter()
    tree = cKDTree(X)
    built = time.perf_counter()
    tree.query(X, k + 1, workers=THREADS)
    return built - start, time.perf_counter() - built


def measure(X, k, repeats):
    """Return (builds, queries) of every contender, each an array of `repeats` times."""
    contenders = (ours, ours_as_queries, pykdtree, scipy)
    times = np.array([[run(X, k) for run in contenders] for _ in range(repeats)])
    return times.transpose(1, 2, 0)


def report(name, X, k, repeats):
    times = measure(X, k, repeats)
    total = np.median(times.sum(axis=1), axis=1)
    spread = np.ptp(times.sum(axis=1), axis=1) / total
    build, query = np.median(times[0], axis=1)
    print(
        f"{name:28} k={k:<3} build {build:7.3f} s  query {query:7.3f} s  "
        f"pykdtree {total[2] / total[0]:5.1f}x  scipy {total[3] / total[0]:5.1f}x  "
        f"(as plain queries {total[2] / total[1]:5.1f}x {total[3] / total[1]:5.1f}x; "
        f"spread {spread[0]:.0%} {spread[2]:.0%} {spread[3]:.0%})",
        flush=True,
    )


def data_sets(quick):
    """Yield (name, points, ks)."""
    rng = np.random.default_rng(0)
    ks = (8,) if quick else (1, 8, 64)
    yield "uniform 1M x 3 float32", rng.random((1_000_000, 3), np.float32), ks
    folder = Path(os.environ.get("LOOKALIKE_DATA", ""))
    for file, key in (("stanford_bunny.npz", "points"), ("geonames_cities1000.npz", "latlon")):
        if (folder / file).is_file():
            yield file.removesuffix(".npz"), np.load(folder / file)[key], ks
        else:
            print(f"{file}: skipped, set LOOKALIKE_DATA to the folder that holds it")
    if quick:
        return
    yield "uniform 300k x 3 float64", rng.random((300_000, 3)), ks
    yield (
        "grid 64^3 float32",
        np.stack(np.meshgrid(*[np.arange(64, dtype=np.float32)] * 3), -1).reshape(-1, 3),
        ks,
    )
    for d in range(1, 11):
        yield f"uniform 100k x {d} float32", rng.random((100_000, d), np.float32), ks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="k = 8 on the three main sets only")
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    for name, X, ks in data_sets(asked.quick):
        for k in ks:
            report(name, X, k, asked.repeats)


if __name__ == "__main__":
    main()
