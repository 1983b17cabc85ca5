"""The forest of a study: the kind of trees with the lowest error of a few, then many of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from lookalike.models.trees.forest_classifier import ForestNeighborsClassifier
from lookalike.models.trees.forest_regressor import ForestNeighborsRegressor
from lookalike.settings import settings
from lookalike.studies.select.candidate_spec import FittedCandidate
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows
from lookalike.typing import Rows

SMALL_FOREST_ROWS = 5000
TREE_ROW_BYTES = 80  # of a row in a tree with many rows, while it is grown
TREE_TRIAL_FOLDS = 3  # in which kinds of trees are compared
TREE_TRIAL_ROWS = 3000  # on which they are
SPLIT_SECONDS = 2.5e-8  # for a row of a column at a level of a tree
CLASSIFIER_OPTIONS: tuple[dict[str, Any], ...] = (
    {"splitter": "best", "max_features": "sqrt"},
    {"splitter": "random", "max_features": "sqrt"},
    {"splitter": "random", "max_features": 0.5},
    {"splitter": "best", "max_features": "sqrt", "min_samples_leaf": 5},
)
REGRESSOR_OPTIONS: tuple[dict[str, Any], ...] = (
    {"splitter": "best", "max_features": 1 / 3},
    {"splitter": "random", "max_features": 1.0},
    {"splitter": "best", "max_features": 1 / 3, "min_samples_leaf": 5},
)


def fit_forest(training: TrainingRows) -> FittedCandidate:
    """Return the forest of the kind of trees that has the lowest error in a few of them.

    Trees of random thresholds take all rows, as extra trees do by default. Rows beyond those that
    the trees have room for in a quarter of the memory budget are left out.
    """
    n_rows, effort = len(training.y), training.effort
    training = training.first(int(settings().memory / 4 / (effort.forest_trees * TREE_ROW_BYTES)))
    kind = training.either(ForestNeighborsClassifier, ForestNeighborsRegressor)
    tuning = training.tuning[:TREE_TRIAL_ROWS]
    options = training.either(CLASSIFIER_OPTIONS, REGRESSOR_OPTIONS)
    kinds = [_forest(kind, effort.trial_trees, option, training.seed) for option in options]
    best = options[int(np.argmin([_trial_loss(training, tuning, trial) for trial in kinds]))]
    small = n_rows <= SMALL_FOREST_ROWS
    trees = effort.small_forest_trees if small else effort.forest_trees
    model = _forest(kind, trees, best, training.seed).fit(training.Z, training.y)
    chosen = {"trees": str(model.n_estimators), **{key: _short(best[key]) for key in best}}
    if len(training.y) < n_rows:
        chosen["rows"] = f"{len(training.y):,} of {n_rows:,}, at random"
    return FittedCandidate((("model", model),), chosen)


def forest_cost(size: ProblemSize) -> float:
    """Return the seconds that it takes, roughly."""
    tried = size.columns**0.5 if size.classes > 1 else max(size.columns / 3, 1.0)
    trees = 100 if size.rows <= SMALL_FOREST_ROWS else 200
    return float(0.3 + SPLIT_SECONDS * trees * size.rows * np.log2(size.rows + 1) * tried)


def _forest(
    kind: type[BaseEstimator], trees: int, option: dict[str, object], seed: int
) -> BaseEstimator:
    """Return a forest: random thresholds are different enough for trees that take all rows."""
    drawn = option["splitter"] == "best"
    return kind(trees, random_state=seed, bootstrap=drawn, **option)


def _trial_loss(training: TrainingRows, tuning: Rows, trial: BaseEstimator) -> float:
    """Return the mean loss of a few trees on folds of some rows."""
    task, Z, y = training.task, training.Z[tuning], training.y[tuning]
    groups = None if training.groups is None else training.groups[tuning]
    fold = task.folds(y, TREE_TRIAL_FOLDS, groups=groups)
    loss = [
        task.loss(
            trial.fit(Z[fold != part], y[fold != part]).predict(Z[fold == part]), y[fold == part]
        )
        for part in np.unique(fold)
    ]
    return float(np.concatenate(loss).mean())


def _short(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
