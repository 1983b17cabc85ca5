"""Validation errors by cross-validation, and bootstrap intervals."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from lookalike.models.neighbors.k_selection import KSelection
from lookalike.studies.format import Interval
from lookalike.studies.task import Score, Task
from lookalike.typing import AnyArray

FOLDS = 5
DRAWS = 1000  # of the bootstrap


def cross_validated(build: Callable[[], Any], Z: AnyArray, y: AnyArray, task: Task) -> Score:
    """Return the cross-validated score of a model with fixed hyperparameters.

    Rows are in random order already.
    """
    fold = task.folds(y, FOLDS)
    loss = np.empty(len(y))
    for one in np.unique(fold):
        held_out = fold == one
        with warnings.catch_warnings():  # those of the model that is kept are shown
            warnings.simplefilter("ignore")
            model = clone(build()).fit(Z[~held_out], y[~held_out])
            loss[held_out] = task.loss(model.predict(Z[held_out]), y[held_out])
    return task.score(loss, f"cross-validation, {fold.max() + 1} folds")


def score_of_k(selection: KSelection, k: int, weights: str, task: Task) -> Score:
    """Return the validation score of `k` neighbors, from the one search of the rows."""
    method = "cv" if ("cv", weights) in selection.curves else "loo"
    title = f"cross-validation, {FOLDS} folds" if method == "cv" else "leave-one-out"
    loss = float(selection.curves[method, weights].scores[task.loss_metric][k - 1])
    errors = selection.curves["loo", weights].standard_errors[task.loss_metric]
    interval = task.interval(loss, float(errors[k - 1]), selection.n_rows)
    return Score(task.value(loss), interval, title)


def bootstrap(statistic: Callable[[AnyArray], float], n_rows: int, seed: int) -> Interval:
    """Return the 95% bootstrap interval of a statistic of rows."""
    rng = np.random.default_rng(seed)
    drawn = [statistic(rng.integers(n_rows, size=n_rows)) for _ in range(DRAWS)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)
