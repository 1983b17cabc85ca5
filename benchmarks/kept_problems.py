"""Twelve problems, and fast models, on which intervals of the error of a kept model are tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK, Task
from lookalike.typing import AnyArray, Array, Rows

ROWS_OF_A_GROUP = 10
MODELS = ("baseline", "knn 1", "knn 5", "knn 20", "ridge", "quadratic", "features", "trees")


class Sample(NamedTuple):
    """Rows, targets, and groups where there are some."""

    X: Array
    y: AnyArray
    groups: Rows | None = None


def gaussians(rng: np.random.Generator, n: int) -> Sample:
    y, X = rng.integers(2, size=n), rng.normal(size=(n, 5))
    X[:, 0] += y
    return Sample(X, y)


def xor(rng: np.random.Generator, n: int) -> Sample:
    X = rng.uniform(-1, 1, (n, 2))
    return Sample(X, (X.prod(axis=1) > 0) ^ (rng.random(n) < 0.1))


def noise_columns(rng: np.random.Generator, n: int) -> Sample:
    X = rng.normal(size=(n, 22))
    return Sample(X, rng.random(n) < 1 / (1 + np.exp(-3 * (X[:, 0] + X[:, 1]))))


def pure_noise(rng: np.random.Generator, n: int) -> Sample:
    return Sample(rng.normal(size=(n, 8)), rng.integers(2, size=n))


def rare_class(rng: np.random.Generator, n: int) -> Sample:
    X, y = rng.normal(size=(n, 6)), rng.random(n) < 0.08
    X[:, :3] += 1.2 * y[:, None]
    return Sample(X, y)


def many_classes(rng: np.random.Generator, n: int) -> Sample:
    center = 1.6 * np.random.default_rng(0).normal(size=(10, 6))
    y = rng.integers(10, size=n)
    return Sample(center[y] + rng.normal(size=(n, 6)), y)


def linear(rng: np.random.Generator, n: int) -> Sample:
    X = rng.normal(size=(n, 8))
    return Sample(X, X @ np.arange(8) / 4 + rng.normal(size=n))


def friedman(rng: np.random.Generator, n: int) -> Sample:
    X = rng.random((n, 8))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return Sample(X, y + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n))


def heavy_tails(rng: np.random.Generator, n: int) -> Sample:
    X = rng.normal(size=(n, 5))
    return Sample(X, X[:, 0] + np.abs(X[:, 1]) + rng.standard_t(5, size=n))


def many_columns(rng: np.random.Generator, n: int) -> Sample:
    X = rng.normal(size=(n, 30))
    return Sample(X, X[:, :5].sum(axis=1) + 2 * rng.normal(size=n))


def grouped_classes(rng: np.random.Generator, n: int) -> Sample:
    groups = np.arange(n) // ROWS_OF_A_GROUP
    y, center = rng.integers(2, size=n)[groups], rng.normal(size=(n, 5))
    X = center[groups] + 0.5 * rng.normal(size=(n, 5))
    X[:, 0] += 1.5 * y
    return Sample(X, y, groups)


def grouped_numbers(rng: np.random.Generator, n: int) -> Sample:
    groups = np.arange(n) // ROWS_OF_A_GROUP
    center, shift = rng.normal(size=(n, 4)), rng.normal(size=n)
    X = center[groups] + 0.5 * rng.normal(size=(n, 4))
    return Sample(X, X[:, 0] + X[:, 1] + shift[groups] + 0.5 * rng.normal(size=n), groups)


PROBLEMS: dict[str, tuple[Callable[[np.random.Generator, int], Sample], Task]] = {
    "Gaussians": (gaussians, CLASSIFICATION_TASK),
    "XOR, 10% noise": (xor, CLASSIFICATION_TASK),
    "2 + 20 columns": (noise_columns, CLASSIFICATION_TASK),
    "pure noise": (pure_noise, CLASSIFICATION_TASK),
    "rare class": (rare_class, CLASSIFICATION_TASK),
    "10 classes": (many_classes, CLASSIFICATION_TASK),
    "groups, classes": (grouped_classes, CLASSIFICATION_TASK),
    "linear": (linear, REGRESSION_TASK),
    "Friedman": (friedman, REGRESSION_TASK),
    "heavy tails (t, 5 df)": (heavy_tails, REGRESSION_TASK),
    "5 + 25 columns": (many_columns, REGRESSION_TASK),
    "groups, numbers": (grouped_numbers, REGRESSION_TASK),
}


def predict_all(train: Sample, X: Array, task: Task, only: int | None = None) -> list[AnyArray]:
    """Return the predictions of every model fitted to `train`, or of one of them."""
    center, scale = train.X.mean(axis=0), train.X.std(axis=0) + 1e-9
    A, B = (train.X - center) / scale, (X - center) / scale
    labels, codes = np.unique(train.y, return_inverse=True)
    classes = task is CLASSIFICATION_TASK
    Y = np.eye(len(labels))[codes] if classes else train.y[:, None].astype(np.float64)
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(A.shape[1], 100)) * (0.6 if A.shape[1] < 10 else 0.3)
    phase = 2 * np.pi * rng.random(100)
    ways: list[Callable[[], Array]] = [
        lambda: np.repeat(Y.mean(axis=0)[None], len(B), axis=0),
        *(lambda k=k: _neighbors(A, Y, B, k) for k in (1, 5, 20)),  # type: ignore[misc]
        lambda: _ridge(A, Y, B, 1.0),
        lambda: _ridge(_quadratic(A), Y, _quadratic(B), 3.0),
        lambda: _ridge(np.cos(A @ weights + phase), Y, np.cos(B @ weights + phase), 1.0),
        lambda: _trees(A, train.y, B, classes=classes),
    ]
    scores = [way() for way in (ways if only is None else [ways[only]])]
    return [labels[score.argmax(axis=1)] if classes else score[:, 0] for score in scores]


def _neighbors(A: Array, Y: Array, B: Array, k: int) -> Array:
    k = min(k, len(A))
    distance = (A**2).sum(axis=1) - 2 * B @ A.T
    mean: Array = Y[np.argpartition(distance, k - 1, axis=1)[:, :k]].mean(axis=1)
    return mean


def _ridge(A: Array, Y: Array, B: Array, penalty: float) -> Array:
    center, scale, mean = A.mean(axis=0), A.std(axis=0) + 1e-9, Y.mean(axis=0)
    A, B = (A - center) / scale, (B - center) / scale
    weight = np.linalg.solve(A.T @ A + penalty * np.eye(A.shape[1]), A.T @ (Y - mean))
    predicted: Array = B @ weight + mean
    return predicted


def _quadratic(A: Array) -> Array:
    first, second = np.triu_indices(A.shape[1])
    return np.hstack([A, A[:, first] * A[:, second]])


def _trees(A: Array, y: AnyArray, B: Array, *, classes: bool) -> Array:
    share = None if A.shape[1] < 4 else 0.5
    options = {"min_samples_leaf": 2, "max_features": share, "random_state": 0}
    if classes:
        grown: Array = ExtraTreesClassifier(10, **options).fit(A, y).predict_proba(B)
        return grown
    numbers: Array = ExtraTreesRegressor(10, **options).fit(A, y).predict(B)[:, None]
    return numbers
