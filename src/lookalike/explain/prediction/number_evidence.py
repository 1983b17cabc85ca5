"""Why a row is given its number: the rows whose mean it is, and what each of them does to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.explain.prediction.adapters import numbers
from lookalike.explain.prediction.contributions import pull_of_numbers
from lookalike.explain.prediction.distance_shares import (
    feature_names,
    feature_shares,
    one_row,
    ranked_features,
)
from lookalike.typing import AnyArray, Array, Rows


@dataclass(frozen=True)
class NumberEvidence:
    """What a predicted number rests on.

    Attributes
    ----------
    prediction, spread : float
        The weighted mean of the targets, and their standard deviation around it. NaN where no row
        counts.
    rows, distances, targets : ndarray of shape (k,)
        The rows that count, nearest first.
    weights : ndarray of shape (k,)
        What each counts, as a share of all.
    moves : ndarray of shape (k,)
        By how much the prediction would change if the row did not count; NaN of the only one.
    feature_shares : ndarray of shape (k, n_features), or None
        How much of each distance comes from each feature, see
        :class:`lookalike.explain.prediction.evidence.Evidence`.
    feature_names : ndarray
        Names of the columns, or x0, x1 …
    """

    prediction: float
    spread: float
    rows: Rows
    distances: Array
    targets: Array
    weights: Array
    moves: Array
    feature_shares: Array | None
    feature_names: AnyArray

    def features(self) -> list[tuple[str, float]]:
        """Return the features by their mean share of the distances, the largest first."""
        return ranked_features(self.feature_shares, self.feature_names)

    def __str__(self) -> str:
        if not len(self.rows):
            return "no row counts"
        most = int(np.nanargmax(np.abs(self.moves))) if len(self.rows) > 1 else 0
        text = f"{self.prediction:.4g} +- {self.spread:.2g} by {len(self.rows)} rows"
        return f"{text}; row {self.rows[most]} moves it most, by {-self.moves[most]:.2g}"


def explain_number(model: Any, x: Any, leave_out: int | None) -> NumberEvidence:
    """Show what the number that `model` predicts for the row `x` rests on."""
    query = one_row(x)
    asked = model._queries(query)[0] if hasattr(model, "_queries") else query
    kernels = hasattr(model, "bandwidth_")
    pull = pull_of_numbers(model, asked if kernels else query, leave_out)
    target = numbers(model)[pull.row]
    total = float(pull.weight.sum())
    share = pull.weight / total if total > 0 else pull.weight
    mean = float(share @ target) if total > 0 else np.nan
    spread = float(np.sqrt(share @ (target - mean) ** 2)) if total > 0 else np.nan
    left = 1.0 - share
    moves = np.full(len(share), np.nan)
    np.divide(share * (mean - target), left, out=moves, where=left > 0)
    return NumberEvidence(
        mean,
        spread,
        pull.row,
        pull.distance,
        target,
        share,
        moves,
        feature_shares(model, asked, pull.row),
        feature_names(model),
    )
