"""The learning curve of K neighbors, and the estimated Bayes error."""

from __future__ import annotations

import numpy as np

from lookalike.decisions import Decisions
from lookalike.explain.bayes_error import BayesErrorEstimate, Reached, estimate_bayes_error
from lookalike.explain.learning_curve import LearningCurve, neighbor_learning_curve
from lookalike.explain.self_search import SelfSearch
from lookalike.models.decomposition.pca import PCA
from lookalike.models.preprocessing.scaler import StandardScaler
from lookalike.studies.evaluate.evaluation import HeldOutResult
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.task import Task
from lookalike.typing import AnyArray

FORECAST_SIZES = (1, 2, 4, 10)  # times the rows of the study
MIN_ROWS_OF_SMALLEST_SAMPLE = 20  # rows of the smallest sample
CURVE_HALVINGS = 4  # with few rows; with many, whose lists of neighbors cost more, fewer
MANY_ROWS_FOR_CURVE = 10_000
VERY_MANY, FEWEST_HALVINGS = 100_000, 2  # rows whose lists of neighbors are kept short
BAYES_ROWS = 1000  # that the Bayes error is estimated from
MAX_COLUMNS_FOR_BOUNDS = 200  # columns beyond which it is from principal components
COMPONENTS_FOR_BOUNDS = 100


def halvings(n_rows: int) -> int:
    """Return how often the rows are halved for the learning curve."""
    if n_rows > VERY_MANY:
        return FEWEST_HALVINGS
    return CURVE_HALVINGS if n_rows <= MANY_ROWS_FOR_CURVE else CURVE_HALVINGS - 1


def neighbors_needed(n_rows: int, k: int) -> int:
    """Return how long lists of neighbors must be for the learning curve of `k` neighbors."""
    return min(4 * k << halvings(n_rows), n_rows - 1)


def neighbor_curve(
    neighbors: SelfSearch, y: object, k: int, task: Task, seed: int
) -> LearningCurve | None:
    """Return the learning curve of `k` neighbors; None where rows are too few."""
    n_rows = neighbors.n_rows
    halves = [n_rows >> step for step in range(halvings(n_rows), -1, -1)]
    sizes = [n for n in halves if n >= max(MIN_ROWS_OF_SMALLEST_SAMPLE, 2 * k)]
    if len(sizes) < 3:
        return None
    return neighbor_learning_curve(
        neighbors, y, k=k, train_sizes=sizes, n_orders=4, random_state=seed, task=task.name
    )


def bayes_error(
    Z: AnyArray, dataset: Dataset, result: HeldOutResult, seed: int, decisions: Decisions
) -> BayesErrorEstimate | None:
    """Return the estimated Bayes error, not above what any candidate reached."""
    rows = np.random.default_rng(seed).permutation(len(dataset))[:BAYES_ROWS]
    if len(rows) < len(dataset):
        chosen = f"{len(rows):,} of {len(dataset):,} rows"
        decisions.add("estimated Bayes error", chosen, "a sample is enough")
    some, part = np.asarray(Z[rows], np.float64), dataset.take(rows)
    if some.shape[1] > MAX_COLUMNS_FOR_BOUNDS:
        some = np.asarray(
            PCA(min(COMPONENTS_FOR_BOUNDS, len(some) // 3), random_state=seed).fit_transform(some)
        )
    some = np.asarray(StandardScaler().fit_transform(some))
    k = 5
    if result.selection.k_selection is not None:
        k = result.selection.k_selection.best("loo", "uniform")
    groups = None
    if part.groups is not None:
        groups = np.unique(part.groups, return_inverse=True)[1]
    return estimate_bayes_error(
        some, part.y, reached=_reached(result), groups=groups, k=k, random_state=seed
    )


def _reached(result: HeldOutResult) -> list[Reached]:
    """Return the held-out errors of all candidates."""
    return [
        Reached(
            candidate.title, candidate.held_out_error, candidate.held_out_interval, "held-out rows"
        )
        for candidate in result.candidates
        if candidate.held_out_error is not None and candidate.held_out_interval is not None
    ]
