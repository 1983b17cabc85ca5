"""The forest of a study: the kind of trees with the lowest error of a few, then many of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from lookalike.models.neighbors.forest_classifier import ForestNeighborsClassifier
from lookalike.models.neighbors.forest_regressor import ForestNeighborsRegressor
from lookalike.settings import settings
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import CLASSIFICATION, Score
from lookalike.typing import Rows

TREES = 200
FEWER_TREES = 100  # of few rows
FEWEST_TREES = 30  # of a first look, which is enough where they are far behind
FEW_ROWS = 5000
TRIAL_TREES = 15  # of each kind compared
TRIAL_FOLDS = 3  # in which they are
LOOK_ROWS = 20_000  # of that first look
ROW_BYTES = 80  # of a row in a tree of many rows, while it is grown
FEWEST_VALIDATED = 1000  # rows; of fewer, trees that drew them measure those that take all
KNOWN = 0.99  # of the rows need trees that did not draw them
TRIAL_ROWS = 3000  # on which they are compared
CLASSIFIERS: tuple[dict[str, Any], ...] = (
    {"splitter": "best", "max_features": "sqrt"},
    {"splitter": "random", "max_features": "sqrt"},
    {"splitter": "random", "max_features": 0.5},
    {"splitter": "best", "max_features": "sqrt", "min_samples_leaf": 5},
)
REGRESSORS: tuple[dict[str, Any], ...] = (
    {"splitter": "best", "max_features": 1 / 3},
    {"splitter": "random", "max_features": 1.0},
    {"splitter": "best", "max_features": 1 / 3, "min_samples_leaf": 5},
)


def fit_forest(training: TrainingRows) -> tuple[BaseEstimator, dict[str, str], Score, int]:
    """Return the forest, its hyperparameters, its score, and the rows they were chosen on.

    Trees of random thresholds take all rows, as extra trees do by default: they are validated by
    folds, or, of few rows, by the out-of-bag error of trees that draw theirs. Kinds of trees are
    compared by folds alone: rows that none of them drew are few, of few trees, and trees of random
    thresholds that draw theirs are worse. More rows than the trees of a quarter of the memory
    budget have room for are left out.
    """
    everyone = training
    training = training.first(int(settings().memory / 4 / (TREES * ROW_BYTES)))
    kind = training.either(ForestNeighborsClassifier, ForestNeighborsRegressor)
    some = training.tuning[:TRIAL_ROWS]
    n_tuned = len(some) if len(some) < len(training.y) else 0
    options = training.either(CLASSIFIERS, REGRESSORS)
    kinds = [_forest(kind, TRIAL_TREES, option, training.seed) for option in options]
    best = options[int(np.argmin([_trial_loss(training, some, trial) for trial in kinds]))]
    trees = TREES if len(training.y) > FEW_ROWS else FEWER_TREES
    model = _forest(kind, trees, best, training.seed)
    drawn = model if model.bootstrap else clone(model).set_params(bootstrap=True)
    if len(training.y) >= FEWEST_VALIDATED:
        few = clone(model).set_params(n_estimators=FEWEST_TREES)
        score = training.first(LOOK_ROWS).tried(few, f"{FEWEST_TREES} trees", len(everyone.y))
        if score is not None:
            return few, _hyperparameters(few, best) | everyone.part(few), score, n_tuned
    score = None
    if training.scoring is None and (model is drawn or len(training.y) < FEWEST_VALIDATED):
        score = _out_of_bag(training, drawn.fit(training.Z, training.y))
    if score is None:
        fewer = clone(model).set_params(n_estimators=min(trees, FEWER_TREES))
        score = training.validated(lambda: fewer)
    if model is not drawn or not hasattr(model, "oob_error_"):
        model = model.fit(training.Z, training.y)
    part = everyone.part(model) if len(training.y) < len(everyone.y) else {}
    return model, _hyperparameters(model, best) | part, score, n_tuned


def _forest(
    kind: type[BaseEstimator], trees: int, option: dict[str, Any], seed: int
) -> BaseEstimator:
    """Return a forest: random thresholds are different enough for trees that take all rows."""
    drawn = option["splitter"] == "best"
    return kind(trees, random_state=seed, bootstrap=drawn, **option)


def _trial_loss(training: TrainingRows, some: Rows, trial: BaseEstimator) -> float:
    """Return the mean loss of a few trees on folds of some rows."""
    task, Z, y = training.task, training.Z[some], training.y[some]
    groups = None if training.groups is None else training.groups[some]
    fold = task.folds(y, TRIAL_FOLDS, groups=groups)
    loss = [
        task.loss(trial.fit(Z[fold != one], y[fold != one]).predict(Z[fold == one]), y[fold == one])
        for one in np.unique(fold)
    ]
    return float(np.concatenate(loss).mean())


def _hyperparameters(model: BaseEstimator, best: dict[str, Any]) -> dict[str, str]:
    return {"trees": str(model.n_estimators), **{key: _short(best[key]) for key in best}}


def _out_of_bag(training: TrainingRows, model: BaseEstimator) -> Score | None:
    """Return the score of the trees that drew no row of a row's group; None where few have such."""
    groups = None
    if training.groups is not None:
        groups = np.unique(training.groups, return_inverse=True)[1]
    predicted = model._forest.out_of_bag(groups)
    known = ~np.isnan(predicted[:, 0])
    if known.mean() < KNOWN:
        return None
    answers = predicted[known, 0]
    if training.task is CLASSIFICATION:
        answers = model.classes_[predicted[known].argmax(axis=1)]
    return training.task.score(training.task.loss(answers, training.y[known]), "out-of-bag")


def _short(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
