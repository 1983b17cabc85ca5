"""The learning curve of K neighbors, from the one search of all rows."""

from __future__ import annotations

from lookalike.explain.learning_curve import LearningCurve, learning_curve
from lookalike.explain.self_search import SelfSearch
from lookalike.studies.task import Task

FORECAST = (1, 2, 4, 10)  # times the rows at hand
FEWEST = 20  # rows of the smallest sample
HALVINGS = 4  # of few rows; of many, whose lists of neighbors cost more, fewer
MANY = 10_000


def halvings(n_rows: int) -> int:
    """Return how often the rows are halved for the learning curve."""
    return HALVINGS if n_rows <= MANY else HALVINGS - 1


def neighbors_needed(n_rows: int, k: int) -> int:
    """Return how long lists of neighbors must be for the learning curve of `k` neighbors."""
    return min(4 * k << halvings(n_rows), n_rows - 1)


def neighbor_curve(
    neighbors: SelfSearch, y: object, k: int, task: Task, seed: int
) -> LearningCurve | None:
    """Return the learning curve of `k` neighbors; None where rows are too few."""
    n_rows = neighbors.n_rows
    halves = [n_rows >> step for step in range(halvings(n_rows), -1, -1)]
    sizes = [n for n in halves if n >= max(FEWEST, 2 * k)]
    if len(sizes) < 3:
        return None
    return learning_curve(
        neighbors, y, k=k, train_sizes=sizes, n_orders=4, random_state=seed, task=task.name
    )
