"""The candidates that may be kept, and how their probabilities are corrected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from lookalike.models.calibration.calibrated_pipeline import CalibratedPipeline
from lookalike.models.calibration.temperature import TemperatureScaling
from lookalike.studies.select.ensemble_candidate import ENSEMBLE_NAME, ensemble_fold_models
from lookalike.studies.select.out_of_fold import OutOfFold
from lookalike.typing import Rows


@dataclass(frozen=True)
class Finalists:
    """The candidates that may be kept, the best first, with what they predict out of fold."""

    table: OutOfFold
    names: tuple[str, ...]
    calibrations: Mapping[str, TemperatureScaling] = field(default_factory=dict)

    def fold_models(self, name: str) -> tuple[tuple[BaseEstimator, Rows], ...]:
        """Return the models of a candidate in the folds of the first repeat, with their rows."""
        ensemble = name == ENSEMBLE_NAME
        models = ensemble_fold_models(self.table) if ensemble else self.table.fold_models(name)
        calibration = self.calibrations.get(name)
        if calibration is None:
            return models
        return tuple(
            (with_calibrated_probabilities(model, calibration), rows) for model, rows in models
        )


def with_calibrated_probabilities(model: Pipeline, calibration: TemperatureScaling) -> Pipeline:
    """Return a fitted pipeline with calibrated probabilities."""
    if not hasattr(model, "predict_proba"):
        return model
    calibrated = CalibratedPipeline(model.steps, calibration=calibration)
    for name, value in dict(vars(model)).items():
        if name not in vars(calibrated):
            setattr(calibrated, name, value)
    return calibrated
