"""Neighborhood components analysis against scikit-learn: the same objective, in less time.

Run: python -m benchmarks.bench_nca [--quick]
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import NeighborhoodComponentsAnalysis as SklearnNCA
from sklearn.preprocessing import StandardScaler

from benchmarks.timing import BenchParser, heading
from lookalike import NeighborhoodComponentsAnalysis
from lookalike.kernels.softmax_loss import softmax_loss


def cases(n_rows: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return rows and classes: digits, and `n_rows` of ten overlapping classes."""
    X, y = (part[:n_rows] for part in load_digits(return_X_y=True))
    rng = np.random.default_rng(0)
    label = rng.integers(10, size=n_rows)
    made = rng.normal(size=(10, 20))[label] * 1.5 + rng.normal(size=(n_rows, 20))
    return {
        "digits": (StandardScaler().fit_transform(X), y),
        f"{n_rows:,} x 20": (StandardScaler().fit_transform(made), label),
    }


def main() -> None:
    """Print the table."""
    options = BenchParser(__doc__, rows=(5_000, 500), iterations=(20, 3)).parse_args()
    warnings.simplefilter("ignore")
    heading("neighborhood components analysis")
    heads = ("rows", "learner", "seconds", "CPU", "iterations", "objective", "left out")
    print("{:12} {:24} {:>8} {:>8} {:>10} {:>10} {:>9}".format(*heads))
    for name, (X, y) in cases(options.rows).items():
        limit = options.iterations
        learners = {
            "scikit-learn": SklearnNCA(max_iter=limit, random_state=0),
            "ours": NeighborhoodComponentsAnalysis(max_iter=limit),
            "ours, exact": NeighborhoodComponentsAnalysis(max_iter=limit, algorithm="exact"),
            "ours, feature weights": NeighborhoodComponentsAnalysis(max_iter=limit, diagonal=True),
        }
        for title, learner in learners.items():
            start, used = time.perf_counter(), time.process_time()
            learner.fit(X, y)
            seconds, cpu = time.perf_counter() - start, time.process_time() - used
            loss = softmax_loss(X @ learner.components_.T, y, classes=True)[0]
            left_out = getattr(learner, "left_out_", 0.0)
            print(
                f"{name:12} {title:24} {seconds:8.2f} {cpu:8.2f} {learner.n_iter_:10d} "
                f"{-loss / len(y):10.5f} {left_out:9.1e}",
                flush=True,
            )


if __name__ == "__main__":
    main()
