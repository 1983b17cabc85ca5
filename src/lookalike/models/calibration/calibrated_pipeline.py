"""A pipeline whose probabilities are calibrated, wherever it predicts."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from lookalike.models.calibration.temperature import TemperatureScaling
from lookalike.typing import Array
from lookalike.validation import check_kind


class CalibratedPipeline(Pipeline):
    """A pipeline whose predict_proba is corrected; classes and neighbors are those of its steps.

    Parameters
    ----------
    steps : list of (str, estimator)
        As in scikit-learn's Pipeline.
    calibration : TemperatureScaling, optional
        How probabilities are corrected; not at all when None.
    transform_input, memory, verbose
        As in scikit-learn's Pipeline.
    """

    def __init__(
        self,
        steps: list[tuple[str, Any]],
        *,
        calibration: TemperatureScaling | None = None,
        transform_input: list[str] | None = None,
        memory: object = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(steps, transform_input=transform_input, memory=memory, verbose=verbose)
        self.calibration = calibration

    def predict_proba(self, X: object, **params: object) -> Array:
        """Return the calibrated probability of every class, of shape (n_rows, n_classes)."""
        shares: Array = super().predict_proba(X, **params)
        check_kind("calibration", self.calibration, TemperatureScaling, type(None))
        return shares if self.calibration is None else self.calibration(shares)
