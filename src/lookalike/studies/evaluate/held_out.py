"""The honest estimate: answers for held-out rows beside the truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.explain.bounds import wilson
from lookalike.studies.evaluate.metrics import bootstrap
from lookalike.studies.results import ClassScores, HeldOutScores, Predictions
from lookalike.typing import AnyArray, Array, Rows


def answer(model: Any, given: Any) -> tuple[AnyArray, Array | None]:
    """Return the answers of a fitted model, and how probable it takes each to be."""
    final = model.steps[-1][1]
    if not hasattr(final, "predict_proba"):
        return np.asarray(model.predict(given)), None
    if hasattr(final, "predict_both"):  # from one search
        rows = model[:-1].transform(given)
        answers, shares = final.predict_both(rows)
    else:
        answers, shares = model.predict(given), model.predict_proba(given)
    place = {label: code for code, label in enumerate(final.classes_.tolist())}
    codes = np.array([place[label] for label in np.asarray(answers).tolist()])
    return np.asarray(answers), np.asarray(shares)[np.arange(len(codes)), codes]


def estimate(found: Predictions, baseline: AnyArray, *, classify: bool, seed: int) -> HeldOutScores:
    """Return the estimate from answers for held-out rows and those of the baseline."""
    if classify:
        return _of_classes(found, baseline)
    return _of_numbers(found, baseline, seed)


def _of_classes(found: Predictions, baseline: AnyArray) -> HeldOutScores:
    n_rows = len(found.row)
    error = float((found.y_pred != found.y_true).mean())
    naive = float((baseline != found.y_true).mean())
    labels = np.unique(np.concatenate([found.y_true, found.y_pred]))
    confusion = np.zeros((len(labels), len(labels)), np.int64)
    np.add.at(
        confusion,
        (np.searchsorted(labels, found.y_true), np.searchsorted(labels, found.y_pred)),
        1,
    )
    return HeldOutScores(
        "error",
        error,
        wilson(error, n_rows),
        n_rows,
        naive,
        wilson(naive, n_rows),
        labels=tuple(labels.tolist()),
        confusion_matrix=tuple(tuple(map(int, line)) for line in confusion.tolist()),
        classes=tuple(_class_score(labels, confusion, place) for place in range(len(labels))),
    )


def _class_score(labels: AnyArray, confusion: Rows, place: int) -> ClassScores:
    rows, predicted = int(confusion[place].sum()), int(confusion[:, place].sum())
    right = int(confusion[place, place])
    return ClassScores(
        labels.tolist()[place],
        rows,
        predicted,
        right / predicted if predicted else None,
        right / rows if rows else None,
        2 * right / (rows + predicted) if rows + predicted else None,
    )


def _of_numbers(found: Predictions, baseline: AnyArray, seed: int) -> HeldOutScores:
    truth = found.y_true.astype(np.float64)
    square, naive = (found.y_pred - truth) ** 2, (baseline - truth) ** 2

    def root(rows: AnyArray, values: AnyArray = square) -> float:
        return float(np.sqrt(values[rows].mean()))

    def explained(rows: AnyArray) -> float:
        total = float(((truth[rows] - truth[rows].mean()) ** 2).sum())
        return 1.0 - float(square[rows].sum()) / total if total > 0 else 0.0

    everyone, n_rows = np.arange(len(truth)), len(truth)
    return HeldOutScores(
        "rmse",
        root(everyone),
        bootstrap(root, n_rows, seed),
        n_rows,
        root(everyone, naive),
        bootstrap(lambda rows: root(rows, naive), n_rows, seed),
        r2=explained(everyone),
        r2_interval=bootstrap(explained, n_rows, seed),
        mae=float(np.abs(found.y_pred - truth).mean()),
    )
