"""Boosted trees of a study: few, fast learned steps first, all where these are not far behind."""

from __future__ import annotations

from sklearn.base import clone

from lookalike.models.neighbors.boosted_classifier import BoostedNeighborsClassifier
from lookalike.models.neighbors.boosted_regressor import BoostedNeighborsRegressor
from lookalike.studies.evaluate.metrics import FOLDS, is_far_behind
from lookalike.studies.select.candidate_spec import FittedCandidate
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows
from lookalike.studies.task import Score

ITERATIONS = 100
FEW_ROWS = 1000  # of which fewer, faster learned steps do
FEWER = {"max_iter": 40, "learning_rate": 0.2}
TRIAL = {"max_iter": 15, "learning_rate": 0.3}  # of the first look
TRIAL_ROWS = 5000
REACH = 0.8  # part of the trial's loss that all steps may come down to
DEVIATIONS = 2.0  # standard errors by which the trial is far behind
FITS = 6  # five folds, and all rows
START = 3e-3  # seconds of a tree of few rows
CELL = 2e-9  # seconds of a number


def fit_boosted(training: TrainingRows) -> FittedCandidate:
    """Fit boosted trees; few of them where these are far behind the best candidate so far."""
    kind = training.either(BoostedNeighborsClassifier, BoostedNeighborsRegressor)
    model = kind(ITERATIONS, random_state=training.seed)
    if len(training.y) < FEW_ROWS:
        model.set_params(**FEWER)
    trial = clone(model).set_params(**TRIAL)
    score = _trial_score(training, trial) if len(training.y) >= FEW_ROWS else None
    if score is None:
        score = training.validated(lambda: model)
    else:
        model = trial
    fitted = clone(model).fit(training.Z, training.y)
    chosen = {"trees": f"{len(fitted._trees.root):,}"}
    return FittedCandidate((("model", fitted),), chosen, score)


def _trial_score(training: TrainingRows, trial: object) -> Score | None:
    """Return the score of a few steps on one fold; None where all of them might win."""
    least, some = min(training.losses, default=None), training.first(TRIAL_ROWS)
    if least is None or training.scoring is not None:
        return None
    held_out = training.task.folds(some.y, FOLDS, groups=some.groups) == 0
    model = clone(trial).fit(some.Z[~held_out], some.y[~held_out])
    loss = training.task.loss(model.predict(some.Z[held_out]), some.y[held_out])
    if not is_far_behind(loss, least / REACH, DEVIATIONS):
        return None
    return training.task.score(loss, f"{TRIAL['max_iter']} steps, 1 of {FOLDS} folds: far behind")


def boosting_cost(size: ProblemSize) -> float:
    """Return the seconds that it takes, roughly."""
    trees = FITS * ITERATIONS * (size.classes if size.classes > 2 else 1)
    return trees * (START + CELL * size.rows * size.columns)
