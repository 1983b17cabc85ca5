"""Explanations of rows and new items by the neighbor model of an exploration, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.explain.prediction.evidence import explain_neighbors, explain_prediction
from lookalike.explain.prediction.explanation import Explanation
from lookalike.typing import Rows
from lookalike.validation import check_int

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix
    from lookalike.web.explorer.exploration_state import ExplorationState


class Evidences:
    """Explanations by the neighbor model of an exploration; rows are known by their position."""

    def __init__(self, exploration: ExplorationState) -> None:
        self._exploration = exploration

    def of_row(self, row: int, k: int | None = None) -> dict[str, Any]:
        """Return the explanation of a row; a training row is left out of its own neighbors."""
        return {"row": row, **self.describe(self.explain_row(row, k))}

    def explain_row(self, row: int, k: int | None = None) -> Explanation:
        """Return why the neighbors of a row predict what they predict."""
        neighbors = self._exploration.neighbors
        row = self._exploration.check_row(row)
        return self.explain(neighbors.Z[row : row + 1], k, neighbors.left_out(row))

    def explain(self, Z: Matrix, k: int | None = None, left_out: Rows | None = None) -> Explanation:
        """Return the explanation of a row by its features."""
        neighbors = self._exploration.neighbors
        k = check_int("k", neighbors.k if k is None else k, least=1, most=neighbors.k_max)
        model = neighbors.with_k(k)
        if neighbors.predicts:
            explanation = explain_prediction(model, Z, leave_out=left_out, k_max=neighbors.k_max)
        else:
            explanation = explain_neighbors(neighbors.model, Z, k, left_out)
        return explanation.by_column(neighbors.feature_columns).renumbered(neighbors.row)

    def describe(self, explanation: Explanation) -> dict[str, Any]:
        """Return an explanation as plain data, and by which model it is."""
        neighbors = self._exploration.neighbors
        return {**explanation.to_dict(), "model": neighbors.title, "metric": neighbors.metric}
