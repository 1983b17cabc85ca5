"""Covariance compared with NumPy's own product, in memory; right at an offset where others are not.

Run: python -m benchmarks.bench_covariance [--quick]
"""

from __future__ import annotations

import numpy as np

from benchmarks.timing import BenchParser, heading, race
from lookalike.data import open_source
from lookalike.engines.local import MemoryEngine
from lookalike.reductions.covariance import Covariance


def covariance(X):
    return MemoryEngine().reduce(Covariance(), open_source(X))


def error_at(offset, dtype):
    """The largest error, as a part of the trace, of rows at a common offset."""
    rng = np.random.default_rng(1)
    X = (50 * rng.normal(size=(20_000, 100)) + offset).astype(dtype)
    exact = np.cov(X.astype(np.float64).T - offset)
    ours = covariance(X)[2]
    naive = (X.T @ X) / (len(X) - 1) - np.outer(X.mean(0), X.mean(0)) * len(X) / (len(X) - 1)
    trace = np.trace(exact)
    return np.abs(ours - exact).max() / trace, np.abs(naive - exact).max() / trace


def main() -> None:
    options = BenchParser(__doc__, rows=(60_000, 4_000), rounds=(5, 1)).parse_args()
    heading("covariance")
    rng = np.random.default_rng(0)
    for dtype, limit in ((np.float64, 1.3), (np.float32, 1.5)):
        X = rng.random((options.rows, 784)).astype(dtype)
        medians = race(
            f"{options.rows} x 784 {np.dtype(dtype).name}",
            {
                "lookalike mean and covariance": lambda X=X: covariance(X),
                "NumPy X.T @ X": lambda X=X: X.T @ X,
            },
            rounds=options.rounds,
        )
        ours, numpys = medians.values()
        print(f"  takes {ours / numpys:.2f} of NumPy's time (at most {limit})")
        ours, naive = error_at(1e6, dtype)
        print(
            f"  error at offset 1e6: {ours:.1e} of the trace; X.T @ X less the means: {naive:.1e}"
        )


if __name__ == "__main__":
    main()
