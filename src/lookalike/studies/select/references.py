"""Strong models of other kinds, run in the same folds: what the winner is measured by, never it.

They are shown in the table of models with their gap, and are not kept in the model file.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.svm import SVC, SVR, LinearSVC

from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.candidates import SECONDS_PER_OPERATION
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


LONGEST_LIBRARY_FIT = 60.0  # seconds of a fit that was asked for
LONGEST_REFERENCE = 10.0  # seconds of a fit; beyond, it takes a part of the rows


def _fit(training: TrainingRows, model: BaseEstimator) -> FittedCandidate:
    return FittedCandidate((("model", model.fit(training.Z, training.y)),), {})


BOOSTING_LIBRARIES: dict[str, tuple[str, str, str, dict[str, object]]] = {
    "catboost": (
        *("CatBoost", "CatBoostClassifier", "CatBoostRegressor"),
        {"verbose": False, "allow_writing_files": False, "thread_count": 1},
    ),
    "lightgbm": ("LightGBM", "LGBMClassifier", "LGBMRegressor", {"verbose": -1, "n_jobs": 1}),
    "xgboost": ("XGBoost", "XGBClassifier", "XGBRegressor", {"n_jobs": 1}),
}


class LibraryClassifier:
    """A classifier of another library, fitted to codes: not all take labels of any type."""

    classes_: AnyArray
    model_: BaseEstimator

    def __init__(self, model: BaseEstimator = None) -> None:
        self.model = model

    def fit(self, X: Any, y: AnyArray) -> Self:
        """Fit the model to the places of the labels."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model_ = self.model.fit(X, codes)
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of every class."""
        return np.asarray(self.model_.predict_proba(X), np.float64)

    def predict(self, X: Any) -> AnyArray:
        """Return the most probable class of every row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def installed_libraries() -> list[str]:
    """Return the boosting libraries that can be imported."""
    return [name for name in BOOSTING_LIBRARIES if find_spec(name) is not None]


def library_references() -> tuple[CandidateSpec, ...]:
    """Return the boosting libraries that are installed as references, at their defaults."""
    return tuple(_library_reference(name) for name in installed_libraries())


def _library_reference(name: str) -> CandidateSpec:
    title, classifier, regressor, options = BOOSTING_LIBRARIES[name]

    def fit(training: TrainingRows) -> FittedCandidate:
        kind = getattr(import_module(name), training.either(classifier, regressor))
        model = kind(**options)
        return _fit(training, training.either(LibraryClassifier(model), model))

    return CandidateSpec(
        name,
        f"Reference: {title}",
        f"Boosted trees of {title} at its default settings; not kept.",
        fit,
        lambda size: 1.0 + 100 * SECONDS_PER_OPERATION * size.rows * size.columns * size.classes,
        features="linear",
        longest=LONGEST_LIBRARY_FIT,
        reference=True,
    )


REFERENCE_CANDIDATES: tuple[CandidateSpec, ...] = (
    CandidateSpec(
        "svm",
        "Reference: support vector machine (RBF kernel)",
        "Kernels around support vectors, at scikit-learn's default settings; not kept.",
        lambda training: _fit(training, training.either(SVC, SVR)()),
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
        lambda training: _fit(training, LinearSVC(random_state=training.seed)),
        lambda size: 0.2 + 6_000 * SECONDS_PER_OPERATION * size.rows * size.classes,
        tasks=("classification",),
        features="tfidf",
        longest=LONGEST_REFERENCE,
        reference=True,
    ),
)
