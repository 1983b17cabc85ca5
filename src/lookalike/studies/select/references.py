"""Strong models of other kinds, run in the same folds: what the winner is measured by, never it.

They are shown in the table of models with their gap, and are not kept in the model file.
"""

from __future__ import annotations

from typing import Any

from sklearn.svm import SVC, SVR, LinearSVC

from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.candidates import SECONDS_PER_OPERATION
from lookalike.studies.select.training_rows import TrainingRows

LONGEST_REFERENCE = 10.0  # seconds of a fit; beyond, it takes a part of the rows


def _fitted(training: TrainingRows, model: Any) -> FittedCandidate:
    return FittedCandidate((("model", model.fit(training.Z, training.y)),), {})


REFERENCE_CANDIDATES: tuple[CandidateSpec, ...] = (
    CandidateSpec(
        "svm",
        "Reference: support vector machine (RBF kernel)",
        "Kernels around support vectors, at scikit-learn's default settings; not kept.",
        lambda training: _fitted(training, training.either(SVC, SVR)()),
        lambda size: SECONDS_PER_OPERATION * size.rows**2 * (10 + size.columns),
        features="linear",
        longest=LONGEST_REFERENCE,
        reference=True,
    ),
)
TEXT_REFERENCES: tuple[CandidateSpec, ...] = (
    CandidateSpec(
        "linear_svm",
        "Reference: linear SVM on tf-idf",
        "Linear classifier of maximum margin on tf-idf weights; not kept.",
        lambda training: _fitted(training, LinearSVC(random_state=training.seed)),
        lambda size: 0.2 + 6_000 * SECONDS_PER_OPERATION * size.rows * size.classes,
        tasks=("classification",),
        features="tfidf",
        longest=LONGEST_REFERENCE,
        reference=True,
    ),
)
