"""Filters compared with scikit-learn's: one pass over a million rows, and information by neighbors.

Run: python -m benchmarks.bench_univariate [--quick]
"""

from __future__ import annotations

import numpy as np
from sklearn import feature_selection as peer

from benchmarks.timing import BenchParser, heading, race
from lookalike.feature_selection import SelectByFilter, chi2, f_classif, mutual_info_classif


def main() -> None:
    sizes = {"rows": (1_000_000, 20_000), "neighbor_rows": (50_000, 2_000), "rounds": (3, 1)}
    options = BenchParser(__doc__, **sizes).parse_args()
    n, few, rounds = options.rows, options.neighbor_rows, options.rounds
    heading("univariate scores")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.random((n, 100))
    X[:, 0] += y
    race(
        f"F-test of two classes, {n:,} x 100, float64",
        {
            "lookalike": lambda: f_classif(X, y),
            "lookalike, with standard errors": lambda: SelectByFilter("f").fit(X, y),
            "scikit-learn": lambda: peer.f_classif(X, y),
        },
        rounds=rounds,
    )
    race(
        f"chi-square of two classes, {n:,} x 100, float64",
        {"lookalike": lambda: chi2(X, y), "scikit-learn": lambda: peer.chi2(X, y)},
        rounds=rounds,
    )
    X, y = rng.normal(size=(few, 50)), rng.integers(0, 2, few)
    X[:, :10] += y[:, None]
    race(
        f"information by 3 neighbors about two classes, {few:,} x 50",
        {
            "lookalike": lambda: mutual_info_classif(X, y),
            "scikit-learn": lambda: peer.mutual_info_classif(X, y, random_state=0),
        },
        rounds=min(2, rounds),
    )
    ours = mutual_info_classif(X, y)
    gap = np.abs(ours - peer.mutual_info_classif(X, y, random_state=0)).max()
    print(f"  largest difference of the estimates: {gap:.1e} nats")


if __name__ == "__main__":
    main()
