"""What no model can beat, what more rows would bring, and how the error depends on K."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.explain.learning_curve import LearningCurve, learning_curve
from lookalike.explain.self_search import SelfSearch
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.studies.analysis_results import KCurve
from lookalike.typing import AnyArray

AHEAD = (1, 2, 4, 10)  # times the rows at hand
FEWEST = 20  # rows of the smallest sample
HALVINGS = 4  # of few rows; of many, whose lists of neighbors cost more, fewer
MANY = 10_000


def halvings(n_rows: int) -> int:
    """Return how often the rows are halved for the learning curve."""
    return HALVINGS if n_rows <= MANY else HALVINGS - 1


def neighbors_needed(n_rows: int, k: int) -> int:
    """Return how long lists of neighbors must be for the learning curve of `k` voters."""
    return min(4 * k << halvings(n_rows), n_rows - 1)


def curve_of(found: SelfSearch, told: AnyArray, k: int, seed: int) -> LearningCurve | None:
    """Return the error, or RMSE, against the number of rows; None where rows are too few."""
    halves = [found.n_rows >> step for step in range(halvings(found.n_rows), -1, -1)]
    sizes = [n for n in halves if n >= max(FEWEST, 2 * k)]
    if len(sizes) < 3:
        return None
    return learning_curve(
        found,
        told,
        k=k,
        train_sizes=sizes,
        n_orders=4,
        random_state=seed,
        task="regression" if told.dtype.kind == "f" else "classification",
    )


def k_curves_of(selection: KSelection | None) -> tuple[KCurve, ...]:
    """Return the left-out error, or RMSE, of every K."""
    if selection is None:
        return ()
    measure = "error" if selection.score == "error" else "rmse"
    curves = []
    for (method, weights), curve in selection.curves.items():
        scores: Any = curve.scores[measure]
        curves.append(
            KCurve(
                weights,
                method,
                measure,
                tuple(map(int, selection.k)),
                tuple(map(float, scores)),
                tuple(map(float, np.asarray(curve.standard_errors[measure]))),
                selection.best(method, weights),
            )
        )
    return tuple(curves)
