"""How the cost of a query grows: `python -m benchmarks.bench_growth`.

For every way to search, the processor time of a query is measured while one of n (rows), d
(columns) and k (neighbors) grows and the others stay. The exponent is the slope of the line of
least squares through the logarithms, time ~ size^exponent: 1 is a scan, 0 no growth at all.
Selection of the nearest takes O(dn) a query and no sorting [LUMS]; a KD-tree takes O(log n) in
few columns, whose exponent in n is near 0. `--small` measures small sizes, for a test.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from benchmarks.timing import heading
from lookalike.index import ExactIndex, KDTreeIndex, LSHIndex, ScanIndex

WAYS: dict[str, tuple[Callable[[Any], Any], int]] = {  # how it is built, and its columns
    "brute force": (lambda X: ScanIndex(X, threads=1), 16),
    "exact filter": (lambda X: ExactIndex(X, threads=1), 64),
    "KD-tree": (lambda X: KDTreeIndex(X, threads=1), 3),
    "LSH": (lambda X: LSHIndex(X, recall=0.9, threads=1), 64),
}
SIZES = {"n": (4_000, 8_000, 16_000, 32_000, 64_000), "k": (1, 4, 16, 64)}
SMALL = {"n": (500, 1_000, 2_000), "k": (1, 4, 16)}
COLUMNS = {3: (2, 3, 4, 6, 8), 16: (4, 8, 16, 32, 64), 64: (32, 64, 128, 256)}
QUERIES, ROUNDS, K = 1_000, 5, 10


def clusters(n: int, d: int, rng: np.random.Generator) -> Any:
    """Rows around 200 centers, as data have them that neighbors say something about."""
    centers = rng.normal(size=(200, d)) * 3
    return centers[rng.integers(0, 200, n)] + rng.normal(size=(n, d))


def seconds(build: Callable[[Any], Any], X: Any, Q: Any, k: int, rounds: int) -> float:
    """Return the least processor time of a query, of several rounds."""
    index = build(X)
    index.query(Q[:10], k, threads=1)
    times = []
    for _ in range(rounds):
        start = time.process_time()
        index.query(Q, k, threads=1)
        times.append((time.process_time() - start) / len(Q))
    return min(times)


def exponent(sizes: Iterable[float], times: Iterable[float]) -> float:
    """Return the slope of the logarithms."""
    slope, _ = np.polyfit(np.log(list(sizes)), np.log(np.maximum(list(times), 1e-9)), 1)
    return float(slope)


def growth(small: bool = False) -> dict[tuple[str, str], float]:
    """Measure, print a line for every way and size, and return the exponents."""
    rng, rounds = np.random.default_rng(0), 2 if small else ROUNDS
    grown = SMALL if small else SIZES
    middle = grown["n"][len(grown["n"]) // 2]
    found = {}
    for name, (build, d) in WAYS.items():
        for what in ("n", "d", "k"):
            sizes = COLUMNS[d][:3] if small and what == "d" else COLUMNS[d]
            sizes = sizes if what == "d" else grown[what]
            times = []
            for size in sizes:
                n, columns = (size if what == "n" else middle), (size if what == "d" else d)
                X = clusters(n + QUERIES, columns, rng)
                k = size if what == "k" else K
                times.append(seconds(build, X[QUERIES:], X[:QUERIES], k, rounds))
            found[name, what] = exponent(sizes, times)
            each = "  ".join(
                f"{size:,}: {1e6 * took:.1f}" for size, took in zip(sizes, times, strict=True)
            )
            print(f"{name:13} {what}^{found[name, what]:5.2f}   us a query at {what} = {each}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="measure small sizes")
    heading("growth of the cost of a query, one thread")
    growth(parser.parse_args().small)


if __name__ == "__main__":
    main()
