"""Residuals: their quantiles, and whether their spread grows with the prediction."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.studies.evaluate.residuals import residuals
from lookalike.studies.results import Predictions


def predictions(y_true, y_pred):
    rows = np.arange(len(y_true))
    return Predictions(rows, y_true, y_pred, None, np.zeros(len(rows), int))


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(0)
    y_pred = rng.uniform(1, 10, 500)
    return predictions(y_pred + y_pred * rng.normal(size=500), y_pred)


def test_quantiles_are_those_of_numpy_and_bins_hold_all_rows(noisy):
    found = residuals(noisy, 1)
    residual = noisy.y_true - noisy.y_pred
    assert list(found.quantiles.values()) == pytest.approx(
        np.percentile(residual, [5, 25, 50, 75, 95])
    )
    assert sum(one.n_rows for one in found.bins) == 500
    middles = [one.mean_prediction for one in found.bins]
    assert middles == sorted(middles)


def test_residuals_that_grow_with_the_prediction_are_seen(noisy):
    low, high = residuals(noisy, 1).spread_interval
    assert 0 < low < high
    rng = np.random.default_rng(1)
    same = predictions(rng.normal(size=400), rng.normal(size=400) * 0.01)
    low, high = residuals(same, 1).spread_interval
    assert low < 0 < high


def test_few_rows_have_no_residuals():
    assert residuals(predictions(np.arange(10.0), np.zeros(10)), 1) is None
