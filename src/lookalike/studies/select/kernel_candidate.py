"""Kernel ridge regression of a study: a width by few rows, then many centers of that width."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.models.rbf.classifier import RBFNetworkClassifier
from lookalike.models.rbf.network import RBFNetworkRegressor
from lookalike.studies.select.candidate_spec import FittedCandidate
from lookalike.studies.select.components import in_components
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows
from lookalike.studies.task import Score
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

TUNING_ROWS = 500  # by which a width is selected
CENTERS = 2000  # rows, at most, around which there is a kernel
COLUMNS, COMPONENTS = 200, 100  # beyond which, and how many, principal components are used
STEP = 2.0  # from a width to the next one tried
MOST_STEPS = 4
LEAST_WIDTH = 1e-12


def fit_kernel_ridge(training: TrainingRows) -> FittedCandidate:
    """Fit kernels around training rows, their width chosen on few of them by leave-one-out."""
    kind: type[BaseEstimator] = training.either(RBFNetworkClassifier, RBFNetworkRegressor)
    Z, steps, chosen = in_components(training.Z, COLUMNS, COMPONENTS)
    some = training.tuning
    few = some[:TUNING_ROWS]
    width = _best_width(kind, Z[few], training.y[few])
    options: dict[str, object] = {"penalty": "norm", "width": width, "random_state": training.seed}
    options["centers"] = "points" if len(some) <= CENTERS else "sample"
    model, left_out = _fitted(kind(CENTERS, **options), Z[some], training.y[some])
    apart = training.groups is None or len(some) < len(training.y)  # no two rows of one group
    if training.scoring is None and apart:
        mean, spread = model._loo_loss
        task = training.task
        interval = task.interval(mean, spread, len(some))
        score = Score(task.value(mean), interval, "leave-one-out")
    else:
        fixed = kind(CENTERS, **options, alpha=model.alpha_)
        score = training.validated(lambda: fixed, Z)
    if len(some) < len(training.y):
        options["centers"] = "points" if len(training.y) <= CENTERS else "sample"
        model, left_out = kind(CENTERS, **options, alpha=model.alpha_).fit(Z, training.y), None
    chosen |= {
        "kernels": f"{len(model.centers_):,}",
        "width": f"{width:.4g}",
        "alpha": f"{model.alpha_:.3g}",
    }
    rows = len(few) if len(few) < len(training.y) else 0
    return FittedCandidate((*steps, ("model", model)), chosen, score, rows=rows, left_out=left_out)


def _fitted(
    model: BaseEstimator, Z: AnyArray, y: AnyArray
) -> tuple[Any, Callable[[], Array] | None]:
    """Return the fitted model and, of classes, what computes its leave-one-out probabilities."""
    if isinstance(model, RBFNetworkClassifier):
        return model, model._left_out_proba(Z, y)
    return model.fit(Z, y), None


def kernel_ridge_cost(size: ProblemSize) -> float:
    """Return the seconds that it takes, roughly: of few rows, that of one decomposition."""
    tuned = 5 * 20 * min(size.rows, TUNING_ROWS) ** 3
    if size.rows <= CENTERS:
        return 0.1 + 1e-11 * (20 * size.rows**3 + tuned)
    return 0.1 + 2e-11 * (CENTERS**2 * (6 * size.rows + 20 * CENTERS) + tuned)


def _best_width(kind: type[BaseEstimator], Z: AnyArray, y: AnyArray) -> float:
    """Return the width of lowest leave-one-out error, going up or down as long as it falls."""
    spread = float(np.sqrt(np.asarray(Z, np.float64).var(axis=0).sum() / 2))  # as gamma="scale"
    known: dict[int, float] = {}

    def width(step: int) -> float:
        return max(spread, LEAST_WIDTH) * STEP**step

    def error(step: int) -> float:
        if step not in known:
            model = kind(centers="points", width=width(step), penalty="norm").fit(Z, y)
            known[step] = model.loo_mse_
        return known[step]

    best = min((0, -1, 1), key=error)
    while best and abs(best) < MOST_STEPS:
        further = best + (1 if best > 0 else -1)
        if error(further) >= error(best):
            break
        best = further
    return width(best)
