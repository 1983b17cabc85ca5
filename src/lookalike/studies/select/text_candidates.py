"""The candidate models for documents, the simplest first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.linear_model import Ridge, RidgeClassifier

from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.candidates import (
    BASELINE_CANDIDATE,
    SECONDS_PER_OPERATION,
    k_nearest,
    search_cost,
)
from lookalike.studies.select.training_rows import TrainingRows

SOLVER_TOLERANCE = 1e-3
LSA_COMPONENTS = (10, 25, 50, 100, 200)


def _lsa_neighbors(training: TrainingRows) -> FittedCandidate:
    """Select the number of LSA components by the leave-one-out error of K neighbors."""
    tried = [m for m in LSA_COMPONENTS if m < training.Z.shape[1]] or [training.Z.shape[1]]
    trials = {
        m: training.with_features(np.ascontiguousarray(training.Z[:, :m]), search=training.search)
        for m in tried
    }

    def error(m: int) -> float:
        selection = trials[m].k_selection
        return float(selection.curves["loo", "distance"].scores[selection.score].min())

    best = min(tried, key=error)
    fitted = k_nearest(trials[best], "distance")
    hyperparameters = {"components": str(best), **fitted.hyperparameters}
    return replace(fitted, hyperparameters=hyperparameters, n_components=best)


def _linear(training: TrainingRows) -> FittedCandidate:
    # conjugate gradients on sparse rows: all classes in the time of a few products
    classifier = RidgeClassifier(solver="sparse_cg", tol=SOLVER_TOLERANCE)
    model = training.either(classifier, Ridge(solver="sparse_cg", tol=SOLVER_TOLERANCE))
    return FittedCandidate((("model", model.fit(training.Z, training.y)),), {})


TEXT_CANDIDATES: tuple[CandidateSpec, ...] = (
    replace(BASELINE_CANDIDATE, features="tfidf"),
    CandidateSpec(
        "tfidf_knn",
        "K nearest neighbors, tf-idf cosine",
        'Vote, or mean, of the K documents of largest tf-idf cosine, weights="distance".',
        lambda training: k_nearest(training, "distance"),
        search_cost,
        features="tfidf",
        family="neighbors",
    ),
    CandidateSpec(
        "lsa_knn",
        "LSA and K nearest neighbors",
        "K nearest neighbors by cosine on the components of latent semantic analysis.",
        _lsa_neighbors,
        lambda size: 0.5 + 5 * search_cost(size),
        features="lsa",
    ),
    CandidateSpec(
        "tfidf_linear",
        "Linear model on tf-idf (L2 penalty)",
        "Ridge regression on tf-idf weights; of classes, on targets of −1 and 1.",
        _linear,
        lambda size: 0.2 + 1_000 * SECONDS_PER_OPERATION * size.rows * size.classes,
        features="tfidf",
    ),
)
