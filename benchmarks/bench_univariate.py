"""Filters compared with scikit-learn's: one pass over a million rows, and information by neighbors.

Run: python -m benchmarks.bench_univariate
"""

from __future__ import annotations

import numpy as np
from sklearn import feature_selection as peer

from benchmarks.timing import heading, race
from lookalike import SelectByFilter, chi2, f_classif, mutual_info_classif


def main() -> None:
    heading("univariate scores")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1_000_000)
    X = rng.random((1_000_000, 100))
    X[:, 0] += y
    race(
        "F-test of two classes, 1M x 100, float64",
        {
            "lookalike": lambda: f_classif(X, y),
            "lookalike, with standard errors": lambda: SelectByFilter("f").fit(X, y),
            "scikit-learn": lambda: peer.f_classif(X, y),
        },
        rounds=3,
    )
    race(
        "chi-square of two classes, 1M x 100, float64",
        {"lookalike": lambda: chi2(X, y), "scikit-learn": lambda: peer.chi2(X, y)},
        rounds=3,
    )
    X, y = rng.normal(size=(50_000, 50)), rng.integers(0, 2, 50_000)
    X[:, :10] += y[:, None]
    race(
        "information by 3 neighbors about two classes, 50k x 50",
        {
            "lookalike": lambda: mutual_info_classif(X, y),
            "scikit-learn": lambda: peer.mutual_info_classif(X, y, random_state=0),
        },
        rounds=2,
    )
    ours = mutual_info_classif(X, y)
    gap = np.abs(ours - peer.mutual_info_classif(X, y, random_state=0)).max()
    print(f"  largest difference of the estimates: {gap:.1e} nats")


if __name__ == "__main__":
    main()
