"""Planned against measured seconds of a search, and `auto` against every exact index.

Twelve tables from 1,000 to 1,000,000 rows. Run: python -m benchmarks.bench_plan [--quick]
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.timing import BenchParser, heading
from lookalike.index.plan import build_index, choose_index
from lookalike.kernels.metrics import metric_from
from lookalike.neighbors import search_plan

K = 10
MOST_QUERIES = 20_000
LEAST = 1_000  # rows of a table, however many are left out
LONG = 1.0  # seconds of measurements of which two are enough
ALLOWED, SLOWER = 1.5, 1.3


def _uniform(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(size=(n, d)).astype(np.float32)


def _surface(inner: int, n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    low = rng.uniform(size=(n, inner))
    return np.tanh(low @ rng.normal(size=(inner, d))).astype(np.float32)


def _clusters(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    centers = 4 * rng.normal(size=(50, d))
    return (centers[rng.integers(50, size=n)] + rng.normal(size=(n, d))).astype(np.float32)


TABLES: dict[str, tuple[Callable[..., np.ndarray], int, int]] = {  # how rows are drawn, shape
    "1k x 4": (_uniform, 1_000, 4),
    "1k x 64": (_clusters, 1_000, 64),
    "5k x 10": (_clusters, 5_000, 10),
    "10k x 16": (_uniform, 10_000, 16),
    "20k x 30, dimension 3": (partial(_surface, 3), 20_000, 30),
    "50k x 8": (_uniform, 50_000, 8),
    "60k x 128": (_clusters, 60_000, 128),
    "100k x 3": (_uniform, 100_000, 3),
    "100k x 54, dimension 3": (partial(_surface, 3), 100_000, 54),
    "300k x 20": (_clusters, 300_000, 20),
    "500k x 54, dimension 4": (partial(_surface, 4), 500_000, 54),
    "1M x 3": (_uniform, 1_000_000, 3),
}


def measured(name: str, X: np.ndarray, queries: np.ndarray, repeats: int) -> float:
    """Return the seconds in which an index is built and queried, the median of up to `repeats`."""
    seconds: list[float] = []
    while len(seconds) < (min(2, repeats) if sum(seconds) > LONG else repeats):
        start = time.perf_counter()
        build_index(name, X, metric_from("euclidean")).query(queries, K)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def planned_seconds(X: np.ndarray, n_queries: int, repeats: int) -> float:
    """Return the seconds that a plan expects, the median of some."""
    plans = [search_plan(X, K, n_queries=n_queries) for _ in range(repeats)]
    return float(np.median([plan.build_seconds + plan.query_seconds for plan in plans]))


def main() -> None:
    """Print the table."""
    options = BenchParser(__doc__, shrink=(1, 50), plans=(3, 1), repeats=(5, 1)).parse_args()
    heading("planned and measured seconds of a search")
    heads = ("table", "queries", "auto", "planned", "measured", "ratio", "best", "auto/best")
    print("{:24} {:>8} {:8} {:>8} {:>8} {:>6} {:>8} {:>9}".format(*heads))
    if options.shrink > 1:
        print(f"of each table, one row in {options.shrink}, and at least {LEAST:,}")
    within, fastest = 0, 0
    for title, (draw, n_rows, n_columns) in TABLES.items():
        rng = np.random.default_rng(0)
        X = draw(max(n_rows // options.shrink, LEAST), n_columns, rng)
        n_queries = min(len(X), MOST_QUERIES)
        queries = X[rng.permutation(len(X))[:n_queries]]
        planned = planned_seconds(X, n_queries, options.plans)
        name, _ = choose_index(X, metric_from("euclidean"), "auto")
        seconds = {one: measured(one, X, queries, options.repeats) for one in ("exact", "kd_tree")}
        ratio = planned / seconds[name]
        behind = seconds[name] / min(seconds.values())
        within += 1 / ALLOWED <= ratio <= ALLOWED
        fastest += behind <= SLOWER
        print(
            f"{title:24} {n_queries:8} {name:8} {planned:8.3f} {seconds[name]:8.3f} {ratio:6.2f} "
            f"{min(seconds.values()):8.3f} {behind:9.2f}",
            flush=True,
        )
    print(f"planned within {ALLOWED}x of measured: {within} of {len(TABLES)} tables")
    print(f"auto no more than {SLOWER}x slower than the best: {fastest} of {len(TABLES)} tables")


if __name__ == "__main__":
    main()
