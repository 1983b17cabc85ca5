"""Recall and speed of LSH compared with exact search: `python -m benchmarks.bench_lsh [--quick]`.

Every line is one set: seconds to build (tuning and the measurement of recall included), the recall
of the 10 nearest rows on fresh queries, the share of rows compared, and how many times longer exact
search takes for the same queries on the same number of threads: by our own index, as the index
predicted it, and by the scan of scikit-learn. Below 1 exact search is quicker.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.exact_data import load
from benchmarks.timing import BenchParser, heading
from lookalike import NearestNeighbors as Ours
from lookalike.index.lsh import LSHIndex
from lookalike.index.lsh_tuning import measure

THREADS = 2


def seconds(call, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return float(np.median(times)), result


def report(name, X, Q, metric, recall, repeats):
    built, index = seconds(lambda: LSHIndex(X, metric=metric, recall=recall, threads=THREADS), 1)
    took, (neighbors, stats) = seconds(
        lambda: index.query_with_stats(Q, 10, threads=THREADS), repeats
    )
    exact = Ours(algorithm="auto", metric=metric, n_jobs=THREADS).fit(X)
    ours, (true, _) = seconds(lambda: exact.kneighbors(Q, 10), repeats)
    brute = NearestNeighbors(algorithm="brute", metric=metric, n_jobs=THREADS).fit(X)
    few = Q[:200]
    peer, _ = seconds(lambda: brute.kneighbors(few, 10), 1)
    peer *= len(Q) / len(few)
    reached = measure(neighbors.distance, true.astype(float) * (1 + 1e-6) + 1e-6)
    decision = index.decisions.about("exact search")
    print(
        f"{name:26} {metric:10} target {recall:.2f} reached {reached.share:.3f}  "
        f"{index.setting.tables:2} tables of {index.setting.hashes:2}, "
        f"{index.setting.probes:2} probes  "
        f"compared {stats['compared'] / len(X):7.3%}  too few {stats['scanned']:4}  "
        f"build {built:6.2f} s  query {took:7.3f} s  exact {ours / took:5.2f}x"
        f"{' (' + decision[0].choice + ')' if decision else ''}  scikit-learn {peer / took:6.1f}x",
        flush=True,
    )


def data_sets(shrink):
    """Yield (name, rows, queries, metrics), of every set one row in `shrink`."""
    folder, queries = Path(os.environ.get("LOOKALIKE_DATA", "")), max(100, 1000 // shrink)
    if (folder / "siftsmall.npz").is_file():
        sift = np.load(folder / "siftsmall.npz")
        X = np.concatenate([sift["base"], sift["learn"]]).astype(np.float32)[::shrink]
        yield "SIFT 35k x 128", X[queries:], X[:queries], ("euclidean", "manhattan", "cosine")
    else:
        print("siftsmall.npz: skipped, set LOOKALIKE_DATA to the folder that holds it")
    rng = np.random.default_rng(0)
    centers = rng.random((500, 64)) < 0.2
    n = 20_000 // shrink + queries
    members = centers[rng.integers(0, 500, n)] ^ (rng.random((n, 64)) < 0.03)
    yield "noisy sets 20k x 64", members[queries:], members[:queries], ("jaccard", "hamming")
    both, many = ("euclidean", "cosine"), 300_000 // shrink
    yield "clusters 300k x 64", *clusters(rng, many, queries), both
    yield "6 of 64 directions, 300k", *surface(rng, many, queries), both
    yield "6 of 64 directions, 1M", *surface(rng, 1_000_000 // shrink, queries), ("euclidean",)
    if (folder / "siftsmall.npz").is_file():
        X, Q = load("sift", shrink > 1)
        yield "SIFT 300k x 128", X[:many], Q[:queries], both
    if (folder / "mnist.npz").is_file():
        mnist = np.load(folder / "mnist.npz")
        X, Q = (mnist[key].reshape(-1, 784).astype(np.float32) for key in ("x_train", "x_test"))
        yield "MNIST 60k x 784", X[::shrink], Q[:queries], both


def clusters(rng, n, queries):
    centers = rng.standard_normal((n // 50, 64))
    rows = centers[rng.integers(0, len(centers), n + queries)]
    rows = (rows + 0.15 * rng.standard_normal(rows.shape)).astype(np.float32)
    return rows[queries:], rows[:queries]


def surface(rng, n, queries):
    places = rng.standard_normal((n + queries, 6), np.float32)
    rows = places @ rng.standard_normal((6, 64), np.float32)
    rows += np.float32(0.02) * rng.standard_normal(rows.shape, np.float32)
    return rows[queries:], rows[:queries]


def main():
    parser = BenchParser(__doc__, repeats=(3, 1), shrink=(1, 50))
    parser.add_argument("--only", default="", help="sets whose name holds this")
    options = parser.parse_args()
    heading("locality sensitive hashing")
    if options.shrink > 1:
        print(f"of each set, one row in {options.shrink}")
    for name, X, Q, metrics in data_sets(options.shrink):
        for metric in metrics if options.only in name else ():
            for recall in (0.95,) if options.quick else (0.8, 0.95):
                report(name, X, Q, metric, recall, options.repeats)


if __name__ == "__main__":
    main()
