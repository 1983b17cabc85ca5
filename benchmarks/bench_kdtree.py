"""KD-tree search against pykdtree and scipy: `python -m benchmarks.bench_kdtree`.

Every line is one set of points: seconds to build and to find k neighbors of every point, and how
many times longer each peer takes for both together, by the clock and in processor time, which a
busy machine disturbs less. All run in turn in the same process, on the same number of threads;
figures are medians of the rounds stated, the spread is (largest - smallest) / median. Lines that
take long have fewer rounds. `estimator` is NearestNeighbors with algorithm="auto".
A full run is estimated at 6 minutes on two cores.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.timing import BenchParser, heading, require
from lookalike import NearestNeighbors
from lookalike.index.kdtree import KDTreeIndex

THREADS = 2
PATIENCE = 3.0  # seconds after which a line has no further round


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
    from pykdtree.kdtree import KDTree

    tree = KDTree(X)
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


def data_sets(shrink):
    """Yield (name, points, ks), of sets that are drawn one row in `shrink`."""
    rng = np.random.default_rng(0)
    ks = (1, 8, 64)
    yield "uniform 1M x 3 float32", rng.random((1_000_000 // shrink, 3), np.float32), ks
    folder = Path(os.environ.get("LOOKALIKE_DATA", ""))
    for file, key in (("stanford_bunny.npz", "points"), ("geonames_cities1000.npz", "latlon")):
        if (folder / file).is_file():
            yield file.removesuffix(".npz"), np.load(folder / file)[key][::shrink], ks
        else:
            print(f"{file}: skipped, set LOOKALIKE_DATA to the folder that holds it")
    yield "uniform 300k x 3 float64", rng.random((300_000 // shrink, 3)), ks
    for side, d in ((64, 3), (512, 2)):
        axis = np.arange(side, dtype=np.float32)
        grid = np.stack(np.meshgrid(*[axis] * d), -1).reshape(-1, d)
        yield f"grid {side}^{d} float32", grid[: len(grid) // shrink], ks
    copies = rng.integers(0, 10, (300_000 // shrink, 3)).astype(np.float32)
    yield "300 copies, 10^3 float32", copies, (1, 8)
    for d in range(1, 11):
        n = 100_000 if d < 7 else 50_000
        yield f"uniform {n // 1000}k x {d} float32", rng.random((n // shrink, d), np.float32), ks


def main():
    parser = BenchParser(__doc__, rounds=(40, 1), shrink=(1, 20))
    parser.add_argument("--only", default="", help="sets whose name holds this")
    options = parser.parse_args()
    require("pykdtree")
    os.environ["OMP_NUM_THREADS"] = str(THREADS)  # read by pykdtree when it is imported
    heading("all nearest neighbors, build included")
    if options.shrink > 1:
        print(f"of each set, one row in {options.shrink}")
    for name, X, ks in data_sets(options.shrink):
        for k in ks if options.only in name else ():
            report(name, X, k, options.rounds)


if __name__ == "__main__":
    main()
