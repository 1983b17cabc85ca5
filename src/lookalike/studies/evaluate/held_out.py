"""Predictions for held-out rows, and their scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.confidence import wilson
from lookalike.studies.evaluate.bias_correction import CorrectedError
from lookalike.studies.evaluate.intervals import (
    bootstrap,
    corrected_resampled,
    hull,
    recall_interval,
    root_mean_interval,
)
from lookalike.studies.evaluate.kept_interval import kept_rate_interval
from lookalike.studies.evaluate.ordered_classes import are_ordered
from lookalike.studies.format import Interval
from lookalike.studies.results import ClassScores, HeldOutScores, MetricScore, Predictions
from lookalike.studies.scoring import KNOWN_SCORINGS, Scoring, scorings_of
from lookalike.studies.select.fold_work import class_shares
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK, Task
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.source import Source

MANY_SCORED_ROWS = 5000  # beyond which scores other than error and RMSE are drawn less often
FEWEST_SCORE_DRAWS = 50


def predict(
    model: BaseEstimator, rows: Source, labels: AnyArray | None
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
        y_pred, of_members = final.predict_both(model[:-1].transform(rows))
    else:
        y_pred, of_members = model.predict(rows), model.predict_proba(rows)
    y_pred, of_members = np.asarray(y_pred), np.asarray(of_members, np.float64)
    shares = np.zeros((len(of_members), len(labels)))
    shares[:, np.searchsorted(labels, final.classes_)] = of_members
    codes = np.searchsorted(labels, y_pred)
    return y_pred, shares[np.arange(len(codes)), codes], shares


class HeldOutScorer:
    """Scores of predictions for held-out rows, with intervals by how the rows were held out.

    Repeats of all folds follow each other.

    Parameters
    ----------
    task : Task
        What is predicted.
    n_repeats : int
        How often all folds were repeated.
    test_share : float
        Held-out rows per training row.
    cross_validated : bool
        Whether they were held out in folds.
    groups : array, optional
        The groups of the rows of the first repeat.
    seed : int
        Of the bootstrap.
    draws : int
        Of the bootstrap of scores other than error and RMSE.
    """

    task: Task
    n_repeats: int
    seed: int
    test_share: float
    cross_validated: bool
    groups: Rows | None
    draws: int

    def __init__(
        self,
        task: Task,
        *,
        n_repeats: int,
        test_share: float,
        cross_validated: bool,
        groups: Rows | None,
        seed: int,
        draws: int = 200,
    ) -> None:
        self.task, self.n_repeats, self.seed = task, n_repeats, seed
        self.test_share, self.cross_validated = test_share, cross_validated
        self.groups, self.draws = groups, draws

    def scores(self, rows: Predictions, baseline: Predictions, scoring: Scoring) -> HeldOutScores:
        """Return the scores of predictions, and of those of the baseline."""
        rows, main = self._numeric(rows), KNOWN_SCORINGS[self.task.metric]
        value, interval = self._score(main, rows)
        of_baseline, baseline_interval = self._score(main, baseline)
        scores = []
        for one in scorings_of(self.task):
            if one is main:
                scores.append(MetricScore(one.name, one.title, value, interval, of_baseline))
                continue
            score, ends = self._score(one, rows)
            if np.isfinite(score) and np.isfinite(ends).all():
                known = one.compute(baseline)
                known_baseline = known if np.isfinite(known) and not one.needs_shares else None
                scores.append(MetricScore(one.name, one.title, score, ends, known_baseline))
        if self.task is not CLASSIFICATION_TASK:
            of_task = _of_numbers(scores)
        else:
            of_task = _of_classes(rows, self.n_repeats, self._recall_interval)
            labels = np.array(of_task["labels"])
            if are_ordered(labels, np.array(of_task["confusion_matrix"])):
                scores.append(self._mean_absolute_error(rows, baseline))
                of_task["mae"] = scores[-1].value
        return HeldOutScores(
            self.task.metric,
            value,
            interval,
            len(rows.y_true) // self.n_repeats,
            of_baseline,
            baseline_interval,
            n_repeats=self.n_repeats,
            interval_method=self._method(),
            scoring=scoring.name,
            scores=tuple(scores),
            **of_task,
        )

    def _mean_absolute_error(self, rows: Predictions, baseline: Predictions) -> MetricScore:
        """Return the mean absolute error of classes that are integers in an order."""
        scoring = KNOWN_SCORINGS["mae"]
        numbers, others = (
            replace(part, y_true=part.y_true.astype(float), y_pred=part.y_pred.astype(float))
            for part in (rows, baseline)
        )
        value, interval = self._score(scoring, numbers)
        known = scoring.compute(others)
        return MetricScore(scoring.name, scoring.title, value, interval, known)

    def error(self, rows: Predictions) -> tuple[float, Interval]:
        """Return the error rate or the RMSE of predictions, with its interval."""
        return self._score(KNOWN_SCORINGS[self.task.metric], self._numeric(rows))

    def _numeric(self, rows: Predictions) -> Predictions:
        """Return the rows with targets in float64 where they are numbers."""
        if self.task is CLASSIFICATION_TASK:
            return rows
        return replace(rows, y_true=rows.y_true.astype(np.float64))

    def _score(self, scoring: Scoring, rows: Predictions) -> tuple[float, Interval]:
        """Return a score with its interval: over rows or groups, and not less than over splits."""
        repeat = rows.fold // max((int(rows.fold.max()) + 1) // self.n_repeats, 1)
        parts = [rows.take(repeat == number) for number in range(self.n_repeats)]
        of_rows = scoring.name == self.task.metric  # a mean over rows, or its root
        counted = of_rows and self.task is CLASSIFICATION_TASK
        squared = of_rows and not counted
        value = scoring.compute(rows) if of_rows else np.nan
        if not np.isfinite(value):
            value = float(np.mean([scoring.compute(part) for part in parts]))
        first, n_rows = parts[0], len(parts[0].y_true)
        grouped = self.groups is not None
        if counted:
            interval = wilson(value, n_rows)
        if not counted or grouped:
            few = min(self.draws, FEWEST_SCORE_DRAWS)
            draws = 1000 if squared else self.draws if n_rows <= MANY_SCORED_ROWS else few
            ends = bootstrap(
                lambda drawn: scoring.compute(first.take(drawn)),
                n_rows,
                self.seed,
                groups=self.groups,
                draws=draws,
            )
            if squared and not grouped:
                ends = hull(ends, root_mean_interval((first.y_pred - first.y_true) ** 2))
            shift = value - scoring.compute(first)
            ends = (ends[0] + shift, ends[1] + shift)
            interval = hull(interval, ends) if counted else ends
            if scoring.name in ("balanced_accuracy", "f1", "auc"):
                interval = hull(interval, recall_interval(first, value))
        if self.cross_validated:
            interval = hull(interval, self._over_splits(scoring, rows, value))
        return value, scoring.within_range(interval)

    def _over_splits(self, scoring: Scoring, rows: Predictions, value: float) -> Interval:
        """Return the interval by the corrected resampled variance of the folds."""
        folds = np.unique(rows.fold)
        each = np.array([scoring.compute(rows.take(rows.fold == one)) for one in folds])
        each = each[np.isfinite(each)]
        if len(each) < 2:
            return value, value
        if scoring.name == REGRESSION_TASK.metric:
            return self._root_over_splits(each**2, (rows.y_pred - rows.y_true) ** 2, value)
        low, high = corrected_resampled(each, self.test_share)
        middle = float(each.mean())
        return value + low - middle, value + high - middle

    def _root_over_splits(self, each: Array, squares: Array, value: float) -> Interval:
        """Return the interval of a RMSE from the mean squares of the folds, by their logarithm.

        Mean squares of folds with few rows are skewed, and their variance over a few folds may be
        small by chance: it is taken to be no less than what the rows of a fold give.
        """
        middle, of_rows = float(each.mean()), float(squares.var(ddof=1))
        if middle == 0:
            return value, value
        _, high = corrected_resampled(each, self.test_share, of_rows * len(each) / len(squares))
        factor = float(np.exp((high - middle) / (2 * middle)))
        return value / factor, value * factor

    def _recall_interval(self, recall: float, n_rows: int) -> Interval:
        """Return the interval of a recall: on test rows, or of the model that learns from all."""
        return (kept_rate_interval if self.cross_validated else wilson)(recall, n_rows)

    def _method(self) -> str:
        """Return how the interval of the error was computed."""
        parts = ["Wilson" if self.task is CLASSIFICATION_TASK else "bootstrap over rows"]
        if self.task is not CLASSIFICATION_TASK and self.groups is None:
            parts.append("Student's t of the log MSE")
        if self.groups is not None:
            parts.append("bootstrap over groups")
        if self.cross_validated:
            parts.append("corrected resampled variance over splits")
        return parts[0] if len(parts) == 1 else "the widest of " + ", ".join(parts)


def with_corrected_error(
    scores: HeldOutScores,
    corrected: CorrectedError,
    predictions: Predictions,
    requested: CorrectedError | None = None,
) -> HeldOutScores:
    """Return the scores with the error of the kept model, corrected for its selection.

    `requested` is the corrected score that models were selected by, if it is another one.
    """
    error, interval = corrected.value, corrected.interval
    changed = {scores.metric: (error, interval)}
    if requested is not None:
        changed[scores.scoring] = requested.value, requested.interval
    of_numbers: dict[str, Any] = {}
    if scores.metric == REGRESSION_TASK.metric:
        variance = float(predictions.y_true.astype(np.float64).var())
        if variance > 0 and "r2" not in changed:
            low, high = (1.0 - end**2 / variance for end in interval[::-1])
            changed["r2"] = 1.0 - error**2 / variance, (low, high)
            of_numbers = {"r2": changed["r2"][0], "r2_interval": changed["r2"][1]}
    metrics = tuple(
        replace(score, value=changed[score.name][0], interval=changed[score.name][1])
        if score.name in changed
        else score
        for score in scores.scores
    )
    return replace(
        scores,
        error=error,
        interval=interval,
        interval_method=corrected.method,
        scores=metrics,
        selected_share=(requested or corrected).selected,
        refit_factor=corrected.gain.sure,
        expected_refit_factor=corrected.gain.expected,
        **of_numbers,
    )


def _of_numbers(scores: list[MetricScore]) -> dict[str, Any]:
    named = {score.name: score for score in scores}
    return {
        "r2": named["r2"].value,
        "r2_interval": named["r2"].interval,
        "mae": named["mae"].value,
    }


def _of_classes(
    rows: Predictions, n_repeats: int, interval_of: Callable[[float, int], Interval]
) -> dict[str, Any]:
    labels = np.unique(np.concatenate([rows.y_true, rows.y_pred]))
    matrix = np.zeros((len(labels), len(labels)), np.int64)
    places = (np.searchsorted(labels, rows.y_true), np.searchsorted(labels, rows.y_pred))
    np.add.at(matrix, places, 1)
    return {
        "labels": tuple(labels.tolist()),
        "confusion_matrix": tuple(tuple(map(int, line)) for line in matrix.tolist()),
        "classes": tuple(
            _class_scores(label, matrix, j, n_repeats, interval_of)
            for j, label in enumerate(labels.tolist())
        ),
    }


def _class_scores(
    label: object,
    matrix: Rows,
    code: int,
    n_repeats: int,
    interval_of: Callable[[float, int], Interval],
) -> ClassScores:
    support, predicted = int(matrix[code].sum()), int(matrix[:, code].sum())
    correct = int(matrix[code, code])
    recall = correct / support if support else None
    n_rows = support // n_repeats
    return ClassScores(
        label,
        n_rows,
        predicted / n_repeats if n_repeats > 1 else predicted,
        correct / predicted if predicted else None,
        recall,
        2 * correct / (support + predicted) if support + predicted else None,
        None if recall is None else interval_of(recall, n_rows),
    )
