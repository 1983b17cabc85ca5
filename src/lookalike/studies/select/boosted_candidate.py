"""Boosted trees of a study: with few rows, fewer steps that are learned faster."""

from __future__ import annotations

from lookalike.models.trees.boosted import count_trees
from lookalike.models.trees.boosted_classifier import BoostedNeighborsClassifier
from lookalike.models.trees.boosted_regressor import BoostedNeighborsRegressor
from lookalike.studies.select.candidate_spec import FittedCandidate
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows

SMALL_BOOSTING_ROWS = 1000
SMALL_BOOSTING_RATE = 0.2
BOOSTING_L2 = 1.0  # leaves of few or nearly certain rows take no steps without bound
SMALL_TREE_SECONDS = 3e-3  # of a tree of few rows
CELL_SECONDS = 2e-9  # for every number


def fit_boosted(training: TrainingRows) -> FittedCandidate:
    """Fit boosted trees."""
    kind = training.either(BoostedNeighborsClassifier, BoostedNeighborsRegressor)
    steps, seed = training.effort.boosting_steps, training.seed
    model = kind(steps, l2_regularization=BOOSTING_L2, random_state=seed)
    if len(training.y) <= SMALL_BOOSTING_ROWS:
        steps = training.effort.small_boosting_steps
        model.set_params(max_iter=steps, learning_rate=SMALL_BOOSTING_RATE)
    model.fit(training.Z, training.y)
    return FittedCandidate((("model", model),), {"trees": f"{count_trees(model):,}"})


def boosting_cost(size: ProblemSize) -> float:
    """Return the seconds that it takes, roughly."""
    steps = 100 if size.rows > SMALL_BOOSTING_ROWS else 30
    trees = steps * (size.classes if size.classes > 2 else 1)
    return trees * (SMALL_TREE_SECONDS + CELL_SECONDS * size.rows * size.columns)
