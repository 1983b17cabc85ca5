"""The analyses of a study as they are collected, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from lookalike.studies.analyze.class_probabilities import WINNER
from lookalike.studies.analyze.data_audit import SearchedRows
from lookalike.studies.results import StudyAnalyses
from lookalike.studies.select.model_selection import PreparedRows
from lookalike.typing import Array, Rows


@dataclass(kw_only=True)
class Analyses(StudyAnalyses):
    """The results so far, and what the analyses of the same rows share."""

    n_features: int
    searched: SearchedRows | None = None  # rows with their neighbors
    probabilities: Mapping[str, Array] = field(default_factory=dict)  # out of fold, by model
    prepared: PreparedRows | None = None  # the features of rows, and how they were made

    def results(self) -> dict[str, Any]:
        """Return the results by name, as a study holds them."""
        return {one.name: getattr(self, one.name) for one in fields(StudyAnalyses)}

    @property
    def out_of_fold(self) -> tuple[Rows, Array] | None:
        """The class probabilities of the winner, where the label audit needed them."""
        if WINNER not in self.probabilities or self.searched is None:
            return None
        return self.searched.dataset.row, self.probabilities[WINNER]
