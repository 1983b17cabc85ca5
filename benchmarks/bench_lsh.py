"""Recall and speed of LSH beside a scan of all rows: `python -m benchmarks.bench_lsh`.

Every line is one set: seconds to build (tuning and the measurement of recall included), the recall
of the 10 nearest rows on fresh queries, the share of rows compared, and how many times longer the
exact scan of scikit-learn takes for the same queries on the same number of threads.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
from sklearn.neighbors import NearestNeighbors

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
    took, (found, effort) = seconds(
        lambda: index.query_with_effort(Q, 10, threads=THREADS), repeats
    )
    brute = NearestNeighbors(algorithm="brute", metric=metric, n_jobs=THREADS).fit(X)
    peer, (true, _) = seconds(lambda: brute.kneighbors(Q, 10), repeats)
    reached = measure(found.distance, true * (1 + 1e-6) + 1e-6)
    print(
        f"{name:26} {metric:10} asked {recall:.2f} found {reached.share:.3f}  "
        f"{index.setting.tables:2} tables of {index.setting.hashes:2}  "
        f"compared {effort.compared / len(X):7.2%}  scanned {effort.scanned:4}  "
        f"build {built:6.2f} s  query {took:7.3f} s  brute {peer / took:6.1f}x",
        flush=True,
    )


def data_sets(quick):
    """Yield (name, rows, queries, metrics)."""
    folder = Path(os.environ.get("LOOKALIKE_DATA", ""))
    if (folder / "siftsmall.npz").is_file():
        sift = np.load(folder / "siftsmall.npz")
        X = np.concatenate([sift["base"], sift["learn"]]).astype(np.float32)
        yield "SIFT 35k x 128", X[1000:], X[:1000], ("euclidean", "manhattan", "cosine")
    else:
        print("siftsmall.npz: skipped, set LOOKALIKE_DATA to the folder that holds it")
    rng = np.random.default_rng(0)
    centres = rng.random((500, 64)) < 0.2
    members = centres[rng.integers(0, 500, 21_000)] ^ (rng.random((21_000, 64)) < 0.03)
    yield "noisy sets 20k x 64", members[1000:], members[:1000], ("jaccard", "hamming")
    if not quick and (folder / "mnist.npz").is_file():
        mnist = np.load(folder / "mnist.npz")
        X, Q = (mnist[key].reshape(-1, 784).astype(np.float32) for key in ("x_train", "x_test"))
        yield "MNIST 60k x 784", X, Q[:1000], ("euclidean", "cosine")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sets and one recall only")
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    for name, X, Q, metrics in data_sets(asked.quick):
        for metric in metrics:
            for recall in (0.95,) if asked.quick else (0.8, 0.95):
                report(name, X, Q, metric, recall, asked.repeats)


if __name__ == "__main__":
    main()
