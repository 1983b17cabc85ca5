"""Strong models of other kinds, run in the same folds: what the winner is measured by, never it.

They are shown in the table of models with their gap, and are not kept in the model file.
"""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from lookalike.studies.select.candidates import NANO, CandidateSpec, FittedCandidate
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows
from lookalike.threads import resolve_threads

FITS = 6  # five folds, and all rows
ITERATIONS = 100  # of gradient boosting
FEW_CELLS = 200_000
START = 2e-3  # seconds of an iteration of few rows


def _validated(training: TrainingRows, model: Any) -> FittedCandidate:
    score = training.validated(lambda: model)
    return FittedCandidate((("model", clone(model).fit(training.Z, training.y)),), {}, score)


def _boosting(training: TrainingRows) -> FittedCandidate:
    kind = training.either(HistGradientBoostingClassifier, HistGradientBoostingRegressor)
    threads = resolve_threads(None)
    if training.Z.size <= FEW_CELLS:  # threads of few cells wait for each other
        threads = 1
    with threadpool_limits(threads, user_api="openmp"):
        return _validated(training, kind(random_state=training.seed))


def _boosting_cost(size: ProblemSize) -> float:
    trees = FITS * ITERATIONS * (size.classes if size.classes > 2 else 1)
    return trees * (START + NANO * 2 * size.rows * size.columns)


REFERENCES: tuple[CandidateSpec, ...] = (
    CandidateSpec(
        "boosting",
        "Reference: histogram gradient boosting",
        "Sum of small trees, each fitted to the errors of those before; not kept.",
        _boosting,
        _boosting_cost,
        features="linear",
        most=60.0,
        reference=True,
    ),
)
TEXT_REFERENCES: tuple[CandidateSpec, ...] = (
    CandidateSpec(
        "linear_svm",
        "Reference: linear SVM on tf-idf",
        "Linear classifier of maximum margin on tf-idf weights; not kept.",
        lambda training: _validated(training, LinearSVC(random_state=training.seed)),
        lambda size: 0.5 + 6_000 * NANO * FITS * size.rows * size.classes,
        tasks=("classification",),
        features="tfidf",
        most=60.0,
        reference=True,
    ),
)
