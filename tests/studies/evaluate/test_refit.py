"""What the kept model gains by learning from all rows, against errors on fresh rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import lookalike
from lookalike.studies.evaluate.bias_correction import OutOfFoldLosses, corrected_error
from lookalike.studies.evaluate.refit import gain_of_all_rows, half_of
from lookalike.studies.task import REGRESSION_TASK

COLUMNS, FOLDS = 20, 5


def least_squares(X, y, fresh):
    return fresh @ np.linalg.lstsq(X, y, rcond=None)[0]


def errors(seed, n_rows=80):
    """Return squared errors by models of folds, of half of them, and of all rows on fresh ones."""
    rng = np.random.default_rng(seed)
    X, fresh = rng.normal(size=(n_rows, COLUMNS)), rng.normal(size=(4000, COLUMNS))
    weight = rng.normal(size=COLUMNS)
    y, y_fresh = (rows @ weight + rng.normal(size=len(rows)) for rows in (X, fresh))
    fold, own, of_half = rng.permutation(n_rows) % FOLDS, np.empty(n_rows), np.empty(n_rows)
    for number in range(FOLDS):
        train, held_out = rng.permutation(np.flatnonzero(fold != number)), fold == number
        for losses, rows in ((own, train), (of_half, half_of(train, None))):
            losses[held_out] = (least_squares(X[rows], y[rows], X[held_out]) - y[held_out]) ** 2
    return fold, own, of_half, ((least_squares(X, y, fresh) - y_fresh) ** 2).mean() ** 0.5


def test_the_error_is_that_of_the_model_of_all_rows():
    plain, corrected, truth, below = [], [], [], 0
    for seed in range(60):
        fold, own, of_half, true = errors(seed)
        losses = OutOfFoldLosses(("m",), own[None, None], fold[None])
        result = corrected_error(losses, REGRESSION_TASK, seed=0, of_half=of_half)
        plain.append(own.mean() ** 0.5)
        corrected.append(result.value)
        truth.append(true)
        below += true < result.interval[0]
    assert np.mean(plain) > 1.03 * np.mean(truth)
    assert np.mean(corrected) == pytest.approx(np.mean(truth), rel=0.015)
    assert below <= 3


def test_where_half_of_the_rows_do_as_well_nothing_is_gained():
    rng = np.random.default_rng(0)
    ones = np.ones(200)
    gains = []
    for _ in range(100):
        own, of_half = rng.random((2, 200)) < 0.3
        gains.append(gain_of_all_rows(of_half * 1.0, own * 1.0, ones, 0.3, FOLDS).sure)
    assert np.mean(np.array(gains) == 1.0) >= 0.94
    assert min(gains) > 0.95


def test_what_the_selection_made_too_low_is_not_taken_for_a_gain():
    loss, ones = np.ones(100), np.ones(100)
    assert gain_of_all_rows(2 * loss, loss, ones, 1.0, FOLDS).expected == pytest.approx(0.8)
    assert gain_of_all_rows(2 * loss, loss, ones, 2.0, FOLDS) == (1.0, 1.0)
    assert gain_of_all_rows(9 * loss, loss, ones, 1.0, FOLDS).sure == pytest.approx(0.8)  # a >= 0


def test_half_of_grouped_rows_are_those_of_half_of_the_groups():
    groups = np.repeat(np.arange(6), 3)
    half = half_of(np.random.default_rng(0).permutation(18), groups)
    assert len(np.unique(groups[half])) == 3
    assert len(half) == 9


def test_a_boosted_model_is_fitted_again_to_rows_of_fewer_categories():
    rng = np.random.default_rng(0)
    plant = rng.integers(20, size=300)
    frame = pd.DataFrame({"x": rng.normal(size=300), "plant": [f"P{i}" for i in plant]})
    y = frame["x"].to_numpy() + (plant % 3)
    model = lookalike.study(frame, y, models=["boosted"], effort="quick").model
    few = frame[plant < 8]
    again = clone(model).fit(few, y[plant < 8])
    assert np.mean((again.predict(few) - y[plant < 8]) ** 2) < 0.5 * y.var()
