"""How often the intervals of a study hold the truth, on rows whose Bayes error is known.

Run: python -m benchmarks.coverage_study [seeds] [cases by number]
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

import lookalike

ROWS = 600
FRESH = 20_000  # rows on which the true error of the fitted winner is measured


def overlapping(n: int, rng: np.random.Generator, shift: float, columns: int) -> tuple:
    """Two normal classes whose means differ by `shift` deviations along the first column."""
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, columns))
    X[:, 0] += shift * y
    return X, np.array(["a", "b"])[y]


def linear(n: int, rng: np.random.Generator) -> tuple:
    """A number that is a sum of two columns and noise of deviation 1."""
    X = rng.normal(size=(n, 4))
    return X, 2 * X[:, 0] - X[:, 1] + rng.normal(size=n)


def three_classes(n: int, rng: np.random.Generator) -> tuple:
    """Three normal classes in a row, 2 deviations between means."""
    y = rng.integers(3, size=n)
    return (rng.normal(size=(n, 1)) + 2 * y[:, None]), np.array(["a", "b", "c"])[y]


def bayes_of_three() -> float:
    def best(x: float) -> float:
        return max(norm.pdf(x, m) for m in (0, 2, 4)) / 3

    return 1 - quad(best, -8, 12, limit=200)[0]


CASES = {
    "2 classes, shift 2, 2 features": (lambda n, r: overlapping(n, r, 2.0, 2), norm.cdf(-1.0)),
    "2 classes, shift 1, 5 features": (lambda n, r: overlapping(n, r, 1.0, 5), norm.cdf(-0.5)),
    "2 classes, shift 3, 10 features": (lambda n, r: overlapping(n, r, 3.0, 10), norm.cdf(-1.5)),
    "3 classes, shift 2, 1 feature": (three_classes, bayes_of_three()),
    "regression, noise 1": (linear, None),
}


def trial(name: str, seed: int) -> tuple:
    """Return whether bracket, widened bracket and interval hold the truth."""
    draw, bayes = CASES[name]
    rng = np.random.default_rng(1000 + seed)
    X, y = draw(ROWS, rng)
    study = lookalike.study(X, y, seed=seed)
    fresh, truth = draw(FRESH, rng)
    answer = study.model.predict(fresh)
    low, high = study.held_out.interval
    if bayes is None:
        return None, None, low <= np.sqrt(np.mean((answer - truth) ** 2)) <= high
    inside = low <= (answer != truth).mean() <= high
    low, high = study.bayes_error.interval
    return study.bayes_error.low <= bayes <= study.bayes_error.high, low <= bayes <= high, inside


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    names = [list(CASES)[int(number)] for number in sys.argv[2:]] or list(CASES)
    lookalike.config(threads=1)
    print(f"{ROWS} rows, {seeds} seeds; the share of seeds in which the truth is inside")
    print(f"{'rows':32s} {'Bayes':>6s} {'bounds':>8s} {'with CI':>9s} {'held-out':>10s}")
    with ProcessPoolExecutor(2) as workers:
        for name in names:
            results = list(workers.map(trial, [name] * seeds, range(seeds)))
            columns = zip(*results, strict=True)
            shares = ["" if one[0] is None else f"{np.mean(one):.2f}" for one in columns]
            bayes = CASES[name][1]
            known = "" if bayes is None else f"{bayes:.4f}"
            line = f"{name:32s} {known:>6s} {shares[0]:>8s} {shares[1]:>9s} {shares[2]:>10s}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
