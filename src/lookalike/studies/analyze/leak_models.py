"""How much of the target columns leave unexplained: cross-validated small models."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lookalike.studies.task import CLASSIFICATION, Task
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from lookalike.studies.analyze.leak_columns import ReadColumn

FOLDS = 5
TREES = 50
KNOTS = 8  # of the piecewise linear functions of a column
BINS = 32  # of equally many rows, by which columns are screened
WORTH_A_TREE = 0.2  # of the variance of the target that bins of a column explain
TINY = 1e-12


@dataclass(frozen=True)
class Sample:
    """Targets with their folds, and the loss of the baseline."""

    y: AnyArray
    codes: Rows  # of classes; zeros of regression
    task: Task
    fold: Rows
    baseline: float  # mean loss of the most frequent class, or of the mean
    seed: int

    @classmethod
    def of(cls, y: AnyArray, task: Task, groups: Rows | None, seed: int) -> Sample:
        """Return the sample of these targets."""
        fold = task.folds(y, FOLDS, np.random.default_rng(seed), groups=groups)
        if task is CLASSIFICATION:
            codes = np.unique(y, return_inverse=True)[1]
            return cls(y, codes, task, fold, 1 - float(np.bincount(codes).max()) / len(y), seed)
        return cls(y.astype(float), np.zeros(len(y), np.int64), task, fold, float(y.var()), seed)

    def unexplained(self, predict: Callable[[AnyArray, AnyArray], AnyArray]) -> float:
        """Return the out-of-fold loss of `predict(train, held_out)`, per loss of the baseline."""
        target = self.codes if self.task is CLASSIFICATION else self.y
        loss = np.empty(len(target))
        for one in np.unique(self.fold):
            held_out = self.fold == one
            loss[held_out] = self.task.loss(predict(~held_out, held_out), target[held_out])
        return float(loss.mean()) / self.baseline

    def metric(self, unexplained: float) -> float:
        """Return the error or RMSE of what leaves so much unexplained."""
        return self.task.value(unexplained * self.baseline)

    def relation(self, numbers: Array | None) -> float:
        """Return how much numbers are related to the target: the larger squared correlation."""
        if numbers is None:
            return 0.0
        values = filled(numbers)
        targets = self.one_hot() if self.task is CLASSIFICATION else self.y[:, None]
        ranks = np.argsort(np.argsort(values)).astype(float)
        return max(
            float(_correlation(column, target) ** 2)
            for column in (values, ranks)
            for target in targets.T
        )

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


def _correlation(first: Array, second: Array) -> float:
    a, b = first - first.mean(), second - second.mean()
    scale = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a * b).sum()) / scale if scale > TINY else 0.0


def unexplained_by_numbers(numbers: Array | None, sample: Sample) -> float:
    """Return what is left by a decision tree, or a line, on one column.

    1 where its bins explain little: of very many columns few are worth a tree.
    """
    if numbers is None or _explained_by_bins(numbers, sample) < WORTH_A_TREE:
        return 1.0
    values = filled(numbers)[:, None]
    left = _by_tree(values, sample)
    return left if sample.task is CLASSIFICATION else min(left, _by_least_squares(values, sample))


def _explained_by_bins(numbers: Array, sample: Sample) -> float:
    """Return the part of the variance of the target between bins of equally many rows.

    Of classes, the largest of one class.
    """
    order = np.argsort(filled(numbers), kind="stable")
    targets = sample.one_hot() if sample.task is CLASSIFICATION else sample.y[:, None]
    start = np.linspace(0, len(order), min(BINS, len(order)), endpoint=False).astype(np.int64)
    gap = targets[order] - targets.mean(axis=0)
    count = np.diff(np.append(start, len(order)))
    between = (np.add.reduceat(gap, start, axis=0) ** 2 / count[:, None]).sum(axis=0)
    return float((between / np.maximum((gap**2).sum(axis=0), TINY)).max())


def unexplained_by_categories(codes: Rows, sample: Sample) -> float:
    """Return what is left by the most frequent class, or the mean, of each category."""
    shifted = codes + 1
    n_codes = int(shifted.max()) + 1

    def predict(train: AnyArray, held_out: AnyArray) -> AnyArray:
        counts = np.bincount(shifted[train], minlength=n_codes)
        if sample.task is CLASSIFICATION:
            votes = np.zeros((n_codes, int(sample.codes.max()) + 1))
            np.add.at(votes, (shifted[train], sample.codes[train]), 1.0)
            default = int(votes.sum(axis=0).argmax())
            return np.where(counts > 0, votes.argmax(axis=1), default)[shifted[held_out]]
        sums = np.bincount(shifted[train], sample.y[train], minlength=n_codes)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), sample.y[train].mean())
        return means[shifted[held_out]]

    return sample.unexplained(predict)


def unexplained_by_pair(first: Array | None, second: Array | None, sample: Sample) -> float:
    """Return what is left by functions of two columns: sums, products, quotients, additive ones."""
    if first is None or second is None:
        return 1.0
    a, b = filled(first), filled(second)
    with np.errstate(all="ignore"):
        derived = [a + b, a - b, a * b, a / b, b / a]
    columns = [filled(np.asarray(one)) for one in derived]
    left = _by_tree(np.column_stack([_direction(a, b, sample), *columns]), sample)
    if sample.task is CLASSIFICATION:
        return left
    additive = np.column_stack([_hats(a), _hats(b), a, b])
    found = [left, _by_least_squares(additive, sample)]
    return min(found + [_by_least_squares(one[:, None], sample) for one in columns])


def unexplained_by_sum(columns: Array, sample: Sample) -> float:
    """Return what is left by a linear combination."""
    return _by_least_squares(np.apply_along_axis(filled, 0, columns), sample)


def unexplained_by_forest(columns: list[ReadColumn], sample: Sample) -> float:
    """Return what all these columns leave together, by a random forest; 1 where there are none."""
    parts = [
        filled(one.numbers) if one.numbers is not None else one.codes.astype(float)
        for one in columns
        if one.numbers is not None or one.codes is not None
    ]
    if not parts:
        return 1.0
    Z = np.column_stack(parts)
    kind: Any = RandomForestRegressor
    if sample.task is CLASSIFICATION:
        kind = RandomForestClassifier
    model = kind(TREES, min_samples_leaf=2, random_state=sample.seed)
    return min(_by_model(model, Z, sample), 1.0)


def _by_tree(Z: Array, sample: Sample) -> float:
    least = max(2, len(Z) // 400)
    kind: Any = DecisionTreeRegressor
    if sample.task is CLASSIFICATION:
        kind = DecisionTreeClassifier
    return _by_model(kind(min_samples_leaf=least, random_state=sample.seed), Z, sample)


def _by_model(model: Any, Z: Array, sample: Sample) -> float:
    target = sample.codes if sample.task is CLASSIFICATION else sample.y
    limited = np.clip(Z, -1e30, 1e30)

    def predict(train: AnyArray, held_out: AnyArray) -> AnyArray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = model.fit(limited[train], target[train])
        return np.asarray(fitted.predict(limited[held_out]))

    return sample.unexplained(predict)


def _by_least_squares(Z: Array, sample: Sample) -> float:
    scale = np.maximum(np.abs(Z).max(axis=0), TINY)
    design = np.column_stack([np.ones(len(Z)), Z / scale])

    def predict(train: AnyArray, held_out: AnyArray) -> AnyArray:
        weights = np.linalg.lstsq(design[train], sample.y[train], rcond=1e-10)[0]
        predicted: Array = design[held_out] @ weights
        return predicted

    return sample.unexplained(predict)


def _direction(a: Array, b: Array, sample: Sample) -> Array:
    """Return the combination of two columns that is most related to the target, in all rows."""
    scaled = [(one - one.mean()) / max(float(one.std()), TINY) for one in (a, b)]
    design = np.column_stack([np.ones(len(a)), *scaled])
    target = sample.codes.astype(float) if sample.task is CLASSIFICATION else sample.y
    weights = np.linalg.lstsq(design, target, rcond=None)[0]
    combined: Array = design @ weights
    return combined


def _hats(values: Array) -> Array:
    """Return piecewise linear functions of a column, between its quantiles."""
    knots = np.unique(np.quantile(values, np.linspace(0, 1, KNOTS)))
    if len(knots) < 2:
        return np.zeros((len(values), 1))
    return np.column_stack([np.interp(values, knots, unit) for unit in np.eye(len(knots))])
