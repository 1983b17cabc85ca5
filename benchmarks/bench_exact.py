"""Exact Euclidean neighbours beside FAISS, scikit-learn, scikit-learn-intelex, usearch, hnswlib.

Run: LOOKALIKE_DATA=… python -m benchmarks.bench_exact [--quick] [--peers] [--only mnist,gaussian]
Set LOOKALIKE_SIMD=avx2 to see a machine without AVX-512. Peers that are not installed are left
out with a note; ratios are against FAISS IndexFlatL2, the last line of each table.
"""

from __future__ import annotations

import argparse
import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.timing import heading, race
from lookalike.config import settings
from lookalike.index.exact import ExactIndex

RNG = np.random.default_rng(0)


def mnist(quick):
    with np.load(Path(os.environ["LOOKALIKE_DATA"]) / "mnist.npz") as data:
        X, Q = (data[name].reshape(-1, 784) for name in ("x_train", "x_test"))
    X, Q = (part.astype(np.float32) / 255 for part in (X, Q))
    return (X[:10_000], Q[:500]) if quick else (X, Q)


def sift(quick):
    with np.load(Path(os.environ["LOOKALIKE_DATA"]) / "siftsmall.npz") as data:
        rows = np.concatenate([data["base"], data["learn"]]).astype(np.float32)
    n = 30_000 if quick else 300_000
    X = np.resize(rows, (n, 128)) + RNG.normal(0, 2, (n, 128)).astype(np.float32)
    picked = rows[RNG.choice(len(rows), 500 if quick else 5000)]
    return X, picked + RNG.normal(0, 4, picked.shape).astype(np.float32)


def gaussian(quick):
    n, queries = (20_000, 300) if quick else (100_000, 5000)
    return tuple(RNG.standard_normal((size, 128)).astype(np.float32) for size in (n, queries))


def outlier(quick):
    X, Q = gaussian(quick)
    X[777] = 1e5
    return X, Q


def grid(quick):
    return tuple(np.rint(part).clip(-1, 1) for part in gaussian(quick))


def copies(quick):
    X, Q = gaussian(quick)
    return np.repeat(X[: len(X) // 5], 5, axis=0), Q


def offset(quick):
    return tuple(part + np.float32(1e4) for part in gaussian(quick))


DATA = {
    "mnist": mnist,
    "sift": sift,
    "gaussian": gaussian,
    "outlier": outlier,
    "grid": grid,
    "copies": copies,
    "offset": offset,
}


def faiss_flat(X):
    import faiss

    faiss.omp_set_num_threads(settings().threads)
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    return index


def other_peers(X, Q, k):
    """Ways of the slower peers that are installed, as name -> call."""
    threads, ways = settings().threads, {}
    if find_spec("sklearn"):
        from sklearn.neighbors import NearestNeighbors

        brute = NearestNeighbors(algorithm="brute", n_jobs=threads).fit(X)
        ways["scikit-learn brute"] = lambda: brute.kneighbors(Q, k)
    if find_spec("sklearnex"):
        from sklearnex.neighbors import NearestNeighbors as IntelNeighbors

        intel = IntelNeighbors(algorithm="brute", n_jobs=threads).fit(X)
        ways["scikit-learn-intelex brute"] = lambda: intel.kneighbors(Q, k)
    if find_spec("usearch"):
        from usearch.index import search

        ways["usearch exact"] = lambda: search(X, Q, k, "l2sq", exact=True, threads=threads)
    if find_spec("hnswlib"):
        import hnswlib

        flat = hnswlib.BFIndex("l2", X.shape[1])
        flat.init_index(len(X))
        flat.add_items(X)
        flat.set_num_threads(threads)
        ways["hnswlib BFIndex"] = lambda: flat.knn_query(Q, k)
    missing = [
        name for name in ("sklearn", "sklearnex", "usearch", "hnswlib") if not find_spec(name)
    ]
    if missing:
        print(f"not installed, left out: {', '.join(missing)}")
    return ways


def tell(name, X, Q, index):
    _, effort = index.query_with_effort(Q, 10)
    shares = [f"{100 * count / effort.pairs:.4f} %" for count in effort[1:]]
    print(f"\n{name}: {X.shape[0]} x {X.shape[1]} <- {len(Q)} queries; {index.decisions}")
    print(f"  extra memory {index.nbytes / X.nbytes:.2f} of the rows; pairs that passed the first")
    print("  codes {}, the wide codes {}, and were judged {}".format(*shares))


def compare(name, quick, peers, rounds):
    """Print every table of one data set."""
    X, Q = DATA[name](quick)
    has_faiss = find_spec("faiss") is not None
    if not has_faiss:
        print("faiss is not installed: only our own times")
    flat = faiss_flat(X) if has_faiss else None
    index = ExactIndex(X)
    tell(name, X, Q, index)

    def duel(title, ours, theirs, others=None):
        faiss_way = {"FAISS IndexFlatL2": theirs} if has_faiss else {}
        race(title, {"lookalike": ours, **(others or {}), **faiss_way}, rounds=rounds)

    race("build", {"lookalike": lambda: ExactIndex(X)}, rounds=rounds)
    for k in (10, 1, 100) if name == "mnist" else (10,):
        duel(f"k = {k}, built", lambda k=k: index.query(Q, k), lambda k=k: flat.search(Q, k))
    if name != "mnist":
        return
    duel(
        "k = 10, build included",
        lambda: ExactIndex(X).query(Q, 10),
        lambda: faiss_flat(X).search(Q, 10),
    )
    for size in (1, 100):
        parts = [Q[i : i + size] for i in range(0, 100 * size, size) if i + size <= len(Q)]
        duel(
            f"{len(parts)} batches of {size}",
            lambda parts=parts: [index.query(part, 10) for part in parts],
            lambda parts=parts: [flat.search(part, 10) for part in parts],
        )
    if peers:
        few = Q[:1000]
        duel(
            f"{len(few)} queries, all peers",
            lambda: index.query(few, 10),
            lambda: flat.search(few, 10),
            other_peers(X, few, 10),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small data, one round")
    parser.add_argument("--peers", action="store_true", help="the slower peers too")
    parser.add_argument("--only", default=",".join(DATA), help="data sets, separated by commas")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    heading("exact neighbours")
    for name in asked.only.split(","):
        if name in ("mnist", "sift") and not os.environ.get("LOOKALIKE_DATA"):
            print(f"\n{name}: left out, LOOKALIKE_DATA does not name the folder of the data")
            continue
        compare(name, asked.quick, asked.peers, 1 if asked.quick else asked.rounds)


if __name__ == "__main__":
    main()
