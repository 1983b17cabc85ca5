"""Evidence for a predicted number: the rows whose mean it is, and how much each moves it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.explain.prediction.adapters import numbers
from lookalike.explain.prediction.contributions import number_contributions
from lookalike.explain.prediction.distance_shares import named_shares, one_row, ranked_features
from lookalike.printable import number
from lookalike.typing import AnyArray, Array, Rows


@dataclass(frozen=True)
class NumberEvidence:
    """The training rows whose weighted mean a predicted number is.

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
            return "no row has a weight"
        most = int(np.nanargmax(np.abs(self.moves))) if len(self.rows) > 1 else 0
        rows = "1 row" if len(self.rows) == 1 else f"{len(self.rows)} rows"
        text = f"{number(self.prediction)} ± {number(self.spread)} by {rows}"
        return f"{text}; row {self.rows[most]} moves it most, by {number(-self.moves[most])}"


def explain_number(model: object, x: object, leave_out: object) -> NumberEvidence:
    """Show which training rows make the number that `model` predicts for the row `x`."""
    table = one_row(x)
    query = model._queries(table)[0] if hasattr(model, "_queries") else table
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
    return NumberEvidence(
        mean,
        spread,
        row,
        distance,
        target,
        share,
        moves,
        *named_shares(model, query, row),
    )
