"""How often the interval of the held-out error holds the error on fresh rows, of few rows.

Run: python -m benchmarks.bench_coverage [seeds] [rows] [problems by number]

The truth is the error of the model that is kept, and the mean of that over all seeds, on 20,000
fresh rows. The third column is the interval that rows alone would give (Wilson's), for comparison.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np

from benchmarks.known_problems import PROBLEMS
from lookalike.explain.bounds import wilson
from lookalike.studies.context import StudyOptions, load_context
from lookalike.studies.load.open import open_data
from lookalike.studies.select import model_selection
from lookalike.studies.select.budget import Budget
from lookalike.studies.study import evaluated

FRESH = 20_000
QUICK = ("baseline", "nearest", "knn", "lda", "ridge")


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


def trial(draw, rows: int, seed: int) -> tuple[float, float, float, float, tuple[float, float]]:
    """Return estimate, interval, true error of the model kept, and Wilson's interval."""
    rng = np.random.default_rng(2000 + seed)
    X, y = draw(rows, rng)
    context = load_context(open_data(X, y), StudyOptions(seed=seed), Budget(None))
    split, result = evaluated(context)
    assert split is not None
    assert result is not None
    fresh, truth = draw(FRESH, rng)
    answer = result.selection.model.predict(fresh)
    scores = result.scores
    if scores.metric == "rmse":
        error = float(np.sqrt(np.mean((answer - truth) ** 2)))
        plain = (np.nan, np.nan)
    else:
        error = float((answer != truth).mean())
        plain = wilson(scores.error, rows)
    return scores.error, *scores.interval, error, plain


def main() -> None:
    seeds, rows = (int(sys.argv[place]) if len(sys.argv) > place else n
                   for place, n in ((1, 50), (2, 200)))  # fmt: skip
    problems = {name: PROBLEMS[name][0] for name in CHOSEN} | {"regression, noise 1": linear}
    names = [list(problems)[int(number)] for number in sys.argv[3:]] or list(problems)
    warnings.simplefilter("ignore")
    model_selection.CANDIDATES = tuple(
        one for one in model_selection.CANDIDATES if one.name in QUICK
    )
    print(f"{rows} rows, {seeds} seeds: share of 95% intervals that hold the error on fresh rows")
    head = ("problem", "error", "of the model", "expected", "rows alone", "width")
    print(f"{head[0]:34s} {head[1]:>7s} {head[2]:>13s} {head[3]:>9s} {head[4]:>11s} {head[5]:>7s}")
    begin = time.monotonic()
    for name in names:
        results = [trial(problems[name], rows, seed) for seed in range(seeds)]
        _, low, high, true, plain = (np.array(one) for one in zip(*results, strict=True))
        expected = true.mean()
        own = ((low <= true) & (true <= high)).mean()
        mean = ((low <= expected) & (expected <= high)).mean()
        alone = ((plain[:, 0] <= true) & (true <= plain[:, 1])).mean()
        shown = "" if np.isnan(plain).any() else f"{alone:.2f}"
        print(
            f"{name:34s} {expected:7.3f} {own:13.2f} {mean:9.2f} {shown:>11s} "
            f"{(high - low).mean():7.3f}",
            flush=True,
        )
    print(f"({time.monotonic() - begin:.0f} s)")


if __name__ == "__main__":
    main()
