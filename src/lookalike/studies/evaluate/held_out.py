"""Predictions for held-out rows, and their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lookalike.explain.bounds import wilson
from lookalike.studies.evaluate.intervals import (
    bootstrap,
    corrected_resampled,
    hull,
    root_mean_interval,
)
from lookalike.studies.evaluate.metrics import class_shares
from lookalike.studies.format import Interval
from lookalike.studies.results import ClassScores, HeldOutScores, MetricScore, Predictions
from lookalike.studies.scoring import SCORINGS, Evaluated, Scoring, recalls, scorings_of
from lookalike.studies.task import CLASSIFICATION, Task
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

DRAWS = 200  # of the bootstrap of scores other than error and RMSE
MANY = 5000  # rows beyond which it has fewer
FEW_DRAWS = 50


class HoldOut(NamedTuple):
    """How the rows of predictions were held out."""

    n_repeats: int
    test_share: float  # held-out rows per training row
    nested: bool
    groups: Rows | None  # of the first repeat, in order of row


def predict(
    model: BaseEstimator, rows: Any, labels: AnyArray | None
) -> tuple[AnyArray, Array | None, Array | None]:
    """Return what a fitted pipeline predicts, the probability of each, and of all classes.

    `labels` are all classes, None of regression.
    """
    if labels is None:
        return np.asarray(model.predict(rows)), None, None
    final = model.steps[-1][1]
    if not hasattr(final, "predict_proba"):
        return np.asarray(model.predict(rows)), None, class_shares(model, rows, labels)
    if hasattr(final, "predict_both"):  # from one search
        y_pred, own = final.predict_both(model[:-1].transform(rows))
    else:
        y_pred, own = model.predict(rows), model.predict_proba(rows)
    y_pred, own = np.asarray(y_pred), np.asarray(own, np.float64)
    shares = np.zeros((len(own), len(labels)))
    shares[:, np.searchsorted(labels, final.classes_)] = own
    codes = np.searchsorted(labels, y_pred)
    return y_pred, shares[np.arange(len(codes)), codes], shares


def held_out_scores(
    predictions: Predictions,
    baseline: Evaluated,
    task: Task,
    *,
    scoring: Scoring,
    how: HoldOut,
    seed: int,
) -> HeldOutScores:
    """Return the scores of predictions for held-out rows, and of those of the baseline."""
    rows = Evaluated(predictions.y_true, predictions.y_pred, predictions.shares, predictions.labels)
    rows = _numeric(rows, task)
    main = SCORINGS[task.metric]
    fold = predictions.fold
    value, interval = _score(main, rows, fold, how, seed)
    of_baseline, baseline_interval = _score(main, baseline, fold, how, seed)
    scores = []
    for one in scorings_of(task):
        if one is main:
            scores.append(MetricScore(one.name, one.title, value, interval, of_baseline))
            continue
        score, ends = _score(one, rows, fold, how, seed)
        if np.isfinite(score) and np.isfinite(ends).all():
            known = one.compute(baseline)
            known_baseline = known if np.isfinite(known) and not one.needs_shares else None
            scores.append(MetricScore(one.name, one.title, score, ends, known_baseline))
    return HeldOutScores(
        task.metric,
        value,
        interval,
        len(predictions.row) // how.n_repeats,
        of_baseline,
        baseline_interval,
        n_repeats=how.n_repeats,
        interval_method=_method(task, how),
        scoring=scoring.name,
        scores=tuple(scores),
        **_of_classes(rows, how) if task is CLASSIFICATION else _of_numbers(scores),
    )


def held_out_error(
    rows: Evaluated, fold: Rows, task: Task, *, how: HoldOut, seed: int
) -> tuple[float, Interval]:
    """Return the error rate or the RMSE of predictions for held-out rows, with its interval."""
    return _score(SCORINGS[task.metric], _numeric(rows, task), fold, how, seed)


def _numeric(rows: Evaluated, task: Task) -> Evaluated:
    """Return the rows with targets in float64 where they are numbers."""
    return rows if task is CLASSIFICATION else rows._replace(y_true=rows.y_true.astype(np.float64))


def _score(
    scoring: Scoring, rows: Evaluated, fold: Rows, how: HoldOut, seed: int
) -> tuple[float, Interval]:
    """Return a score with its interval: over rows or groups, and not less than over splits."""
    repeat = fold // max((int(fold.max()) + 1) // how.n_repeats, 1)
    parts = [rows.take(repeat == one) for one in range(how.n_repeats)]
    value = scoring.compute(rows) if scoring.name in ("error", "rmse") else np.nan
    if not np.isfinite(value):
        value = float(np.mean([scoring.compute(part) for part in parts]))
    first, n_rows = parts[0], len(parts[0].y_true)
    grouped = how.groups is not None
    if scoring.name == "error":
        interval = wilson(value, n_rows)
    if scoring.name != "error" or grouped:
        draws = 1000 if scoring.name == "rmse" else DRAWS if n_rows <= MANY else FEW_DRAWS
        ends = bootstrap(
            lambda some: scoring.compute(first.take(some)),
            n_rows,
            seed,
            groups=how.groups,
            draws=draws,
        )
        if scoring.name == "rmse" and not grouped:
            ends = hull(ends, root_mean_interval((first.y_pred - first.y_true) ** 2))
        shift = value - scoring.compute(first)
        ends = (ends[0] + shift, ends[1] + shift)
        interval = hull(interval, ends) if scoring.name == "error" else ends
        if scoring.name in ("balanced_accuracy", "f1", "auc"):
            interval = hull(interval, _by_recalls(first, value))
    if how.nested:
        interval = hull(interval, _over_splits(scoring, rows, fold, how, value))
    return value, _within(scoring, interval)


def _by_recalls(rows: Evaluated, value: float) -> Interval:
    """Return an interval as wide as that of the mean recall, from Wilson's of every class.

    A bootstrap of rows without an error has no width; this has. The squared distances to the
    ends of the recalls are added up (MOVER) [Zou08].
    """
    classes, counts = np.unique(rows.y_true, return_counts=True)
    ends = [wilson(float(r), int(n)) for r, n in zip(recalls(rows), counts, strict=True)]
    gaps = [(r - low, high - r) for r, (low, high) in zip(recalls(rows), ends, strict=True)]
    below, above = (float(np.sqrt(sum(g**2 for g in gap))) for gap in zip(*gaps, strict=True))
    return value - below / len(classes), value + above / len(classes)


def _over_splits(
    scoring: Scoring, rows: Evaluated, fold: Rows, how: HoldOut, value: float
) -> Interval:
    """Return the interval by the corrected resampled variance of the folds."""
    root = scoring.name == "rmse"
    each = np.array([scoring.compute(rows.take(fold == one)) for one in np.unique(fold)])
    each = each[np.isfinite(each)]
    if len(each) < 2:
        return value, value
    low, high = corrected_resampled(each**2 if root else each, how.test_share)
    if root:
        return max(low, 0.0) ** 0.5, high**0.5
    middle = float(each.mean())
    return value + low - middle, value + high - middle


def _within(scoring: Scoring, interval: Interval) -> Interval:
    """Return the interval within the range of the score."""
    low, high = interval
    if scoring.name in ("error", "balanced_accuracy", "f1", "auc"):
        return float(max(low, 0.0)), float(min(high, 1.0))
    if scoring.name == "r2":
        return float(low), float(min(high, 1.0))
    return float(max(low, 0.0)), float(high)


def _method(task: Task, how: HoldOut) -> str:
    parts = ["Wilson" if task is CLASSIFICATION else "bootstrap over rows"]
    if task is not CLASSIFICATION and how.groups is None:
        parts.append("Student's of the log mean square")
    if how.groups is not None:
        parts.append("bootstrap over groups")
    if how.nested:
        parts.append("corrected resampled variance over splits")
    return parts[0] if len(parts) == 1 else "the widest of " + ", ".join(parts)


def _of_numbers(scores: list[MetricScore]) -> dict[str, Any]:
    named = {one.name: one for one in scores}
    return {
        "r2": named["r2"].value,
        "r2_interval": named["r2"].interval,
        "mae": named["mae"].value,
    }


def _of_classes(rows: Evaluated, how: HoldOut) -> dict[str, Any]:
    labels = np.unique(np.concatenate([rows.y_true, rows.y_pred]))
    matrix = np.zeros((len(labels), len(labels)), np.int64)
    places = (np.searchsorted(labels, rows.y_true), np.searchsorted(labels, rows.y_pred))
    np.add.at(matrix, places, 1)
    return {
        "labels": tuple(labels.tolist()),
        "confusion_matrix": tuple(tuple(map(int, line)) for line in matrix.tolist()),
        "classes": tuple(
            _class_scores(label, matrix, j, how.n_repeats)
            for j, label in enumerate(labels.tolist())
        ),
    }


def _class_scores(label: object, matrix: Rows, place: int, n_repeats: int) -> ClassScores:
    support, predicted = int(matrix[place].sum()), int(matrix[:, place].sum())
    correct = int(matrix[place, place])
    recall = correct / support if support else None
    n_rows = support // n_repeats
    return ClassScores(
        label,
        n_rows,
        predicted / n_repeats if n_repeats > 1 else predicted,
        correct / predicted if predicted else None,
        recall,
        2 * correct / (support + predicted) if support + predicted else None,
        None if recall is None else wilson(recall, n_rows),
    )
