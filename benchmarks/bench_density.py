"""Density models and those of others, in turns: kernel densities, outlier factors and clusters.

Rows are clusters in many columns, points in space, and images where LOOKALIKE_DATA names the folder
of mnist.npz. Answers are compared, too: HDBSCAN's to those of fast_hdbscan where it is installed,
which is faster than scikit-learn's. OPTICS looks at fewer rows: scikit-learn's takes seconds for a
thousand.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import sklearn.cluster
import sklearn.neighbors
from sklearn.metrics import adjusted_rand_score

from benchmarks.exact_data import lacks_file
from benchmarks.timing import BenchParser, data_folder, heading, race
from lookalike import DBSCAN, HDBSCAN, OPTICS, KernelDensity, NearestNeighbors
from lookalike.neighbors import LocalOutlierFactor

PROBED_ROWS = 500  # whose fifth neighbor sets the radius of DBSCAN
CLUSTERS = 10
MIN_CLUSTER_SIZE = 20
TABLES = ("clusters", "points", "mnist")
MUST_BE_FASTER = {"KernelDensity": 5, "LocalOutlierFactor": 5, "DBSCAN": 3, "HDBSCAN": 3}


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


def images(n_rows: int) -> np.ndarray:
    """Return the pixels of digits."""
    with np.load(data_folder() / "mnist.npz") as data:
        return data["x_train"][:n_rows].reshape(-1, 784).astype(np.float64)


def tables(chosen: list[str], sizes: argparse.Namespace) -> dict[str, np.ndarray]:
    """Return the rows that models are raced on."""
    made = {}
    if "clusters" in chosen:
        made[f"{sizes.images} x {sizes.columns}"] = wide_rows(sizes.images, sizes.columns)
    if "points" in chosen:
        made[f"{sizes.points} x 3"] = points(sizes.points)
    if "mnist" in chosen and lacks_file("mnist"):
        print("MNIST: left out, LOOKALIKE_DATA does not name the folder of mnist.npz")
    elif "mnist" in chosen:
        made[f"MNIST {sizes.images} x 784"] = images(sizes.images)
    return made


class Races:
    """Races of our models and those of others, and the least ratio of each model."""

    def __init__(self, threads: int | None, rounds: int) -> None:
        self.threads, self.rounds = threads, rounds
        self.least: dict[str, float] = {}

    def run(
        self, model: str, title: str, ways: dict[str, Callable[[], Any]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Race ours and another, and return the answers of both."""
        answers = {}

        def keep(name: str, way: Callable[[], Any]) -> None:
            answers[name] = way()

        raced = {name: lambda name=name, way=way: keep(name, way) for name, way in ways.items()}
        ours, theirs = race(f"{title}: {model}", raced, rounds=self.rounds).values()
        self.least[model] = min(self.least.get(model, np.inf), theirs / ours)
        return tuple(answers.values())

    def print_least(self) -> None:
        """Print the least ratio of each model, and what it must be."""
        print("\nLeast ratios")
        for model, ratio in self.least.items():
            must = MUST_BE_FASTER.get(model)
            told = "" if must is None else f"  must {must}x: {'met' if ratio >= must else 'missed'}"
            print(f"  {model:34} {ratio:6.2f}x{told}")


def compare_scores(races: Races, title: str, X: np.ndarray, queries: int) -> None:
    """Race densities, outlier factors and clusters of a radius."""
    reach = NearestNeighbors(5).fit(X).kneighbors(X[:PROBED_ROWS])[0][:, -1]
    width, eps = float(np.median(reach)), float(np.quantile(reach, 0.7))
    threads, jobs, some = races.threads, races.threads or -1, X[:queries]
    ours, theirs = "lookalike", "scikit-learn"
    scored = {
        "KernelDensity": {
            ours: lambda: KernelDensity(bandwidth=width, n_jobs=threads).fit(X).score_samples(some),
            theirs: lambda: (
                sklearn.neighbors.KernelDensity(bandwidth=width).fit(X).score_samples(some)
            ),
        },
        "LocalOutlierFactor": {
            ours: lambda: LocalOutlierFactor(n_jobs=threads).fit(X).negative_outlier_factor_,
            theirs: lambda: (
                sklearn.neighbors.LocalOutlierFactor(n_jobs=jobs).fit(X).negative_outlier_factor_
            ),
        },
        "DBSCAN": {
            ours: lambda: DBSCAN(eps, n_jobs=threads).fit_predict(X),
            theirs: lambda: sklearn.cluster.DBSCAN(eps, n_jobs=jobs).fit_predict(X),
        },
    }
    for model, ways in scored.items():
        mine, peers = races.run(model, title, ways)
        print(f"  largest difference: {np.abs(mine.astype(float) - peers).max():.2g}")


def compare_trees(races: Races, title: str, X: np.ndarray) -> None:
    """Race the clusterings by a spanning tree of mutual reachability."""
    if find_spec("fast_hdbscan") is None:
        library = "scikit-learn"
        peer = sklearn.cluster.HDBSCAN(MIN_CLUSTER_SIZE, n_jobs=races.threads or -1, copy=True)
    else:
        import fast_hdbscan

        library = "fast_hdbscan"
        peer = fast_hdbscan.HDBSCAN(min_cluster_size=MIN_CLUSTER_SIZE)
        peer.fit(X[:1000])  # numba compiles at the first call
    ways = {
        "lookalike": lambda: HDBSCAN(MIN_CLUSTER_SIZE, n_jobs=races.threads).fit_predict(X),
        library: lambda: peer.fit_predict(X),
    }
    print(f"  adjusted Rand index: {adjusted_rand_score(*races.run('HDBSCAN', title, ways)):.4f}")


def compare_orders(races: Races, title: str, X: np.ndarray) -> None:
    """Race the clusterings by the order in which rows are reached."""
    ways = {
        "lookalike": lambda: OPTICS(n_jobs=races.threads).fit_predict(X),
        "scikit-learn": lambda: sklearn.cluster.OPTICS(n_jobs=races.threads or -1).fit_predict(X),
    }
    ours, theirs = races.run("OPTICS", f"{title}, {len(X)} rows", ways)
    print(f"  labels that differ: {np.count_nonzero(ours != theirs)}")


def main() -> None:
    parser = BenchParser(
        __doc__,
        images=(20_000, 300),
        columns=(784, 20),
        points=(1_000_000, 2000),
        ordered=(2000, 200),
        queries=(1000, 50),
        rounds=(3, 1),
    )
    parser.add_argument("--threads", type=int, help="of both, where they take a number")
    parser.add_argument("--only", choices=TABLES, nargs="+", default=TABLES, help="tables")
    args = parser.parse_args()
    heading("Density: kernel densities, local outlier factors, DBSCAN, HDBSCAN, OPTICS")
    races = Races(args.threads, args.rounds)
    for title, X in tables(args.only, args).items():
        compare_scores(races, title, X, args.queries)
        compare_trees(races, title, X)
        compare_orders(races, title, X[: args.ordered])
    if not args.quick:
        races.print_least()


if __name__ == "__main__":
    main()
