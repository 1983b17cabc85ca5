"""K-NN with learned feature weights, or in a learned map of few dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from lookalike.data.kept_rows import read_only
from lookalike.models.linalg.eigenvectors import principal_axes
from lookalike.models.neighbors.nca import NeighborhoodComponentsAnalysis
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.studies.evaluate.metrics import score_of_k
from lookalike.studies.select.components import in_components
from lookalike.studies.select.training_rows import MOST_HELD_OUT, TrainingRows, neighbors
from lookalike.studies.task import Score
from lookalike.typing import AnyArray

LEARNING_ROWS = 2000  # that a map is learned from
COLUMNS, COMPONENTS = 100, 50  # beyond which, and of how many, principal components are weighted
ITERATIONS = 15  # more separate the training rows better, and others worse
NEAR = 5  # neighbors that are to have weight at first
PAIRS = 32  # neighbors of each row that weights are learned from
RANK = 10  # dimensions of a map
LEAST_SCALE = 1e-12


def fit_nca(
    training: TrainingRows,
) -> tuple[list[tuple[str, BaseEstimator]], dict[str, str], Score, int]:
    """Return the steps, the hyperparameters, the score, and the rows they were learned from.

    Weights and map are learned from one half of the rows and compared on the other.
    """
    Z, steps, chosen = in_components(training.Z, COLUMNS, COMPONENTS)
    some = training.tuning[:LEARNING_ROWS]
    half = len(some) // 2
    options = _options(Z[some], training)
    trials = [_trial(one, training, Z, some[:half], some[half:]) for one in options]
    place = min(range(len(trials)), key=lambda one: trials[one][0])
    best, k = options[place], trials[place][1]
    learned = clone(best).fit(Z[some], training.y[some])
    mapped = training.with_features(read_only(np.asarray(learned.transform(Z))))
    k, score = _k_and_score(mapped, some, k)
    if score is None:  # rows are too few to spare: by the half that the trial did not learn from
        trial = training.with_features(np.asarray(best.transform(Z)))
        k, score = _k_and_score(trial, some[:half], k)
    model = mapped.fitted_neighbors(k, "distance")
    if score is None:
        both = Pipeline([("nca", best), ("model", neighbors(mapped, k, "distance"))])
        score = training.validated(lambda: both, Z)
    shape = (
        "feature weights"
        if best.diagonal
        else f"linear transformation to {len(learned.components_)} components"
    )
    chosen |= {"learned": shape, "K": str(k), "weights": "distance"}
    rows = len(some) if len(some) < len(training.y) else 0
    return [*steps, ("nca", learned), ("model", model)], chosen, score, rows


def _options(Z: AnyArray, training: TrainingRows) -> list[NeighborhoodComponentsAnalysis]:
    """Return learners of weights and of a map, not fitted; near rows have weight at first."""
    k = min(NEAR, len(Z) - 1)
    distance = NearestNeighbors(k).fit(Z).kneighbors(n_neighbors=k)[0][:, -1]
    scale = 1.0 / max(float(np.sqrt((distance**2).mean())), LEAST_SCALE)
    shared: dict[str, Any] = {"max_iter": ITERATIONS, "task": training.task.name}
    shared |= {"max_samples": LEARNING_ROWS, "random_state": training.seed}  # fitted again, too
    shared |= {"algorithm": "neighbors", "n_neighbors": PAIRS}
    width = Z.shape[1]
    options = [NeighborhoodComponentsAnalysis(diagonal=True, init=np.full(width, scale), **shared)]
    if width > 2:
        centered = Z - Z.mean(axis=0)
        start = principal_axes(centered.T @ centered, min(RANK, width))[1] * scale
        options.append(NeighborhoodComponentsAnalysis(init=start, **shared))
    return options


def _trial(
    learner: NeighborhoodComponentsAnalysis,
    training: TrainingRows,
    Z: AnyArray,
    learn: AnyArray,
    others: AnyArray,
) -> tuple[float, int]:
    """Return the lowest leave-one-out loss of K neighbors among rows not learned from, and K."""
    learned = learner.fit(Z[learn], training.y[learn])
    part = training.with_features(np.asarray(learned.transform(Z[others])), rows=others)
    curve = part.k_selection.curves["loo", "distance"]
    loss = float(curve.scores[part.k_selection.score].min())
    return loss, part.k_selection.best("loo", "distance")


def _k_and_score(mapped: TrainingRows, learned_from: AnyArray, k: int) -> tuple[int, Score | None]:
    """Return K and its score on the rows that nothing was learned from, where these are most."""
    everyone = np.arange(len(mapped.y))
    others = np.setdiff1d(everyone, learned_from)[:MOST_HELD_OUT]
    if len(others) < len(learned_from) or mapped.scoring is not None:
        return k, None
    model = mapped.fitted_neighbors(1, "distance")
    selection = model.select(groups=mapped.groups, rows=others)
    k = selection.best("loo", "distance")
    return k, score_of_k(selection, k, "distance", mapped.task)
