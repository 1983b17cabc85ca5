"""Residuals of held-out predictions: their quantiles, and how they depend on the prediction."""

from __future__ import annotations

import numpy as np

from lookalike.studies.analyze.association import spearman
from lookalike.studies.evaluate.calibration import bin_rows
from lookalike.studies.evaluate.roc import repeats_of
from lookalike.studies.evaluation_results import ResidualBin, Residuals
from lookalike.studies.results import Predictions
from lookalike.typing import Array

RESIDUAL_BINS = 10
ROWS_PER_RESIDUAL_BIN = 20  # of a bin
MIN_ROWS_FOR_RESIDUALS = 40
RESIDUAL_QUANTILES = (5, 25, 50, 75, 95)  # quantiles of all residuals, in percent
OF_BIN = (10, 25, 50, 75, 90)


def residuals(predictions: Predictions, n_repeats: int) -> Residuals | None:
    """Return quantiles of the residuals, and how they depend on the prediction."""
    predicted, residual = first_repeat(predictions, n_repeats)
    if len(residual) < MIN_ROWS_FOR_RESIDUALS:
        return None
    quantiles = np.percentile(residual, RESIDUAL_QUANTILES).tolist()
    bins = bin_rows(predicted, max(min(RESIDUAL_BINS, len(residual) // ROWS_PER_RESIDUAL_BIN), 1))
    parts = [np.flatnonzero(bins == number) for number in range(int(bins.max()) + 1)]
    spread, ends = 0.0, (0.0, 0.0)
    size = np.abs(residual)
    if (predicted != predicted[0]).any() and (size != size[0]).any():
        trend = spearman(predicted, size)
        spread, ends = trend.value, trend.interval or ends
    return Residuals(
        {f"{share}%": value for share, value in zip(RESIDUAL_QUANTILES, quantiles, strict=True)},
        tuple(
            ResidualBin(
                float(predicted[part].mean()),
                tuple(np.percentile(residual[part], OF_BIN).tolist()),
                len(part),
            )
            for part in parts
        ),
        spread,
        ends,
        len(residual),
        float(np.median(size)),
    )


def first_repeat(predictions: Predictions, n_repeats: int) -> tuple[Array, Array]:
    """Return predictions and residuals of rows that were held out once."""
    once = repeats_of(predictions, n_repeats) == 0
    predicted = predictions.y_pred[once].astype(np.float64)
    return predicted, predictions.y_true[once].astype(np.float64) - predicted
