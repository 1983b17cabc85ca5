"""Calibrated probabilities: near the true ones, never 0, with the same most probable class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from lookalike import KNeighborsClassifier
from lookalike.models.calibration import TemperatureScaling
from lookalike.models.calibration.temperature import fit_calibration, log_losses


def drawn(seed, n_rows, n_classes):
    """Return true probabilities, and a class drawn by them for each row."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(n_classes), n_rows)
    codes = (shares.cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1)
    return shares, np.minimum(codes, n_classes - 1)


def powered(shares, exponent):
    power = shares**exponent
    return power / power.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("exponent", [0.4, 2.5])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_probabilities_that_are_too_sure_or_unsure_become_the_true_ones(exponent, n_classes):
    true, codes = drawn(0, 4000, n_classes)
    prior = np.bincount(codes) / len(codes)
    calibration = fit_calibration(powered(true, exponent), codes, prior)
    fresh, _ = drawn(1, 500, n_classes)
    assert np.abs(calibration(powered(fresh, exponent)) - fresh).max() < 0.05
    assert calibration.temperature == pytest.approx(exponent, rel=0.1)


def test_true_probabilities_are_left_nearly_as_they_are():
    true, codes = drawn(0, 4000, 3)
    calibrated = fit_calibration(true, codes, np.full(3, 1 / 3))(true)
    assert np.abs(calibrated - true).max() < 0.03


def test_votes_of_neighbors_that_exclude_classes_get_probabilities_for_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = (X[:, 0] + rng.normal(size=600) > 0).astype(int)
    model = KNeighborsClassifier(3).fit(X[:300], y[:300])
    votes, fresh = model.predict_proba(X[300:450]), model.predict_proba(X[450:])
    assert (votes == 0).any()
    calibration = fit_calibration(votes, y[300:450], np.array([0.5, 0.5]))
    calibrated = calibration(fresh)
    assert 0 < calibrated.min() < calibrated.max() < 1
    assert log_loss(y[450:], calibrated) < 0.7 < log_loss(y[450:], fresh)


def test_a_zero_that_no_row_contradicts_is_still_no_proof():
    shares = np.tile([[1.0, 0.0], [0.0, 1.0]], (50, 1))
    codes = np.tile([0, 1], 50)
    calibrated = fit_calibration(shares, codes, np.array([0.5, 0.5]))(shares)
    assert 0 < calibrated.min() < 0.05


@given(st.integers(0, 10_000), st.floats(0.1, 10.0), st.floats(0.0, 0.9), st.integers(2, 5))
def test_the_most_probable_class_stays_the_same_and_probabilities_sum_to_one(
    seed, temperature, shrinkage, n_classes
):
    rng = np.random.default_rng(seed)
    votes = rng.multinomial(5, rng.dirichlet(np.ones(n_classes)), size=20) / 5
    prior = rng.dirichlet(np.ones(n_classes))
    calibrated = TemperatureScaling(temperature, shrinkage, prior)(votes)
    np.testing.assert_allclose(calibrated.sum(axis=1), 1.0)
    assert (calibrated[np.arange(20), votes.argmax(axis=1)] >= calibrated.max(axis=1) - 1e-12).all()


def test_log_losses_of_impossible_classes_are_finite():
    assert np.isfinite(log_losses(np.array([[1.0, 0.0]]), np.array([1]))).all()
