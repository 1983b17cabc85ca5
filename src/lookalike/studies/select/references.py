"""Strong models of other kinds, run in the same folds: what the winner is measured by, never it.

They are shown in the table of models with their gap, and are not kept in the model file.
"""

from __future__ import annotations

from sklearn.base import clone
from sklearn.svm import SVC, SVR, LinearSVC

from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.candidates import NANO
from lookalike.studies.select.training_rows import TrainingRows

FITS = 6  # five folds, and all rows
MOST = 30.0  # seconds of a reference; of more, it takes a part of the rows


def _validated(training: TrainingRows, model: object) -> FittedCandidate:
    score = training.validated(lambda: model)
    return FittedCandidate((("model", clone(model).fit(training.Z, training.y)),), {}, score)


REFERENCES: tuple[CandidateSpec, ...] = (
    CandidateSpec(
        "svm",
        "Reference: support vector machine (RBF kernel)",
        "Kernels around support vectors, at scikit-learn's default settings; not kept.",
        lambda training: _validated(training, training.either(SVC, SVR)()),
        lambda size: FITS * NANO * size.rows**2 * (10 + size.columns),
        features="linear",
        most=MOST,
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
        most=MOST,
        reference=True,
    ),
)
