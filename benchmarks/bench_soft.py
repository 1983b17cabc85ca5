"""Soft neighbours beside a plain log-sum-exp over all rows.

Run: LOOKALIKE_DATA=folder python -m benchmarks.bench_soft
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from benchmarks.timing import heading, race
from lookalike import SoftNeighborsClassifier
from lookalike.data import gather, sample

SIGMAS = (100.0, 150.0, 300.0, 1000.0)  # kernels that reach a few rows, hundreds, most, all


def plain(X, y, queries, sigma):
    """Equations 14.3.1 to 14.3.4 with one product of matrices."""
    squares = (X**2).sum(axis=1)
    gaps = squares - 2 * queries @ X.T + (queries**2).sum(axis=1)[:, None]
    joint = [logsumexp(-gaps[:, y == c] / (2 * sigma**2), axis=1) for c in range(10)]
    return np.exp(np.array(joint) - logsumexp(joint, axis=0)).T


def main() -> None:
    heading("soft")
    train = gather(sample("mnist", "train"))
    X, y = train.X.astype(np.float64), train.y
    queries = gather(sample("mnist", "test")).X.astype(np.float64)[:200]
    for sigma, shift in [*((sigma, 0.0) for sigma in SIGMAS), (300.0, 0.25)]:
        X, queries = X + shift, queries + shift  # rows that are not whole have no codes
        model = SoftNeighborsClassifier(sigma, background=False).fit(X, y)
        kind = "whole numbers" if shift == 0 else "other numbers"
        race(
            f"200 queries, 60000 rows of MNIST, {kind}, sigma = {sigma:g}",
            {
                "lookalike": lambda model=model, Q=queries: model.predict_proba(Q),
                "NumPy log-sum-exp": lambda X=X, Q=queries, sigma=sigma: plain(X, y, Q, sigma),
            },
            rounds=3,
        )
        gap = np.abs(model.predict_proba(queries) - plain(X, y, queries, sigma)).max()
        sums = model.decisions_.about("sums")[0].choice
        print(f"  largest difference of the probabilities: {gap:.1e}; sums {sums}")


if __name__ == "__main__":
    main()
