"""The analyses of a study as they are collected, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from lookalike.explain.bayes_error import BayesErrorEstimate
from lookalike.explain.dimension import Dimension
from lookalike.explain.learning_curve import Forecast, LearningCurve
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.studies.analysis_results import (
    AuditSummary,
    Clustering,
    FeatureImportance,
    Projection,
    PrototypeSelection,
    Spectrum,
)
from lookalike.studies.analyze.class_probabilities import WINNER
from lookalike.studies.analyze.data_audit import SearchedRows
from lookalike.studies.evaluation_results import (
    Calibration,
    IntervalCoverage,
    PartialDependence,
    Residuals,
    RocCurve,
)
from lookalike.studies.results import ColumnDescription, TargetSummary
from lookalike.studies.select.model_selection import PreparedRows
from lookalike.typing import Array, Rows


@dataclass
class Analyses:
    """Parts of a study that do not depend on the winner alone; None where not computed."""

    n_features: int
    bayes_error: BayesErrorEstimate | None = None
    learning_curve: LearningCurve | None = None
    forecast: Forecast | None = None
    k_selection: KSelection | None = None
    spectrum: Spectrum | None = None
    intrinsic_dimension: Dimension | None = None
    projections: tuple[Projection, ...] = ()
    feature_importance: tuple[FeatureImportance, ...] = ()
    pixel_importance: str | None = None
    audit: AuditSummary | None = None
    prototype_selection: PrototypeSelection | None = None
    clustering: Clustering | None = None
    roc_curves: tuple[RocCurve, ...] = ()
    calibration: Calibration | None = None
    residuals: Residuals | None = None
    prediction_intervals: IntervalCoverage | None = None
    partial_dependence: tuple[PartialDependence, ...] = ()
    columns: tuple[ColumnDescription, ...] = ()  # with their profiles
    target: TargetSummary | None = None
    searched: SearchedRows | None = None  # rows with their neighbors
    probabilities: Mapping[str, Array] = field(default_factory=dict)  # out of fold, by model
    prepared: PreparedRows | None = None  # the features of rows, and how they were made

    def fields(self) -> dict[str, Any]:
        """Return the parts of a study by name."""
        own = ("n_features", "searched", "probabilities", "prepared")
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name not in own}

    @property
    def out_of_fold(self) -> tuple[Rows, Array] | None:
        """The class probabilities of the winner, where the label audit needed them."""
        if WINNER not in self.probabilities or self.searched is None:
            return None
        return self.searched.dataset.row, self.probabilities[WINNER]
