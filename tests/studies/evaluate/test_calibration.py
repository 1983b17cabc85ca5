"""Calibration: probabilities that are right are not called wrong, those that are wrong are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from example_study import example_study
from sklearn import metrics

from lookalike.studies.evaluate.calibration import bin_rows, calibration
from lookalike.studies.findings import reliability
from lookalike.studies.results import Predictions


def predicted(probability, seed, told=None):
    """Return predictions of outcomes drawn with `probability`, where `told` was predicted."""
    told = probability if told is None else told
    y = (np.random.default_rng(seed).random(len(probability)) < probability).astype(int)
    shares = np.column_stack([1 - told, told])
    rows = np.arange(len(y))
    best = shares.argmax(axis=1)
    return Predictions(
        rows, y, best, shares.max(axis=1), np.zeros(len(y), int), shares, np.arange(2)
    )


def test_the_brier_score_is_that_of_scikit_learn_and_bins_add_up():
    rows = predicted(np.random.default_rng(0).random(300), 1)
    found = calibration(rows, 1, 0)
    assert found.brier == pytest.approx(metrics.brier_score_loss(rows.y_true, rows.shares[:, 1]))
    assert found.brier_baseline == pytest.approx(rows.y_true.var())
    assert sum(one.n_rows for one in found.bins) == 300
    gaps = [one.n_rows * abs(one.mean_probability - one.share) for one in found.bins]
    assert found.ece == pytest.approx(sum(gaps) / 300)
    assert all(one.interval[0] <= one.share <= one.interval[1] for one in found.bins)


def test_probabilities_that_are_right_are_rarely_called_miscalibrated():
    called = 0
    for seed in range(40):
        right = np.random.default_rng(seed).random(200)
        found = calibration(predicted(right, seed + 100), 1, 0)
        called += found.ece > found.ece_chance
    assert called <= 3  # 0.4 are expected


def test_probabilities_that_are_too_high_are_called_so():
    right = np.random.default_rng(0).uniform(0.1, 0.5, 600)
    found = calibration(predicted(right, 1, told=right + 0.2), 1, 0)
    assert found.ece > found.ece_chance
    stated = reliability.calibration(replace(example_study(), calibration=found))
    assert "miscalibrated, mostly too high" in stated.text


def test_no_miscalibration_is_only_said_where_one_of_five_percent_would_be_seen():
    study = example_study()
    few = calibration(predicted(np.random.default_rng(0).random(60), 1), 1, 0)
    assert few.ece <= few.ece_chance
    assert few.power < 0.5
    assert reliability.calibration(replace(study, calibration=few)) is None
    many = calibration(predicted(np.random.default_rng(0).random(5000), 1), 1, 0)
    assert many.power > 0.95
    text = reliability.calibration(replace(study, calibration=many)).text
    assert "no miscalibration detected, and one of 5% would be in" in text


def test_the_power_is_how_often_probabilities_that_are_five_points_off_are_detected():
    told = np.random.default_rng(0).uniform(0.2, 0.8, 1000)
    power = calibration(predicted(told, 1), 1, 0).power
    side = np.where(told > np.median(told), 0.05, -0.05)
    for off in (side, 0.05):
        wrong = [calibration(predicted(told - off, seed, told), 1, 0) for seed in range(20)]
        assert np.mean([one.ece > one.ece_chance for one in wrong]) >= power - 0.25


def test_bins_hold_about_equally_many_rows_and_equal_values_are_in_one():
    many = np.concatenate([np.linspace(0, 0.5, 50), np.ones(450)])
    bins = bin_rows(many, 10)
    assert np.unique(bins[50:]).size == 1
    assert bins[0] != bins[-1]
    assert np.bincount(bin_rows(np.random.default_rng(0).random(1000), 10)).tolist() == [100] * 10
    assert bin_rows(np.ones(40), 10).tolist() == [0] * 40


def test_models_without_probabilities_and_few_rows_have_no_calibration():
    rows = predicted(np.random.default_rng(0).random(20), 1)
    assert calibration(rows, 1, 0) is None
    without = Predictions(rows.row, rows.y_true, rows.y_pred, None, rows.fold, rows.shares, None)
    assert calibration(without, 1, 0) is None


def test_rows_of_a_group_come_true_together_by_chance():
    rng = np.random.default_rng(0)
    share = np.repeat(rng.uniform(0.2, 0.8, 60), 5)
    rows = predicted(share, 1)
    single, grouped = (
        calibration(rows, 1, 0, groups) for groups in (None, np.repeat(np.arange(60), 5))
    )
    assert grouped.ece == single.ece
    assert grouped.ece_chance > 1.5 * single.ece_chance
    assert grouped.power < single.power
