"""Kernel ridge regression of a study: a width by few rows, then many centers of that width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.models.rbf.classifier import RBFNetworkClassifier
from lookalike.models.rbf.network import RBFNetworkRegressor
from lookalike.studies.select.candidate_spec import FittedCandidate
from lookalike.studies.select.components import in_components
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

KERNEL_COLUMNS = 200  # beyond which principal components are used
KERNEL_COMPONENTS = 100  # how many of them
WIDTH_FACTOR = 2.0  # from a width to the next one tried
MOST_WIDTH_STEPS = 4
LEAST_WIDTH = 1e-12


def fit_kernel_ridge(training: TrainingRows) -> FittedCandidate:
    """Fit kernels around training rows, their width chosen on few of them by leave-one-out."""
    kind: type[BaseEstimator] = training.either(RBFNetworkClassifier, RBFNetworkRegressor)
    Z, steps, chosen = in_components(training.Z, KERNEL_COLUMNS, KERNEL_COMPONENTS)
    tuning, most = training.tuning, training.effort.kernel_centers
    few = tuning[: training.effort.kernel_tuning_rows]
    width = _best_width(kind, Z[few], training.y[few])
    options: dict[str, object] = {"penalty": "norm", "width": width, "random_state": training.seed}

    def fit(rows: AnyArray, **alpha: float) -> Any:
        centers = "points" if len(rows) <= most else "sample"
        return kind(most, centers=centers, **options, **alpha).fit(Z[rows], training.y[rows])

    model = fit(tuning)  # alpha is chosen by leave-one-out: no two rows of one group
    if len(tuning) < len(training.y):
        model = fit(np.arange(len(training.y)), alpha=float(model.alpha_))
    chosen |= {
        "kernels": f"{len(model.centers_):,}",
        "width": f"{width:.4g}",
        "alpha": f"{model.alpha_:.3g}",
    }
    return FittedCandidate((*steps, ("model", model)), chosen)


def kernel_ridge_cost(size: ProblemSize) -> float:
    """Return the seconds that it takes, roughly: with few rows, those of one decomposition."""
    tuned = 5 * 20 * min(size.rows, 500) ** 3
    centers = min(size.rows, 2000)
    passes = 6 * size.rows if size.rows > centers else 0
    return 0.1 + 2e-11 * (centers**2 * (passes + 20 * centers) + tuned)


def _best_width(kind: type[BaseEstimator], Z: AnyArray, y: AnyArray) -> float:
    """Return the width of lowest leave-one-out error, going up or down as long as it falls."""
    spread = float(np.sqrt(np.asarray(Z, np.float64).var(axis=0).sum() / 2))  # as gamma="scale"
    known: dict[int, float] = {}

    def width(step: int) -> float:
        return max(spread, LEAST_WIDTH) * WIDTH_FACTOR**step

    def error(step: int) -> float:
        if step not in known:
            model = kind(centers="points", width=width(step), penalty="norm").fit(Z, y)
            known[step] = model.loo_mse_
        return known[step]

    best = min((0, -1, 1), key=error)
    while best and abs(best) < MOST_WIDTH_STEPS:
        further = best + (1 if best > 0 else -1)
        if error(further) >= error(best):
            break
        best = further
    return width(best)
