"""KD-tree search against pykdtree and scipy: `python -m benchmarks.bench_kdtree`.

Every line is one set of points: seconds to build and to find k neighbors of every point, and how
many times longer each peer takes for both together, by the clock and in processor time, which a
busy machine disturbs less. All run in turn in the same process, on the same number of threads;
figures are medians of the rounds stated, the spread is (largest - smallest) / median. Lines that
take long have fewer rounds. `estimator` is NearestNeighbors with algorithm="auto".
"""

from __future__ import annotations

import argparse
import importlib
import os
import time
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.timing import heading
from lookalike import NearestNeighbors
from lookalike.index.kdtree import KDTreeIndex

THREADS = 2
PATIENCE = 3.0  # seconds after which a line has no further round
os.environ["OMP_NUM_THREADS"] = str(THREADS)  # read by pykdtree when it is imported
PyKDTree = importlib.import_module("pykdtree.kdtree").KDTree


def ours(X, k):
    index = KDTreeIndex(X, threads=THREADS)
    yield
    index.query_self(k, threads=THREADS)
    yield


def ours_as_queries(X, k):
    index = KDTreeIndex(X, threads=THREADS)
    yield
    index.query(X, k + 1, threads=THREADS)
    yield


def estimator(X, k):
    model = NearestNeighbors(k, n_jobs=THREADS).fit(X)  # algorithm="auto"
    yield
    model.kneighbors()
    yield


def pykdtree(X, k):
    tree = PyKDTree(X)
    yield
    tree.query(X, k + 1)  # the point itself among them
    yield


def scipy(X, k):
    tree = cKDTree(X)
    yield
    tree.query(X, k + 1, workers=THREADS)
    yield


def timed(steps):
    """Return seconds of building, seconds of querying, and seconds of all cores for both."""
    clock, cpu = [time.perf_counter()], time.process_time()
    clock.extend(time.perf_counter() for _ in steps)
    return clock[1] - clock[0], clock[2] - clock[1], time.process_time() - cpu


def measure(X, k, rounds):
    """Return builds, queries and processor seconds of every contender: (contender, 3, rounds)."""
    contenders = (ours, ours_as_queries, pykdtree, scipy, estimator)
    times, start = [], time.perf_counter()
    while len(times) < rounds and (len(times) < 2 or time.perf_counter() - start < PATIENCE):
        times.append([timed(run(X, k)) for run in contenders])
    return np.array(times).transpose(1, 2, 0)


def report(name, X, k, rounds):
    times = measure(X, k, rounds)
    totals = times[:, :2].sum(axis=1)
    total, cpu = np.median(totals, axis=1), np.median(times[:, 2], axis=1)
    spread = np.ptp(totals, axis=1) / total
    build, query = np.median(times[0, :2], axis=1)
    print(
        f"{name:26} k={k:<3} rounds {times.shape[2]} build {build:6.3f} s query {query:6.3f} s"
        f" | pykdtree {total[2] / total[0]:4.1f}x scipy {total[3] / total[0]:4.1f}x"
        f" | processor {cpu[2] / cpu[0]:4.1f}x {cpu[3] / cpu[0]:4.1f}x"
        f" | plain queries {total[2] / total[1]:4.1f}x {total[3] / total[1]:4.1f}x"
        f" | estimator {total[2] / total[4]:4.1f}x {total[3] / total[4]:4.1f}x"
        f" | spread {spread[0]:.0%} {spread[2]:.0%} {spread[3]:.0%}",
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
    yield (
        "grid 512^2 float32",
        np.stack(np.meshgrid(*[np.arange(512, dtype=np.float32)] * 2), -1).reshape(-1, 2),
        ks,
    )
    yield "300 copies, 10^3 float32", rng.integers(0, 10, (300_000, 3)).astype(np.float32), (1, 8)
    for d in range(1, 11):
        n = 100_000 if d < 7 else 50_000
        yield f"uniform {n // 1000}k x {d} float32", rng.random((n, d), np.float32), ks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="k = 8 on the three main sets only")
    parser.add_argument("--rounds", type=int, default=40, help="at most")
    parser.add_argument("--only", default="", help="sets whose name holds this")
    options = parser.parse_args()
    heading("all nearest neighbors, build included")
    for name, X, ks in data_sets(options.quick):
        for k in ks if options.only in name else ():
            report(name, X, k, options.rounds)


if __name__ == "__main__":
    main()
