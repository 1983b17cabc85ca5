"""Density models and those of others, in turns: kernel densities, outlier factors and clusters.

Rows are clusters in many columns, as images are, and points in space. Answers are compared, too:
HDBSCAN's to those of fast_hdbscan where it is installed, which is faster than scikit-learn's.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import sklearn.cluster
import sklearn.neighbors
from sklearn.metrics import adjusted_rand_score

from benchmarks.timing import BenchParser, heading, race
from lookalike import DBSCAN, HDBSCAN, KernelDensity, NearestNeighbors
from lookalike.neighbors import LocalOutlierFactor

PROBED_ROWS = 500  # whose fifth neighbor sets the radius of DBSCAN
CLUSTERS = 10
MIN_CLUSTER_SIZE = 20


def wide_rows(n_rows: int, n_columns: int) -> np.ndarray:
    """Return clusters that lie near planes of few directions, in many columns."""
    rng = np.random.default_rng(0)
    center = rng.normal(size=(CLUSTERS, n_columns)) * 2.0
    label = rng.integers(0, CLUSTERS, n_rows)
    plane = rng.normal(size=(12, n_columns))
    return (
        center[label]
        + rng.normal(size=(n_rows, 12)) @ plane
        + rng.normal(size=(n_rows, n_columns)) * 0.3
    )


def points(n_rows: int) -> np.ndarray:
    """Return points in space: clusters of several densities, and points everywhere."""
    rng = np.random.default_rng(0)
    center, width = rng.uniform(-10, 10, (30, 3)), rng.uniform(0.1, 1.0, 30)
    label = rng.integers(0, 30, n_rows)
    X = center[label] + rng.normal(size=(n_rows, 3)) * width[label, None]
    return np.where(rng.random(n_rows)[:, None] < 0.05, rng.uniform(-12, 12, (n_rows, 3)), X)


def compare(title: str, X: np.ndarray, queries: int, threads: int | None, rounds: int) -> None:
    """Race the three models on these rows."""
    reach = NearestNeighbors(5).fit(X).kneighbors(X[:PROBED_ROWS])[0][:, -1]
    width, eps = float(np.median(reach)), float(np.quantile(reach, 0.7))
    answers = {}

    def run(name: str, value: np.ndarray) -> None:
        answers[name] = value

    jobs = threads or -1
    races = {
        f"{title}: log densities of {queries} rows": (
            lambda: (
                KernelDensity(bandwidth=width, n_jobs=threads).fit(X).score_samples(X[:queries])
            ),
            lambda: (
                sklearn.neighbors.KernelDensity(bandwidth=width).fit(X).score_samples(X[:queries])
            ),
        ),
        f"{title}: local outlier factors": (
            lambda: LocalOutlierFactor(n_jobs=threads).fit(X).negative_outlier_factor_,
            lambda: (
                sklearn.neighbors.LocalOutlierFactor(n_jobs=jobs).fit(X).negative_outlier_factor_
            ),
        ),
        f"{title}: DBSCAN": (
            lambda: DBSCAN(eps, n_jobs=threads).fit_predict(X),
            lambda: sklearn.cluster.DBSCAN(eps, n_jobs=jobs).fit_predict(X),
        ),
    }
    for name, (ours, theirs) in races.items():
        race(
            name,
            {
                "lookalike": lambda way=ours: run("ours", way()),
                "scikit-learn": lambda way=theirs: run("theirs", way()),
            },
            rounds=rounds,
        )
        gap = np.abs(answers["ours"].astype(float) - answers["theirs"]).max()
        print(f"  largest difference: {gap:.2g}")


def compare_trees(title: str, X: np.ndarray, threads: int | None, rounds: int) -> None:
    """Race the clusterings by a spanning tree of mutual reachability."""
    answers = {}

    def ours() -> None:
        answers["ours"] = HDBSCAN(MIN_CLUSTER_SIZE, n_jobs=threads).fit_predict(X)

    def theirs() -> None:
        if find_spec("fast_hdbscan") is None:
            peer = sklearn.cluster.HDBSCAN(MIN_CLUSTER_SIZE, n_jobs=threads or -1, copy=True)
        else:
            import fast_hdbscan

            peer = fast_hdbscan.HDBSCAN(min_cluster_size=MIN_CLUSTER_SIZE)
        answers["theirs"] = peer.fit_predict(X)

    library = "scikit-learn" if find_spec("fast_hdbscan") is None else "fast_hdbscan"
    theirs()  # numba compiles at the first call
    race(f"{title}: HDBSCAN", {"lookalike": ours, library: theirs}, rounds=rounds)
    print(f"  adjusted Rand index: {adjusted_rand_score(*answers.values()):.4f}")


def main() -> None:
    parser = BenchParser(
        __doc__,
        images=(20_000, 300),
        columns=(784, 20),
        points=(1_000_000, 2000),
        queries=(1000, 50),
        rounds=(3, 1),
    )
    parser.add_argument("--threads", type=int, help="of both, where they take a number")
    args = parser.parse_args()
    heading("Density: kernel densities, local outlier factors, DBSCAN, HDBSCAN")
    shape = f"{args.images} x {args.columns}"
    for title, X in (
        (shape, wide_rows(args.images, args.columns)),
        (f"{args.points} x 3", points(args.points)),
    ):
        compare(title, X, args.queries, args.threads, args.rounds)
        compare_trees(title, X, args.threads, args.rounds)


if __name__ == "__main__":
    main()
