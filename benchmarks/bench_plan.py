"""Planned against measured seconds of a search, and `auto` against every exact index.

Twelve tables from 1,000 to 1,000,000 rows. Run as ``python -m benchmarks.bench_plan``; with
``--quick`` the tables of up to 100,000 rows.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.timing import heading
from lookalike import search_plan
from lookalike.index.plan import build_index, choose_index
from lookalike.kernels.metrics import metric_from

K = 10
MOST_QUERIES = 20_000
REPEATS, LONG = 5, 1.0  # measurements, and seconds of one of which two are enough
PLANS = 3
ALLOWED, SLOWER = 1.5, 1.3


def _uniform(n: int, d: int) -> Callable[[np.random.Generator], np.ndarray]:
    return lambda rng: rng.uniform(size=(n, d)).astype(np.float32)


def _surface(n: int, inner: int, d: int) -> Callable[[np.random.Generator], np.ndarray]:
    def make(rng: np.random.Generator) -> np.ndarray:
        low = rng.uniform(size=(n, inner))
        return np.tanh(low @ rng.normal(size=(inner, d))).astype(np.float32)

    return make


def _clusters(n: int, d: int) -> Callable[[np.random.Generator], np.ndarray]:
    def make(rng: np.random.Generator) -> np.ndarray:
        centers = 4 * rng.normal(size=(50, d))
        return (centers[rng.integers(50, size=n)] + rng.normal(size=(n, d))).astype(np.float32)

    return make


TABLES: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "1k x 4": _uniform(1_000, 4),
    "1k x 64": _clusters(1_000, 64),
    "5k x 10": _clusters(5_000, 10),
    "10k x 16": _uniform(10_000, 16),
    "20k x 30, dimension 3": _surface(20_000, 3, 30),
    "50k x 8": _uniform(50_000, 8),
    "60k x 128": _clusters(60_000, 128),
    "100k x 3": _uniform(100_000, 3),
    "100k x 54, dimension 3": _surface(100_000, 3, 54),
    "300k x 20": _clusters(300_000, 20),
    "500k x 54, dimension 4": _surface(500_000, 4, 54),
    "1M x 3": _uniform(1_000_000, 3),
}


def measured(name: str, X: np.ndarray, queries: np.ndarray) -> float:
    """Return the seconds in which an index is built and queried, the median of up to five."""
    seconds: list[float] = []
    while len(seconds) < (2 if sum(seconds) > LONG else REPEATS):
        start = time.perf_counter()
        build_index(name, X, metric_from("euclidean")).query(queries, K)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def planned_seconds(X: np.ndarray, n_queries: int) -> float:
    """Return the seconds that a plan expects, the median of three."""
    plans = [search_plan(X, K, n_queries=n_queries) for _ in range(PLANS)]
    return float(np.median([plan.build_seconds + plan.query_seconds for plan in plans]))


def main() -> None:
    """Print the table."""
    heading("planned and measured seconds of a search")
    heads = ("table", "queries", "auto", "planned", "measured", "ratio", "best", "auto/best")
    print("{:24} {:>8} {:8} {:>8} {:>8} {:>6} {:>8} {:>9}".format(*heads))
    within, fastest = 0, 0
    tables = list(TABLES.items())[: 9 if "--quick" in sys.argv else None]
    for title, make in tables:
        rng = np.random.default_rng(0)
        X = make(rng)
        n_queries = min(len(X), MOST_QUERIES)
        queries = X[rng.permutation(len(X))[:n_queries]]
        planned = planned_seconds(X, n_queries)
        name, _ = choose_index(X, metric_from("euclidean"), "auto")
        seconds = {one: measured(one, X, queries) for one in ("exact", "kd_tree")}
        ratio = planned / seconds[name]
        behind = seconds[name] / min(seconds.values())
        within += 1 / ALLOWED <= ratio <= ALLOWED
        fastest += behind <= SLOWER
        print(
            f"{title:24} {n_queries:8} {name:8} {planned:8.3f} {seconds[name]:8.3f} {ratio:6.2f} "
            f"{min(seconds.values()):8.3f} {behind:9.2f}",
            flush=True,
        )
    print(f"planned within {ALLOWED}x of measured: {within} of {len(tables)} tables")
    print(f"auto no more than {SLOWER}x slower than the best: {fastest} of {len(tables)} tables")


if __name__ == "__main__":
    main()
