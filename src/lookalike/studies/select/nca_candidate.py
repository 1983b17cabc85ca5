"""K-NN with learned feature weights, or in a learned map of few dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from lookalike.data.sources.kept_rows import read_only
from lookalike.models.linalg.eigenvectors import principal_axes
from lookalike.models.neighbors.nca import NeighborhoodComponentsAnalysis
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.studies.select.candidate_spec import FittedCandidate
from lookalike.studies.select.components import in_components
from lookalike.studies.select.training_rows import MOST_HELD_OUT, TrainingRows
from lookalike.typing import AnyArray

LEARNING_ROWS = 2000  # that a map is learned from
NCA_COLUMNS = 100  # beyond which principal components are weighted
NCA_COMPONENTS = 50  # how many of them
NCA_ITERATIONS = 15  # more separate the training rows better, and others worse
WEIGHTED_NEIGHBORS = 5  # that are to have weight at first
LEARNED_NEIGHBORS = 32  # of each row, that weights are learned from
MAP_DIMENSIONS = 10  # of a learned map
LEAST_NEIGHBOR_DISTANCE = 1e-12


def fit_nca(training: TrainingRows) -> FittedCandidate:
    """Fit K-NN by learned distances: weights or a map, compared on rows not learned from."""
    Z, steps, chosen = in_components(training.Z, NCA_COLUMNS, NCA_COMPONENTS)
    tuning = training.tuning[:LEARNING_ROWS]
    half = len(tuning) // 2
    options = _options(Z[tuning], training)
    trials = [_trial(option, training, Z, tuning[:half], tuning[half:]) for option in options]
    best = min(range(len(trials)), key=lambda number: trials[number][0])
    learned = clone(options[best]).fit(Z[tuning], training.y[tuning])
    mapped = training.with_features(read_only(np.asarray(learned.transform(Z))))
    k = _k_of_others(mapped, tuning) or trials[best][1]
    model = mapped.fitted_neighbors(k, "distance")
    shape = (
        "feature weights"
        if options[best].diagonal
        else f"linear transformation to {len(learned.components_)} components"
    )
    chosen |= {"learned": shape, "K": str(k), "weights": "distance"}
    return FittedCandidate((*steps, ("nca", learned), ("model", model)), chosen)


def _options(Z: AnyArray, training: TrainingRows) -> list[NeighborhoodComponentsAnalysis]:
    """Return learners of weights and of a map, not fitted; near rows have weight at first."""
    k = min(WEIGHTED_NEIGHBORS, len(Z) - 1)
    distance = NearestNeighbors(k).fit(Z).kneighbors(n_neighbors=k)[0][:, -1]
    scale = 1.0 / max(float(np.sqrt((distance**2).mean())), LEAST_NEIGHBOR_DISTANCE)
    shared: dict[str, Any] = {"max_iter": NCA_ITERATIONS, "task": training.task.name}
    shared |= {"max_samples": LEARNING_ROWS, "random_state": training.seed}  # fitted again, too
    shared |= {"algorithm": "neighbors", "n_neighbors": LEARNED_NEIGHBORS}
    width = Z.shape[1]
    options = [NeighborhoodComponentsAnalysis(diagonal=True, init=np.full(width, scale), **shared)]
    if width > 2:
        centered = Z - Z.mean(axis=0)
        start = principal_axes(centered.T @ centered, min(MAP_DIMENSIONS, width))[1] * scale
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


def _k_of_others(mapped: TrainingRows, learned_from: AnyArray) -> int | None:
    """Return the best K of the rows that nothing was learned from, where these are most."""
    others = np.setdiff1d(np.arange(len(mapped.y)), learned_from)[:MOST_HELD_OUT]
    if len(others) < len(learned_from):
        return None
    model = mapped.fitted_neighbors(1, "distance")
    return int(model.select(groups=mapped.groups, rows=others).best("loo", "distance"))
