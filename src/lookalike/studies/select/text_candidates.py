"""The models of documents that are compared: one entry each, the simplest first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge

from lookalike.studies.evaluate.metrics import by_folds
from lookalike.studies.select.candidates import (
    BASELINE,
    NANO,
    ROUNDS,
    Entry,
    Fitted,
    Training,
    k_nearest,
    search_cost,
)

DIRECTIONS = (10, 25, 50, 100, 200)


def _latent(training: Training) -> Fitted:
    """Choose how many latent directions serve neighbors best, rows left out in turn."""
    tried = [m for m in DIRECTIONS if m < training.Z.shape[1]] or [training.Z.shape[1]]
    trials = {m: replace(training, Z=np.ascontiguousarray(training.Z[:, :m])) for m in tried}

    def error(m: int) -> float:
        selection = trials[m].selection
        return float(selection.curves["loo", "distance"].scores[selection.score].min())

    best = min(tried, key=error)
    found = k_nearest(trials[best], "distance")
    return replace(
        found, hyperparameters={"directions": str(best), **found.hyperparameters}, kept=best
    )


def _linear(training: Training) -> Fitted:
    model = LogisticRegression(C=10.0, max_iter=ROUNDS) if training.classify else Ridge()
    score = by_folds(lambda: clone(model), training.Z, training.y, classify=training.classify)
    return Fitted((("model", model.fit(training.Z, training.y)),), {}, score)


TEXT_ENTRIES: tuple[Entry, ...] = (
    replace(BASELINE, space="terms"),
    Entry(
        "terms_knn",
        "K neighbors by their words",
        "The K documents with the most telling words in common vote; nearer ones count more.",
        lambda training: k_nearest(training, "distance"),
        search_cost,
        space="terms",
    ),
    Entry(
        "latent_knn",
        "K neighbors by subject",
        "Words that occur together share a direction (LSA); the K nearest documents there vote.",
        _latent,
        lambda size: 2.0 + 5 * search_cost(size),
        space="latent",
    ),
    Entry(
        "terms_linear",
        "Weighted sum of words",
        "Telling words are added up with weights; large weights are paid for.",
        _linear,
        lambda size: 1.0 + 60_000 * NANO * size.rows * size.classes,
        space="terms",
        most=120.0,
    ),
)
