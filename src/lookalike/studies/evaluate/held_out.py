"""Predictions for held-out rows, and their scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lookalike.explain.bounds import wilson
from lookalike.studies.evaluate.metrics import bootstrap
from lookalike.studies.results import ClassScores, HeldOutScores, Predictions
from lookalike.studies.task import Task
from lookalike.typing import AnyArray, Array, Rows


def predict(model: Any, rows: Any) -> tuple[AnyArray, Array | None]:
    """Return the predictions of a fitted pipeline, and the probability of each."""
    final = model.steps[-1][1]
    if not hasattr(final, "predict_proba"):
        return np.asarray(model.predict(rows)), None
    if hasattr(final, "predict_both"):  # from one search
        labels, shares = final.predict_both(model[:-1].transform(rows))
    else:
        labels, shares = model.predict(rows), model.predict_proba(rows)
    place = {label: code for code, label in enumerate(final.classes_.tolist())}
    codes = np.array([place[label] for label in np.asarray(labels).tolist()])
    return np.asarray(labels), np.asarray(shares)[np.arange(len(codes)), codes]


def held_out_scores(
    predictions: Predictions, baseline: AnyArray, task: Task, seed: int
) -> HeldOutScores:
    """Return the scores of predictions for held-out rows, and of those of the baseline."""
    score: Callable[..., HeldOutScores] = SCORERS[task.name]
    return score(predictions, baseline, seed)


def _classification(predictions: Predictions, baseline: AnyArray, _: int) -> HeldOutScores:
    y_true, y_pred, n_rows = predictions.y_true, predictions.y_pred, len(predictions.row)
    error = float((y_pred != y_true).mean())
    baseline_error = float((baseline != y_true).mean())
    labels = np.unique(np.concatenate([y_true, y_pred]))
    matrix = np.zeros((len(labels), len(labels)), np.int64)
    np.add.at(matrix, (np.searchsorted(labels, y_true), np.searchsorted(labels, y_pred)), 1)
    return HeldOutScores(
        "error",
        error,
        wilson(error, n_rows),
        n_rows,
        baseline_error,
        wilson(baseline_error, n_rows),
        labels=tuple(labels.tolist()),
        confusion_matrix=tuple(tuple(map(int, line)) for line in matrix.tolist()),
        classes=tuple(_class_scores(label, matrix, j) for j, label in enumerate(labels.tolist())),
    )


def _class_scores(label: object, matrix: Rows, place: int) -> ClassScores:
    support, predicted = int(matrix[place].sum()), int(matrix[:, place].sum())
    correct = int(matrix[place, place])
    return ClassScores(
        label,
        support,
        predicted,
        correct / predicted if predicted else None,
        correct / support if support else None,
        2 * correct / (support + predicted) if support + predicted else None,
    )


def _regression(predictions: Predictions, baseline: AnyArray, seed: int) -> HeldOutScores:
    y_true = predictions.y_true.astype(np.float64)
    squared, of_baseline = (predictions.y_pred - y_true) ** 2, (baseline - y_true) ** 2

    def rmse(rows: AnyArray, values: AnyArray = squared) -> float:
        return float(np.sqrt(values[rows].mean()))

    def r2(rows: AnyArray) -> float:
        total = float(((y_true[rows] - y_true[rows].mean()) ** 2).sum())
        return 1.0 - float(squared[rows].sum()) / total if total > 0 else 0.0

    everyone, n_rows = np.arange(len(y_true)), len(y_true)
    return HeldOutScores(
        "rmse",
        rmse(everyone),
        bootstrap(rmse, n_rows, seed),
        n_rows,
        rmse(everyone, of_baseline),
        bootstrap(lambda rows: rmse(rows, of_baseline), n_rows, seed),
        r2=r2(everyone),
        r2_interval=bootstrap(r2, n_rows, seed),
        mae=float(np.abs(predictions.y_pred - y_true).mean()),
    )


SCORERS = {"classification": _classification, "regression": _regression}
