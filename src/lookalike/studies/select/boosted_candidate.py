"""Boosted trees of a study: few, fast learned steps first, all where these are not far behind."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from lookalike.models.neighbors.boosted_classifier import BoostedNeighborsClassifier
from lookalike.models.neighbors.boosted_regressor import BoostedNeighborsRegressor
from lookalike.studies.select.candidate_spec import FittedCandidate
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows
from lookalike.studies.task import CLASSIFICATION

ITERATIONS = 100
FEW_ROWS = 1000  # of which fewer, faster learned steps do
FEWER = {"max_iter": 30, "learning_rate": 0.2}
TRIAL = {"max_iter": 15, "learning_rate": 0.3}  # of the first look
TRIAL_ROWS = 5000
TRIAL_CELLS, FEWEST_STEPS = 60_000, 5  # columns looked at by the trees of the first look
FITS = 6  # five folds, and all rows
START = 3e-3  # seconds of a tree of few rows
CELL = 2e-9  # seconds of a number


def fit_boosted(training: TrainingRows) -> FittedCandidate:
    """Fit boosted trees; few of them where these are far behind the best candidate so far."""
    kind = training.either(BoostedNeighborsClassifier, BoostedNeighborsRegressor)
    model = kind(ITERATIONS, random_state=training.seed)
    if len(training.y) <= FEW_ROWS:
        model.set_params(**FEWER)
    steps = _trial_steps(training)
    trial = clone(model).set_params(**TRIAL | {"max_iter": steps})
    score = None
    if len(training.y) > FEW_ROWS:
        first, title = training.first(TRIAL_ROWS), f"{steps} steps"
        score = first.tried(trial, title, len(training.y))
    chosen = {}
    if score is None:
        score = training.validated(lambda: model)
        model.fit(training.Z, training.y)
    else:
        model, chosen = trial, training.part(trial)
    chosen = {"trees": f"{len(model._trees.root):,}", **chosen}
    return FittedCandidate((("model", model),), chosen, score)


def _trial_steps(training: TrainingRows) -> int:
    """Return the steps of the first look: fewer of many classes and columns."""
    trees = len(np.unique(training.y)) if training.task is CLASSIFICATION else 1
    most = TRIAL_CELLS // (trees * training.Z.shape[1])
    return int(min(TRIAL["max_iter"], max(most, FEWEST_STEPS)))


def boosting_cost(size: ProblemSize) -> float:
    """Return the seconds that it takes, roughly."""
    steps = ITERATIONS if size.rows > FEW_ROWS else int(FEWER["max_iter"])
    trees = FITS * steps * (size.classes if size.classes > 2 else 1)
    return trees * (START + CELL * size.rows * size.columns)
