"""What differs between classification and regression: loss, metric, folds, baseline, intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from lookalike.confidence import NORMAL_95_DEVIATIONS, wilson
from lookalike.models.cross_validation import deal_folds
from lookalike.studies import format as fmt
from lookalike.studies.format import Interval
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class Score(NamedTuple):
    """A validation error or RMSE, its 95% interval, and how it was validated."""

    value: float
    interval: Interval
    method: str
    scored: float | None = None  # the score that models are compared by, where it is another one


class Task(ABC):
    """A supervised task; `CLASSIFICATION_TASK` and `REGRESSION_TASK` are the two there are."""

    name: str
    metric: str  # "error" or "rmse"
    loss_metric: str  # the mean loss, as K is selected by it
    baseline_title: str
    stratified: bool  # whether folds keep the proportions of classes

    def __reduce__(self) -> tuple[object, ...]:  # the same object in every process
        return task_of_name, (self.name,)

    @abstractmethod
    def loss(self, y_pred: AnyArray, y_true: AnyArray) -> Array:
        """Return the loss of every row: 0 or 1, or the squared difference."""

    @abstractmethod
    def value(self, mean_loss: float) -> float:
        """Return the metric for a mean loss."""

    @abstractmethod
    def mean_loss(self, value: float) -> float:
        """Return the mean loss for a value of the metric."""

    @abstractmethod
    def interval(self, mean_loss: float, standard_error: float, n_rows: int) -> Interval:
        """Return the 95% interval of the metric."""

    @abstractmethod
    def baseline(self) -> BaseEstimator:
        """Return the model that ignores the features, not fitted."""

    def score(self, loss: Array, method: str) -> Score:
        """Return the metric over rows, with its interval."""
        mean, n_rows = float(loss.mean()), len(loss)
        spread = (
            float(loss.std(ddof=1)) / n_rows**0.5 if n_rows > 1 else mean / NORMAL_95_DEVIATIONS
        )
        return Score(self.value(mean), self.interval(mean, spread, n_rows), method)

    def folds(
        self,
        y: AnyArray,
        n_folds: int,
        rng: np.random.Generator | None = None,
        *,
        groups: Rows | None = None,
    ) -> Rows:
        """Return the fold of every row, classes in proportion; `rng` shuffles the rows first.

        Rows of one group are in one fold.
        """
        n_folds = min(n_folds, len(y))
        if groups is not None:
            groups = np.unique(groups, return_inverse=True)[1]
            n_folds = max(min(n_folds, int(groups.max()) + 1), min(2, len(y)))
        return deal_folds(y, n_folds, stratify=self.stratified, rng=rng, groups=groups)

    @property
    def metric_title(self) -> str:
        """The metric as it is written in a sentence."""
        return fmt.metric_title(self.metric)

    def format(self, value: float) -> str:
        """Return a value of the metric as text."""
        return fmt.score(self.metric, value)


class _Classification(Task):
    name, metric, loss_metric = "classification", "error", "error"
    baseline_title, stratified = "most frequent class", True

    def loss(self, y_pred: AnyArray, y_true: AnyArray) -> Array:
        return np.asarray(np.asarray(y_pred) != y_true, np.float64)

    def value(self, mean_loss: float) -> float:
        return mean_loss

    def mean_loss(self, value: float) -> float:
        return value

    def interval(self, mean_loss: float, standard_error: float, n_rows: int) -> Interval:  # noqa: ARG002 - Wilson's needs the rows alone
        return wilson(mean_loss, n_rows)

    def baseline(self) -> BaseEstimator:
        return DummyClassifier(strategy="most_frequent")


class _Regression(Task):
    name, metric, loss_metric = "regression", "rmse", "mse"
    baseline_title, stratified = "mean", False

    def loss(self, y_pred: AnyArray, y_true: AnyArray) -> Array:
        squared: Array = (np.asarray(y_pred, np.float64) - y_true) ** 2
        return squared

    def value(self, mean_loss: float) -> float:
        return float(mean_loss**0.5)

    def mean_loss(self, value: float) -> float:
        return value**2

    def interval(self, mean_loss: float, standard_error: float, n_rows: int) -> Interval:  # noqa: ARG002 - the error has them
        reach = NORMAL_95_DEVIATIONS * standard_error
        return max(mean_loss - reach, 0.0) ** 0.5, (mean_loss + reach) ** 0.5

    def baseline(self) -> BaseEstimator:
        return DummyRegressor()


CLASSIFICATION_TASK, REGRESSION_TASK = _Classification(), _Regression()
TASKS_BY_NAME: dict[str, Task] = {
    task.name: task for task in (CLASSIFICATION_TASK, REGRESSION_TASK)
}


def task_of_name(name: str) -> Task:
    """Return the task of that name."""
    return TASKS_BY_NAME[name]
