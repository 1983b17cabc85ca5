"""Explanations of a predicted number: the rows whose mean it is, and how much each moves it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from lookalike.explain.prediction.adapters import numbers
from lookalike.explain.prediction.contributions import number_contributions
from lookalike.explain.prediction.explanation import Explanation
from lookalike.explain.prediction.score_contributions import complete
from lookalike.models.neighbors.training_rows import compared_queries


def explain_number(
    model: BaseEstimator, table: object, leave_out: object
) -> tuple[Explanation, Any]:
    """Return the training rows that make a predicted number, and the row as it is compared.

    The number is their weighted mean; NaN if no row counts.
    """
    query = compared_queries(model, table)
    kernels = hasattr(model, "bandwidth_")
    row, distance, weight = number_contributions(model, query if kernels else table, leave_out)
    target = numbers(model)[row]
    total = float(weight.sum())
    share = weight / total if total > 0 else weight
    mean = float(share @ target) if total > 0 else np.nan
    spread = float(np.sqrt(share @ (target - mean) ** 2)) if total > 0 else np.nan
    rest = 1.0 - share
    moves = np.full(len(share), np.nan)
    np.divide(share * (mean - target), rest, out=moves, where=rest > 0)
    k = getattr(model, "n_neighbors_", getattr(model, "n_neighbors", None))
    explanation = Explanation(
        mean,
        row,
        distance,
        target,
        share,
        k=k if isinstance(k, int) else None,
        spread=spread,
        moves=moves,
        contributions=complete(row, target, share * target, mean) if total > 0 else None,
    )
    return explanation, query
