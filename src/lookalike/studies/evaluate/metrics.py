"""How wrong answers are, with the interval in which the truth lies in 95 of 100 cases."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from lookalike.explain.bounds import wilson
from lookalike.models.cross_validation import deal_folds
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.studies.analysis_results import Interval
from lookalike.typing import AnyArray, Array

FOLDS = 5
NORMAL = 1.959964
DRAWS = 1000  # of the bootstrap


class Score(NamedTuple):
    """An error or RMSE of rows that were left out, and how they were."""

    value: float
    interval: Interval
    method: str


def by_folds(build: Callable[[], Any], Z: AnyArray, y: AnyArray, *, classify: bool) -> Score:
    """Return the score of a model whose choices are made, fitted anew without each fold."""
    fold = deal_folds(y, min(FOLDS, len(y)), stratify=classify)  # rows are in random order
    loss = np.empty(len(y))
    for one in np.unique(fold):
        here = fold == one
        with warnings.catch_warnings():  # told of the model that is kept
            warnings.simplefilter("ignore")
            model = clone(build()).fit(Z[~here], y[~here])
            loss[here] = losses(model.predict(Z[here]), y[here], classify=classify)
    return mean_score(loss, classify=classify, method=f"{fold.max() + 1} folds")


def from_curve(selection: KSelection, k: int, weights: str) -> Score:
    """Return the score that one search of the rows gave for `k` neighbors."""
    method = "cv" if ("cv", weights) in selection.curves else "loo"
    words = f"{FOLDS} folds" if method == "cv" else "leave-one-out"
    curve = selection.curves[method, weights]
    if selection.score == "error":
        error = float(curve.scores["error"][k - 1])
        return Score(error, wilson(error, selection.n_rows), words)
    mse = float(curve.scores["mse"][k - 1])
    reach = NORMAL * float(selection.curves["loo", weights].standard_errors["mse"][k - 1])
    return Score(mse**0.5, (max(mse - reach, 0.0) ** 0.5, (mse + reach) ** 0.5), words)


def mean_score(loss: Array, *, classify: bool, method: str) -> Score:
    """Return the share of wrong answers, or the root of the mean square, with its interval."""
    mean = float(loss.mean())
    if classify:
        return Score(mean, wilson(mean, len(loss)), method)
    reach = NORMAL * float(loss.std(ddof=1)) / len(loss) ** 0.5 if len(loss) > 1 else mean
    return Score(mean**0.5, (max(mean - reach, 0.0) ** 0.5, (mean + reach) ** 0.5), method)


def losses(answer: AnyArray, truth: AnyArray, *, classify: bool) -> Array:
    """Return 0 or 1 for right or wrong, or squared differences."""
    if classify:
        return np.asarray(np.asarray(answer) != truth, np.float64)
    gap: Array = (np.asarray(answer, np.float64) - truth) ** 2
    return gap


def bootstrap(statistic: Callable[[AnyArray], float], n_rows: int, seed: int) -> Interval:
    """Return the interval of a statistic of rows drawn again with replacement."""
    rng = np.random.default_rng(seed)
    drawn = [statistic(rng.integers(n_rows, size=n_rows)) for _ in range(DRAWS)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)
