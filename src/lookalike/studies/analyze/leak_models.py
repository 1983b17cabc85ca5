"""How much of the target columns leave unexplained: cross-validated small models."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lookalike.models.trees.ordered_forest import OrderedForest, OrderedRegressionForest
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.studies.analyze.leak_columns import ReadColumn

LEAK_FOLDS = 5
LEAK_TREES = 30
PROMISING_LOSS_SHARE = 0.2  # part of the baseline's loss that a pair may leave by least squares
LEAK_RIDGE_PENALTY = 1e-9
PER_WEIGHT = 5  # rows for each weight of a least-squares fit that may be trusted
SPLINE_KNOTS = 8  # of the piecewise linear functions of a column
SCREENING_BINS = 32  # of equally many rows, by which columns are screened
WORTH_A_TREE = 0.2  # of the variance of the target that bins of a column explain
SMALLEST_VARIANCE = 1e-12


class Sample:
    """Targets with their folds, and the loss of the baseline.

    `codes` are those of classes, zeros of regression; `baseline` is the mean loss of the most
    frequent class, or of the mean.
    """

    task: Task
    seed: int
    y: AnyArray
    baseline: float
    codes: Rows

    def __init__(self, y: AnyArray, task: Task, groups: Rows | None, seed: int) -> None:
        self.task, self.seed = task, seed
        self.fold: Rows = task.folds(y, LEAK_FOLDS, np.random.default_rng(seed), groups=groups)
        if task is CLASSIFICATION_TASK:
            self.y, self.codes = y, np.unique(y, return_inverse=True)[1]
            self.baseline = 1 - float(np.bincount(self.codes).max()) / len(y)
        else:
            self.y, self.codes = y.astype(float), np.zeros(len(y), np.int64)
            self.baseline = float(y.var())

    def unexplained(self, predict: Callable[[AnyArray, AnyArray], AnyArray]) -> float:
        """Return the out-of-fold loss of `predict(train, held_out)`, per loss of the baseline."""
        target = self.codes if self.task is CLASSIFICATION_TASK else self.y
        loss = np.empty(len(target))
        for part in np.unique(self.fold):
            held_out = self.fold == part
            loss[held_out] = self.task.loss(predict(~held_out, held_out), target[held_out])
        return float(loss.mean()) / self.baseline

    def metric(self, unexplained: float) -> float:
        """Return the error or RMSE of what leaves so much unexplained."""
        return self.task.value(unexplained * self.baseline)

    def relations(self, columns: list[Array | None]) -> Array:
        """Return how much columns are related to the target: the largest squared correlation.

        Of their values or ranks with the number, or with one class or another.
        """
        empty = np.zeros(len(self.y))
        values = np.column_stack(
            [empty if column is None else filled(column) for column in columns]
        )
        ranks = np.argsort(np.argsort(values, axis=0), axis=0).astype(np.float64)
        targets = self.one_hot() if self.task is CLASSIFICATION_TASK else self.y[:, None]
        both = [
            np.abs(_standardize(values_or_ranks).T @ _standardize(targets))
            for values_or_ranks in (values, ranks)
        ]
        largest: Array = np.maximum(*both).max(axis=1)
        return largest

    def contributions(self, columns: list[Array | None]) -> Array:
        """Return how much each column contributes to a sum of cubic functions of all of them.

        Parts of a sum may each be unrelated to it; here they are large.
        """
        empty = np.zeros(len(self.y))
        values = np.column_stack(
            [empty if column is None else filled(column) for column in columns]
        )
        unit = _standardize(values) * len(values) ** 0.5
        powers = [_standardize(np.clip(unit, -5, 5) ** power) for power in (1, 2, 3)]
        design = np.concatenate(powers, axis=1)
        targets = self.y[:, None]
        if self.task is CLASSIFICATION_TASK:
            targets = np.column_stack([self.codes, self.one_hot()])
        moments = design.T @ design + 1e-3 * np.eye(design.shape[1])
        weights = np.linalg.solve(moments, design.T @ _standardize(targets))
        each: Array = np.abs(weights).max(axis=1).reshape(3, -1).max(axis=0)
        return each

    def one_hot(self) -> Array:
        """Return a column of 0 and 1 for every class."""
        return np.eye(int(self.codes.max()) + 1)[self.codes]


def filled(numbers: Array) -> Array:
    """Return numbers with missing and infinite ones below all others."""
    known = np.isfinite(numbers)
    if known.all():
        return numbers
    low, high = (numbers[known].min(), numbers[known].max()) if known.any() else (0.0, 1.0)
    return np.where(known, numbers, low - 0.1 * (high - low) - 1.0)


def _standardize(columns: Array) -> Array:
    """Return columns of mean 0 and length 1."""
    difference = columns - columns.mean(axis=0)
    unit: Array = difference / np.maximum(np.sqrt((difference**2).sum(axis=0)), SMALLEST_VARIANCE)
    return unit


def unexplained_by_numbers(numbers: Array | None, sample: Sample) -> float:
    """Return what is left by a decision tree, or a line, on one column.

    1 where its bins explain little: of very many columns few are worth a tree.
    """
    if numbers is None or _explained_by_bins(numbers, sample) < WORTH_A_TREE:
        return 1.0
    values = filled(numbers)[:, None]
    left = _by_tree(values, sample)
    return (
        left if sample.task is CLASSIFICATION_TASK else min(left, _by_least_squares(values, sample))
    )


def _explained_by_bins(numbers: Array, sample: Sample) -> float:
    """Return the part of the variance of the target between bins of equally many rows.

    Of classes, the largest of one class.
    """
    order = np.argsort(filled(numbers), kind="stable")
    targets = sample.one_hot() if sample.task is CLASSIFICATION_TASK else sample.y[:, None]
    start = np.linspace(0, len(order), min(SCREENING_BINS, len(order)), endpoint=False).astype(
        np.int64
    )
    difference = targets[order] - targets.mean(axis=0)
    count = np.diff(np.append(start, len(order)))
    between = (np.add.reduceat(difference, start, axis=0) ** 2 / count[:, None]).sum(axis=0)
    return float((between / np.maximum((difference**2).sum(axis=0), SMALLEST_VARIANCE)).max())


def unexplained_by_categories(codes: Rows, sample: Sample) -> float:
    """Return what is left by the most frequent class, or the mean, of each category."""
    shifted = codes + 1
    n_codes = int(shifted.max()) + 1

    def predict(train: AnyArray, held_out: AnyArray) -> AnyArray:
        counts = np.bincount(shifted[train], minlength=n_codes)
        if sample.task is CLASSIFICATION_TASK:
            votes = np.zeros((n_codes, int(sample.codes.max()) + 1))
            np.add.at(votes, (shifted[train], sample.codes[train]), 1.0)
            default = int(votes.sum(axis=0).argmax())
            return np.where(counts > 0, votes.argmax(axis=1), default)[shifted[held_out]]
        sums = np.bincount(shifted[train], sample.y[train], minlength=n_codes)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), sample.y[train].mean())
        return means[shifted[held_out]]

    return sample.unexplained(predict)


class PairColumn:
    """A numeric column with its piecewise linear functions, for pairs with others."""

    def __init__(self, numbers: Array) -> None:
        self.values: Array = filled(numbers)
        self.basis: Array = np.column_stack([_hats(self.values), self.values])


def unexplained_by_pair(first: PairColumn, second: PairColumn, sample: Sample) -> float:
    """Return what is left by functions of two columns: sums, products, quotients, additive ones.

    Pairs that leave much by least squares, on all rows, are not tried further.
    """
    a, b = first.values, second.values
    with np.errstate(all="ignore"):
        derived = [
            filled(np.asarray(combination)) for combination in (a + b, a - b, a * b, a / b, b / a)
        ]
    additive = np.column_stack([first.basis, second.basis])
    design = _scale(np.column_stack([additive, *derived]))
    targets = sample.y[:, None]
    if sample.task is CLASSIFICATION_TASK:
        targets = np.column_stack([sample.codes, sample.one_hot()])
    moments = design.T @ design + LEAK_RIDGE_PENALTY * len(design) * np.eye(design.shape[1])
    fitted = design @ np.linalg.solve(moments, design.T @ targets)
    if sample.task is CLASSIFICATION_TASK:
        nearest, largest = np.rint(fitted[:, 0]), fitted[:, 1:].argmax(axis=1)
        wrong = min((nearest != sample.codes).mean(), (largest != sample.codes).mean())
        if wrong > PROMISING_LOSS_SHARE * sample.baseline:
            return 1.0
        left = _by_tree(np.column_stack([fitted, *derived]), sample)
        many = len(design) >= PER_WEIGHT * design.shape[1]  # no fit of chance
        return min(left, float(wrong) / sample.baseline) if many else left
    if ((targets - fitted) ** 2).mean() > PROMISING_LOSS_SHARE * sample.baseline:
        return 1.0
    designs = [additive, *(combination[:, None] for combination in derived)]
    return min(_by_least_squares(combination, sample) for combination in designs)


def unexplained_by_sum(columns: Array, sample: Sample) -> float:
    """Return what is left by a linear combination."""
    return _by_least_squares(np.apply_along_axis(filled, 0, columns), sample)


def unexplained_by_forest(columns: list[ReadColumn], sample: Sample) -> float:
    """Return what all these columns leave together, by a random forest; 1 where there are none."""
    parts = []
    for column in columns:
        if column.numbers is not None:
            parts.append(filled(column.numbers))
        elif column.codes is not None:
            parts.append(column.codes.astype(float))
    if not parts:
        return 1.0
    Z = np.column_stack(parts)
    kind = OrderedRegressionForest
    if sample.task is CLASSIFICATION_TASK:
        kind = OrderedForest
    model = kind(LEAK_TREES, min_samples_leaf=2, random_state=sample.seed)
    return min(_by_model(model, Z, sample), 1.0)


def _by_tree(Z: Array, sample: Sample) -> float:
    least = max(2, len(Z) // 400)
    kind = DecisionTreeRegressor
    if sample.task is CLASSIFICATION_TASK:
        kind = DecisionTreeClassifier
    return _by_model(kind(min_samples_leaf=least, random_state=sample.seed), Z, sample)


def _by_model(model: BaseEstimator, Z: Array, sample: Sample) -> float:
    target = sample.codes if sample.task is CLASSIFICATION_TASK else sample.y
    limited = np.clip(Z, -1e30, 1e30)

    def predict(train: AnyArray, held_out: AnyArray) -> AnyArray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = model.fit(limited[train], target[train])
        return np.asarray(fitted.predict(limited[held_out]))

    return sample.unexplained(predict)


def _by_least_squares(Z: Array, sample: Sample) -> float:
    design = _scale(Z)

    def predict(train: AnyArray, held_out: AnyArray) -> AnyArray:
        weights = np.linalg.lstsq(design[train], sample.y[train], rcond=1e-10)[0]
        predicted: Array = design[held_out] @ weights
        return predicted

    return sample.unexplained(predict)


def _scale(Z: Array) -> Array:
    """Return columns of at most 1, and one of ones."""
    limited = np.clip(Z, -1e100, 1e100)
    return np.column_stack(
        [np.ones(len(Z)), limited / np.maximum(np.abs(limited).max(axis=0), SMALLEST_VARIANCE)]
    )


def _hats(values: Array) -> Array:
    """Return piecewise linear functions of a column, between its quantiles."""
    knots = np.unique(np.quantile(values, np.linspace(0, 1, SPLINE_KNOTS)))
    if len(knots) < 2:
        return np.zeros((len(values), 1))
    return np.column_stack([np.interp(values, knots, unit) for unit in np.eye(len(knots))])
