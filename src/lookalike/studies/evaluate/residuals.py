"""Residuals of held-out predictions, and conformal intervals with their measured coverage."""

from __future__ import annotations

import numpy as np

from lookalike.confidence import wilson
from lookalike.explain.conformal import conformal_quantile
from lookalike.studies.analyze.association import spearman
from lookalike.studies.evaluate.calibration import bin_rows
from lookalike.studies.evaluate.roc import repeats_of
from lookalike.studies.evaluation_results import IntervalCoverage, ResidualBin, Residuals
from lookalike.studies.results import Predictions
from lookalike.typing import Array, Rows

BINS = 10
ROWS_EACH = 20  # of a bin
LEAST_ROWS = 40
COVERAGE = 0.9
SHOWN = (5, 25, 50, 75, 95)  # quantiles of all residuals, in percent
OF_BIN = (10, 25, 50, 75, 90)


def residuals(predictions: Predictions, n_repeats: int) -> Residuals | None:
    """Return quantiles of the residuals, and how they depend on the prediction."""
    predicted, residual = _first_repeat(predictions, n_repeats)
    if len(residual) < LEAST_ROWS:
        return None
    found = np.percentile(residual, SHOWN).tolist()
    bins = bin_rows(predicted, max(min(BINS, len(residual) // ROWS_EACH), 1))
    parts = [np.flatnonzero(bins == one) for one in range(int(bins.max()) + 1)]
    spread, ends = 0.0, (0.0, 0.0)
    size = np.abs(residual)
    if (predicted != predicted[0]).any() and (size != size[0]).any():
        trend = spearman(predicted, size)
        spread, ends = trend.value, trend.interval or ends
    return Residuals(
        {f"{share}%": value for share, value in zip(SHOWN, found, strict=True)},
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


def interval_coverage(
    predictions: Predictions, n_repeats: int, seed: int, groups: Rows | None
) -> IntervalCoverage | None:
    """Return conformal intervals of 90%; None of fewer than 40 held-out rows.

    Rows of one group are in one half, so that none is measured by a copy of itself.
    """
    size = np.abs(_first_repeat(predictions, n_repeats)[1])
    n_rows = len(size)
    if n_rows < LEAST_ROWS:
        return None
    groups = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
    mixed = np.random.default_rng(seed).permutation(int(groups.max()) + 1)
    half = mixed[groups] % 2 == 0
    if min(half.sum(), (~half).sum()) < LEAST_ROWS // 4:
        return None
    inside = 0
    for part in (half, ~half):
        inside += int((size[part] <= conformal_quantile(size[~part], COVERAGE)).sum())
    measured = inside / n_rows
    return IntervalCoverage(
        COVERAGE, conformal_quantile(size, COVERAGE), measured, wilson(measured, n_rows), n_rows
    )


def _first_repeat(predictions: Predictions, n_repeats: int) -> tuple[Array, Array]:
    """Return predictions and residuals of rows that were held out once."""
    once = repeats_of(predictions, n_repeats) == 0
    predicted = predictions.y_pred[once].astype(np.float64)
    return predicted, predictions.y_true[once].astype(np.float64) - predicted
