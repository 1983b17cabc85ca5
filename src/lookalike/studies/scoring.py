"""What models are selected by and evaluated with: error, balanced accuracy, F1, AUC, RMSE, R²."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lookalike.errors import ParameterError
from lookalike.studies.format import Interval, metric_title
from lookalike.studies.results import Predictions
from lookalike.studies.task import Task
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice

MIN_LOG_LOSS_PROBABILITY = 1e-15  # least probability of a log loss


@dataclass(frozen=True)
class Scoring:
    """A score: its name, its task, and how it is computed.

    `needs_shares` where class probabilities are needed.
    """

    name: str
    task: str
    compute: Callable[[Predictions], float]
    greater_is_better: bool = False
    needs_shares: bool = False

    @property
    def title(self) -> str:
        """The score as it is written in a sentence."""
        return metric_title(self.name)

    def loss(self, value: float) -> float:
        """Return the value such that less is better, infinite where it is not a number."""
        signed = -value if self.greater_is_better else value
        return signed if np.isfinite(signed) else float("inf")

    def within_range(self, interval: Interval) -> Interval:
        """Return the interval within the range of the score."""
        low, high = interval
        if self.name in ("error", "balanced_accuracy", "f1", "auc"):
            return float(max(low, 0.0)), float(min(high, 1.0))
        if self.name == "r2":
            return float(low), float(min(high, 1.0))
        return float(max(low, 0.0)), float(high)


def scoring_for(name: str, task: Task) -> Scoring:
    """Return the score of that name; "auto" is the error, or the RMSE."""
    check_choice("scoring", name, ("auto", *KNOWN_SCORINGS))
    if name == "auto":
        name = task.metric
    if KNOWN_SCORINGS[name].task != task.name:
        known = [one.name for one in KNOWN_SCORINGS.values() if one.task == task.name]
        raise ParameterError(
            f"scoring={name!r} is not a score of {task.name}. Choose one of {', '.join(known)}."
        )
    return KNOWN_SCORINGS[name]


def scorings_of(task: Task) -> list[Scoring]:
    """Return all scores of a task."""
    return [scoring for scoring in KNOWN_SCORINGS.values() if scoring.task == task.name]


def mean_losses(predictions: Predictions, task: Task) -> tuple[Rows, Array]:
    """Return the numbers of the rows, ascending, and the loss of each, averaged over repeats."""
    loss = task.loss(predictions.y_pred, predictions.y_true)
    row, inverse = np.unique(predictions.row, return_inverse=True)
    mean: Array = np.bincount(inverse, loss) / np.bincount(inverse)
    return row, mean


def _error(rows: Predictions) -> float:
    return float((rows.y_true != rows.y_pred).mean())


def recalls(rows: Predictions) -> Array:
    """Return the recall of every class that has rows."""
    classes, codes = np.unique(rows.y_true, return_inverse=True)
    right = np.bincount(codes, rows.y_true == rows.y_pred, minlength=len(classes))
    recall: Array = right / np.bincount(codes)
    return recall


def _balanced_accuracy(rows: Predictions) -> float:
    return float(recalls(rows).mean())


def _f1(rows: Predictions) -> float:
    labels = np.unique(np.concatenate([rows.y_true, rows.y_pred]))
    true, pred = np.searchsorted(labels, rows.y_true), np.searchsorted(labels, rows.y_pred)
    support = np.bincount(true, minlength=len(labels))
    predicted = np.bincount(pred, minlength=len(labels))
    right = np.bincount(true, true == pred, minlength=len(labels))
    return float((2 * right / (support + predicted)).mean())


def _auc(rows: Predictions) -> float:
    """Return the area under the ROC curve, of several classes the mean of one against the rest."""
    if rows.shares is None or rows.labels is None:
        return float("nan")
    columns = [1] if len(rows.labels) == 2 else range(len(rows.labels))
    areas = [area_under_roc(rows.shares[:, j], rows.y_true == rows.labels[j]) for j in columns]
    known = [area for area in areas if not np.isnan(area)]
    return float(np.mean(known)) if known else float("nan")


def area_under_roc(score: Array, positive: AnyArray) -> float:
    """Return the share of pairs of a positive and another row in the right order, ties half.

    Examples
    --------
    >>> area_under_roc(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))
    0.875
    """
    others, positives = np.sort(score[~positive]), np.sort(score[positive])
    if not len(others) or not len(positives):
        return float("nan")
    below, not_above = others.searchsorted(positives), others.searchsorted(positives, "right")
    return float((below.sum() + not_above.sum()) / 2 / (len(positives) * len(others)))


def _log_loss(rows: Predictions) -> float:
    if rows.shares is None or rows.labels is None:
        return float("nan")
    shares = rows.shares / np.maximum(
        rows.shares.sum(axis=1, keepdims=True), MIN_LOG_LOSS_PROBABILITY
    )
    code = np.searchsorted(rows.labels, rows.y_true)
    true_share = shares[np.arange(len(code)), code]
    return float(-np.log(np.clip(true_share, MIN_LOG_LOSS_PROBABILITY, 1.0)).mean())


def _rmse(rows: Predictions) -> float:
    return float(np.sqrt(((rows.y_pred - rows.y_true) ** 2).mean()))


def _mae(rows: Predictions) -> float:
    return float(np.abs(rows.y_pred - rows.y_true).mean())


def _r2(rows: Predictions) -> float:
    total = float(((rows.y_true - rows.y_true.mean()) ** 2).sum())
    squared = float(((rows.y_pred - rows.y_true) ** 2).sum())
    return 1.0 - squared / total if total > 0 else 0.0


OF_CLASSES, OF_NUMBERS = "classification", "regression"
KNOWN_SCORINGS: dict[str, Scoring] = {
    one.name: one
    for one in (
        Scoring("error", OF_CLASSES, _error),
        Scoring("balanced_accuracy", OF_CLASSES, _balanced_accuracy, greater_is_better=True),
        Scoring("f1", OF_CLASSES, _f1, greater_is_better=True),
        Scoring("auc", OF_CLASSES, _auc, greater_is_better=True, needs_shares=True),
        Scoring("log_loss", OF_CLASSES, _log_loss, needs_shares=True),
        Scoring("rmse", OF_NUMBERS, _rmse),
        Scoring("mae", OF_NUMBERS, _mae),
        Scoring("r2", OF_NUMBERS, _r2, greater_is_better=True),
    )
}
