"""Problems whose Bayes error is known: rows are drawn, the truth is computed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

Draw = Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]


def flipped(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return 0 and 1 with a share of them flipped."""
    return np.where(rng.random(len(y)) < share, 1 - y, y)


def threshold(n: int, rng: np.random.Generator) -> tuple:
    """One of 30 columns decides, 10 of the others are one-hot; no noise."""
    X = rng.normal(size=(n, 20))
    towns = np.eye(10)[rng.integers(10, size=n)]
    return np.column_stack([X, towns]), (X[:, 3] > 0.2).astype(int)


def xor(n: int, rng: np.random.Generator, columns: int, noise: float) -> tuple:
    """The signs of two columns decide, the others are noise."""
    X = rng.uniform(-1, 1, size=(n, columns))
    return X, flipped(((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int), noise, rng)


def gaussians(n: int, rng: np.random.Generator, shift: float, columns: int) -> tuple:
    """Two normal classes whose means differ by `shift` deviations along the first column."""
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, columns))
    X[:, 0] += shift * y
    return X, y


def three_gaussians(n: int, rng: np.random.Generator) -> tuple:
    """Three normal classes in a row, 2 deviations between means."""
    y = rng.integers(3, size=n)
    return rng.normal(size=(n, 2)) + 2 * np.column_stack([y, np.zeros(n)]), y


def separable(n: int, rng: np.random.Generator, noise: float) -> tuple:
    """Two squares with a gap between them, a share of labels flipped."""
    y = rng.integers(2, size=n)
    X = rng.uniform(size=(n, 4))
    X[:, 0] += 1.5 * y
    return X, flipped(y, noise, rng)


def circle(n: int, rng: np.random.Generator, noise: float) -> tuple:
    """Inside or outside of a circle, a share of labels flipped."""
    X = rng.uniform(-1, 1, size=(n, 2))
    return X, flipped(((X**2).sum(axis=1) < 0.6).astype(int), noise, rng)


CELLS = np.random.default_rng(5).beta(0.5, 0.5, size=(4, 3, 3))  # of class 1 in every cell


def one_hot(n: int, rng: np.random.Generator) -> tuple:
    """Three categories, one-hot, whose combination has a probability of class 1."""
    codes = [rng.integers(m, size=n) for m in CELLS.shape]
    X = np.column_stack([np.eye(m)[code] for m, code in zip(CELLS.shape, codes, strict=True)])
    return X, (rng.random(n) < CELLS[tuple(codes)]).astype(int)


WEIGHTS = np.r_[np.tile([2.0, -2.0], 10), np.zeros(180)]


def sparse(n: int, rng: np.random.Generator) -> tuple:
    """200 columns of 5% ones, 20 of which move the log odds."""
    X = (rng.random(size=(n, 200)) < 0.05).astype(float)
    share = 1 / (1 + np.exp(-2 * X @ WEIGHTS))
    return X, (rng.random(n) < share).astype(int)


def rare(n: int, rng: np.random.Generator) -> tuple:
    """3% positives, two and a half deviations away in one of 5 columns."""
    y = (rng.random(n) < 0.03).astype(int)
    X = rng.normal(size=(n, 5))
    X[:, 0] += 2.5 * y
    return X, y


def bayes_of_three() -> float:
    def best(x: float) -> float:
        return max(norm.pdf(x, m) for m in (0, 2, 4)) / 3

    return 1 - quad(best, -8, 12, limit=200)[0]


def bayes_of_sparse() -> float:
    X = np.random.default_rng(0).random(size=(200_000, 20)) < 0.05
    share = 1 / (1 + np.exp(-2 * X @ WEIGHTS[:20]))
    return float(np.minimum(share, 1 - share).mean())


def bayes_of_rare() -> float:
    def least(x: float) -> float:
        return min(0.97 * norm.pdf(x), 0.03 * norm.pdf(x, 2.5))

    return quad(least, -10, 12, limit=400, points=[2.64])[0]


PROBLEMS: dict[str, tuple[Draw, float]] = {
    "threshold on 1 of 30 columns": (threshold, 0.0),
    "XOR, 2 columns": (lambda n, r: xor(n, r, 2, 0.0), 0.0),
    "XOR, 2 of 10 columns, 10% noise": (lambda n, r: xor(n, r, 10, 0.1), 0.1),
    "Gaussians, 2 columns": (lambda n, r: gaussians(n, r, 2.0, 2), float(norm.cdf(-1.0))),
    "Gaussians, 1 of 10 columns": (lambda n, r: gaussians(n, r, 3.0, 10), float(norm.cdf(-1.5))),
    "Gaussians, 1 of 5 columns, close": (
        lambda n, r: gaussians(n, r, 1.0, 5),
        float(norm.cdf(-0.5)),
    ),
    "3 Gaussians": (three_gaussians, bayes_of_three()),
    "separable, no noise": (lambda n, r: separable(n, r, 0.0), 0.0),
    "separable, 10% noise": (lambda n, r: separable(n, r, 0.1), 0.1),
    "separable, 30% noise": (lambda n, r: separable(n, r, 0.3), 0.3),
    "circle, 10% noise": (lambda n, r: circle(n, r, 0.1), 0.1),
    "one-hot categories": (one_hot, float(np.minimum(CELLS, 1 - CELLS).mean())),
    "sparse, 200 columns": (sparse, bayes_of_sparse()),
    "3% positives": (rare, bayes_of_rare()),
}
