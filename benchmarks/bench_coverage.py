"""How often the interval of the held-out error holds the error on fresh rows, of few rows.

Run: python -m benchmarks.bench_coverage [--quick] [--seeds N] [--rows N] [--jobs N]
A full run is estimated at 45 minutes on two cores.

The truth is the error of the model that is kept, and the mean of that over all seeds, on 20,000
fresh rows. The third column is the interval that rows alone would give (Wilson's), for comparison.
"""

from __future__ import annotations

import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from benchmarks.known_problems import PROBLEMS, Draw
from benchmarks.timing import BenchParser
from lookalike.confidence import wilson
from lookalike.engines.blas import single_threaded_blas
from lookalike.studies.context import StudyOptions, load_context
from lookalike.studies.select.budget import Budget
from lookalike.studies.study import evaluated

FRESH = 20_000


def linear(n: int, rng: np.random.Generator) -> tuple:
    """A number that is a sum of two columns and noise of deviation 1."""
    X = rng.normal(size=(n, 4))
    return X, 2 * X[:, 0] - X[:, 1] + rng.normal(size=n)


CHOSEN = (
    "Gaussians, 2 columns",
    "Gaussians, 1 of 5 columns, close",
    "3 Gaussians",
    "circle, 10% noise",
    "one-hot categories",
)


class Held(NamedTuple):
    """An interval, the true error of the model kept, and the interval of rows alone (Wilson's)."""

    low: float
    high: float
    truth: float
    alone: bool  # whether the latter holds the truth


def draws() -> dict[str, Draw]:
    return {name: PROBLEMS[name][0] for name in CHOSEN} | {"regression, noise 1": linear}


def trial(name: str, rows: int, seed: int, limit: float | None) -> Held:
    warnings.simplefilter("ignore")
    draw, rng = draws()[name], np.random.default_rng(2000 + seed)
    X, y = draw(rows, rng)
    with single_threaded_blas():
        context = load_context(StudyOptions(X, y, seed=seed), Budget(limit))
        split, result = evaluated(context)
    assert split is not None
    assert result is not None
    fresh, truth = draw(FRESH, rng)
    answer, scores = result.selection.model.predict(fresh), result.scores
    if scores.metric == "rmse":
        return Held(*scores.interval, float(np.sqrt(np.mean((answer - truth) ** 2))), False)
    error = float((answer != truth).mean())
    low, high = wilson(scores.error, rows)
    return Held(*scores.interval, error, bool(low <= error <= high))


def main() -> None:
    parser = BenchParser(__doc__, seeds=(50, 1), rows=(100, 60))
    parser.add_argument("--jobs", type=int, default=2, help="processes, each of one thread")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    print(f"python -m benchmarks.bench_coverage --seeds {options.seeds} --rows {options.rows}")
    print("share of 95% intervals that hold the error on fresh rows")
    head = ("problem", "error", "of the model", "expected", "rows alone", "width")
    print(f"{head[0]:34s} {head[1]:>7s} {head[2]:>13s} {head[3]:>9s} {head[4]:>11s} {head[5]:>7s}")
    begin = time.monotonic()
    limit = 4.0 if options.quick else None
    with ProcessPoolExecutor(options.jobs) as pool:
        running = {
            name: [
                pool.submit(trial, name, options.rows, seed, limit) for seed in range(options.seeds)
            ]
            for name in draws()
        }
        for name, futures in running.items():
            low, high, true, plain = map(
                np.array, zip(*(one.result() for one in futures), strict=True)
            )
            expected = true.mean()
            own = ((low <= true) & (true <= high)).mean()
            mean = ((low <= expected) & (expected <= high)).mean()
            shown = "" if name.startswith("regression") else f"{plain.mean():.2f}"
            print(
                f"{name:34s} {expected:7.3f} {own:13.2f} {mean:9.2f} {shown:>11s} "
                f"{(high - low).mean():7.3f}",
                flush=True,
            )
    print(f"({time.monotonic() - begin:.0f} s)")


if __name__ == "__main__":
    main()
