"""The plain scan compared with scikit-learn's brute force, under every metric that both know.

Run: python -m benchmarks.bench_scan [--quick]
"""

from __future__ import annotations

import statistics
import time

import numpy as np
import scipy.sparse
from sklearn.neighbors import NearestNeighbors

from benchmarks.timing import BenchParser
from lookalike.index.scan import ScanIndex

THREADS = 2
K = 10


def seconds(call, rounds):
    """Return the median and the spread of some rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times), max(times) - min(times)


def cases(n):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(n, 64)).astype(np.float32)
    sets = rng.random((n, 256)) < 0.1
    places = rng.uniform([-1.5, -3.1], [1.5, 3.1], (n, 2))
    words = scipy.sparse.random_array((n // 4, 20_000), density=0.004, rng=rng, format="csr")
    for name in ("euclidean", "manhattan", "chebyshev", "cosine", "hamming"):
        yield name, dense, {}
    yield "minkowski", dense[: n // 4], {"p": 3}
    yield "minkowski", dense[: n // 10], {"p": 2.5}
    yield "mahalanobis", dense[: n // 4], {"VI": np.linalg.inv(np.cov(dense.T))}
    yield "jaccard", sets, {}
    yield "haversine", places, {}
    yield "euclidean", words, {}
    yield "cosine", words, {}


def main():
    options = BenchParser(__doc__, rows=(20_000, 2_000), rounds=(5, 1)).parse_args()
    rounds = options.rounds
    print(f"{K} nearest, {THREADS} threads, median of {rounds} rounds (spread)")
    for name, X, params in cases(options.rows):
        Q = X[:500]
        index = ScanIndex(X, metric=name, metric_params=params, threads=THREADS)
        peer = NearestNeighbors(
            n_neighbors=K,
            algorithm="brute",
            metric=name,
            p=params.get("p", 2),
            metric_params={key: value for key, value in params.items() if key != "p"} or None,
            n_jobs=THREADS,
        ).fit(X)
        ours, our_spread = seconds(lambda index=index, Q=Q: index.query(Q, K), rounds)
        theirs, their_spread = seconds(lambda peer=peer, Q=Q: peer.kneighbors(Q), rounds)
        label = f"{name}{' sparse' if scipy.sparse.issparse(X) else ''} {X.shape[0]}x{X.shape[1]}"
        print(
            f"{label:28} {1e3 * ours:8.1f} ms ({1e3 * our_spread:.1f})   scikit-learn "
            f"{1e3 * theirs:8.1f} ms ({1e3 * their_spread:.1f})   ratio {theirs / ours:5.1f}"
        )


if __name__ == "__main__":
    main()
