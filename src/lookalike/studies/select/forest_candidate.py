"""The forests of a study: of the best thresholds, and of random ones."""

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
    {"splitter": "best", "max_features": "sqrt", "min_samples_leaf": 5},
)
REGRESSOR_OPTIONS: tuple[dict[str, Any], ...] = (
    {"splitter": "best", "max_features": 1 / 3},
    {"splitter": "best", "max_features": 1 / 3, "min_samples_leaf": 5},
)
MAX_COLUMNS_TRIED_IN_HALF = (
    200  # of which trees of random thresholds look at half, or all, at each split
)


def fit_forest(training: TrainingRows) -> FittedCandidate:
    """Return the random forest whose size of leaves has the lowest error in a few trees.

    Rows beyond those that the trees have room for in a quarter of the memory budget are left out.
    """
    n_rows, training = len(training.y), _in_memory(training)
    kind = training.either(ForestNeighborsClassifier, ForestNeighborsRegressor)
    tuning = training.tuning[:TREE_TRIAL_ROWS]
    options = training.either(CLASSIFIER_OPTIONS, REGRESSOR_OPTIONS)
    n_trees = training.effort.trial_trees
    kinds = [_forest(kind, n_trees, option, training.seed) for option in options]
    best = options[int(np.argmin([_trial_loss(training, tuning, trial) for trial in kinds]))]
    return _grow(training, best, n_rows)


def fit_extra_trees(training: TrainingRows) -> FittedCandidate:
    """Return the forest of trees with random thresholds, each of which takes all rows."""
    few = training.Z.shape[1] <= MAX_COLUMNS_TRIED_IN_HALF
    looked_at = training.either(0.5, 1.0) if few else training.either("sqrt", 1 / 3)
    option = {"splitter": "random", "max_features": looked_at}
    return _grow(_in_memory(training), option, len(training.y))


def _in_memory(training: TrainingRows) -> TrainingRows:
    """Return the rows that a forest has room for in a quarter of the memory budget."""
    n_trees = training.effort.forest_trees
    return training.first(int(settings().memory / 4 / (n_trees * TREE_ROW_BYTES)))


def _grow(training: TrainingRows, option: dict[str, Any], n_rows: int) -> FittedCandidate:
    """Return a forest on what is left of `n_rows` rows."""
    kind = training.either(ForestNeighborsClassifier, ForestNeighborsRegressor)
    effort = training.effort
    small = n_rows <= SMALL_FOREST_ROWS
    trees = effort.small_forest_trees if small else effort.forest_trees
    model = _forest(kind, trees, option, training.seed).fit(training.Z, training.y)
    chosen = {"trees": str(model.n_estimators), **{key: _short(option[key]) for key in option}}
    if len(training.y) < n_rows:
        chosen["rows"] = f"{len(training.y):,} of {n_rows:,}, at random"
    return FittedCandidate((("model", model),), chosen)


def forest_cost(size: ProblemSize) -> float:
    """Return the seconds that it takes, roughly."""
    tried = size.columns**0.5 if size.classes > 1 else max(size.columns / 3, 1.0)
    trees = 100 if size.rows <= SMALL_FOREST_ROWS else 200
    return float(0.3 + SPLIT_SECONDS * trees * size.rows * np.log2(size.rows + 1) * tried)


def extra_trees_cost(size: ProblemSize) -> float:
    """Return the seconds that it takes, roughly: no trials, and no search for thresholds."""
    return 0.4 * forest_cost(size)


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
