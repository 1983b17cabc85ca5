"""Validation scores by cross-validation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, clone

from lookalike.models.neighbors.k_selection import KSelection
from lookalike.studies.results import Predictions
from lookalike.studies.scoring import Scoring
from lookalike.studies.task import CLASSIFICATION, Score, Task
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from lookalike.data.source import Source

FOLDS = 5
DEVIATIONS = 3.0  # standard errors, and
MARGIN = 1.1  # part of the lowest loss, by which a model is far behind


def cross_validated(
    build: Callable[[], object],
    Z: AnyArray,
    y: AnyArray,
    task: Task,
    *,
    groups: Rows | None = None,
    scoring: Scoring | None = None,
    least: float = math.inf,
) -> Score:
    """Return the cross-validated score of a model with fixed hyperparameters.

    Rows are in random order already; those of one group are in one fold. `scoring` is the score
    that models are compared by, where it is not the error or the RMSE. `least` is the mean loss of
    the best model so far: one that is far behind it on the first folds is not fitted to the others.
    """
    fold = task.folds(y, FOLDS, groups=groups)
    labels = np.unique(y) if task is CLASSIFICATION else None
    y_pred = np.empty(len(y), y.dtype if task is CLASSIFICATION else np.float64)
    shares = None
    if scoring is not None and scoring.needs_shares and labels is not None:
        shares = np.zeros((len(y), len(labels)))
    seen, n_folds = np.zeros(len(y), bool), int(fold.max()) + 1
    for number, one in enumerate(np.unique(fold), 1):
        held_out = fold == one
        with warnings.catch_warnings():  # those of the model that is kept are shown
            warnings.simplefilter("ignore")
            model = clone(build()).fit(Z[~held_out], y[~held_out])
            y_pred[held_out] = model.predict(Z[held_out])
            if shares is not None and labels is not None:
                shares[held_out] = class_shares(model, Z[held_out], labels)
        seen |= held_out
        if scoring is None and number < n_folds:
            loss = task.loss(y_pred[seen], y[seen])
            if is_far_behind(loss, least):
                return task.score(loss, f"{number} of {n_folds} folds: far behind the best")
    score = task.score(task.loss(y_pred, y), f"cross-validation, {n_folds} folds")
    if scoring is None:
        return score
    rows = Predictions(np.arange(len(y)), y, y_pred, None, fold, shares, labels)
    return score._replace(scored=scoring.compute(rows))


def is_far_behind(loss: Array, least: float, deviations: float = DEVIATIONS) -> bool:
    """Return whether the mean of losses exceeds `least` by far more than chance would explain."""
    mean, n_rows = float(loss.mean()), len(loss)
    variance = max(float(loss.var()), mean**2 / n_rows)
    return bool(mean - deviations * (variance / n_rows) ** 0.5 > MARGIN * least)


def class_shares(model: BaseEstimator, rows: Source, labels: AnyArray) -> Array:
    """Return the class probabilities of a fitted model, a column for every one of `labels`.

    Models without probabilities give those of a softmax of their decision function, which has
    the same order. Classes that the model does not know have probability 0.
    """
    if hasattr(model, "predict_proba"):
        own = np.asarray(model.predict_proba(rows), np.float64)
    else:
        margin = np.asarray(model.decision_function(rows), np.float64)
        margin = np.column_stack([-margin, margin]) if margin.ndim == 1 else margin
        own = np.exp(margin - margin.max(axis=1, keepdims=True))
        own /= own.sum(axis=1, keepdims=True)
    shares = np.zeros((len(own), len(labels)))
    shares[:, np.searchsorted(labels, np.asarray(model.classes_))] = own
    return shares


def score_of_k(selection: KSelection, k: int, weights: str, task: Task) -> Score:
    """Return the validation score of `k` neighbors, from the one search of the rows."""
    method = "cv" if ("cv", weights) in selection.curves else "loo"
    title = f"cross-validation, {FOLDS} folds" if method == "cv" else "leave-one-out"
    loss = float(selection.curves[method, weights].scores[task.loss_metric][k - 1])
    errors = selection.curves["loo", weights].standard_errors[task.loss_metric]
    interval = task.interval(loss, float(errors[k - 1]), selection.n_rows)
    return Score(task.value(loss), interval, title)
