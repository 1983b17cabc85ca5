"""Kernel sums compared with a plain log-sum-exp over all rows.

Run: LOOKALIKE_DATA=folder python -m benchmarks.bench_kernel_sums [--quick]
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from benchmarks.timing import BenchParser, heading, race
from lookalike import KernelDensityClassifier
from lookalike.data import gather, sample

SIGMAS = (100.0, 150.0, 300.0, 1000.0)  # kernels that reach a few rows, hundreds, most, all
KINDS = {  # what users make of bytes, and the step between neighboring bytes then
    "bytes": (1.0, lambda X: X),
    "bytes / 255": (1 / 255, lambda X: X / 255),
    "bytes / 255 in float32": (1 / 255, lambda X: (X / 255).astype(np.float32)),
    "standardized columns": (1 / 70, lambda X: X),
}


def plain(X, y, queries, sigma):
    """Equations 14.3.1 to 14.3.4 with one product of matrices."""
    squares = (X**2).sum(axis=1)
    gaps = squares - 2 * queries @ X.T + (queries**2).sum(axis=1)[:, None]
    joint = [logsumexp(-gaps[:, y == c] / (2 * sigma**2), axis=1) for c in range(10)]
    return np.exp(np.array(joint) - logsumexp(joint, axis=0)).T


def main() -> None:
    options = BenchParser(__doc__, rows=(60_000, 2_000), rounds=(3, 1)).parse_args()
    heading("kernel sums")
    train = gather(sample("mnist", "train"))
    X, y = train.X[: options.rows].astype(np.float64), train.y[: options.rows]
    queries = gather(sample("mnist", "test")).X.astype(np.float64)[:200]
    for kind, (step, made) in KINDS.items():
        if kind.startswith("standardized"):
            scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
            X, queries = (X - X.mean(axis=0)) / scale, (queries - X.mean(axis=0)) / scale
        for sigma in SIGMAS:
            title = f"{kind}, sigma = {sigma:g} bytes"
            one_width(title, made(X), y, made(queries), sigma * step, options.rounds)


def one_width(title, X, y, queries, sigma, rounds) -> None:
    """Race a batch and a lone query; NumPy computes in float64 whatever the rows are."""
    wide = X.astype(np.float64)
    model = KernelDensityClassifier(sigma, background=False).fit(X, y)
    for count in (1, 200):
        batch, batch_wide = queries[:count], queries[:count].astype(np.float64)
        race(
            f"{len(X)} rows of MNIST, {title}, {count} {'query' if count == 1 else 'queries'}",
            {
                "lookalike": lambda Q=batch: model.predict_proba(Q),
                "NumPy log-sum-exp": lambda Q=batch_wide: plain(wide, y, Q, sigma),
            },
            rounds=rounds,
        )
    gap = np.abs(model.predict_proba(queries) - plain(wide, y, queries.astype(float), sigma)).max()
    sums = model.decisions_.about("sums")[0].choice
    print(f"  largest difference of the probabilities: {gap:.1e}; sums {sums}")


if __name__ == "__main__":
    main()
