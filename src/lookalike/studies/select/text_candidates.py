"""The candidate models for documents, the simplest first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.svm import LinearSVC

from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.candidates import (
    BASELINE_CANDIDATE,
    LOGISTIC_ITERATIONS,
    SECONDS_PER_OPERATION,
    k_nearest,
    search_cost,
)
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows

SOLVER_TOLERANCE = 1e-3
LOGISTIC_STRENGTH = 30.0  # C: rows of length 1 have small products, which the default shrinks
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


def _logistic(training: TrainingRows) -> FittedCandidate:
    model = LogisticRegression(C=LOGISTIC_STRENGTH, max_iter=LOGISTIC_ITERATIONS)
    chosen = {"C": f"{LOGISTIC_STRENGTH:g}"}
    return FittedCandidate((("model", model.fit(training.Z, training.y)),), chosen)


def _margin(training: TrainingRows) -> FittedCandidate:
    model = LinearSVC(random_state=training.seed)
    return FittedCandidate((("model", model.fit(training.Z, training.y)),), {})


def _logistic_cost(size: ProblemSize) -> float:
    return 0.3 + 20_000 * SECONDS_PER_OPERATION * size.rows * size.classes


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
    CandidateSpec(
        "tfidf_logistic",
        "Logistic regression on tf-idf",
        "Linear classifier of maximum likelihood with a weak L2 penalty.",
        _logistic,
        _logistic_cost,
        tasks=("classification",),
        features="tfidf",
    ),
    CandidateSpec(
        "ngram_svm",
        "Linear SVM on n-grams",
        "Linear classifier of maximum margin on words, pairs of words and parts of words.",
        _margin,
        lambda size: 0.5 + 20_000 * SECONDS_PER_OPERATION * size.rows * size.classes,
        tasks=("classification",),
        features="ngrams",
    ),
    CandidateSpec(
        "ngram_logistic",
        "Logistic regression on n-grams",
        "Linear classifier of maximum likelihood on words, pairs of words and parts of words.",
        _logistic,
        lambda size: 4 * _logistic_cost(size),
        tasks=("classification",),
        features="ngrams",
    ),
)
