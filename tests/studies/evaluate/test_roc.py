"""ROC and precision-recall curves equal scikit-learn's; intervals hold the truth."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from lookalike.studies.evaluate.roc import auc_interval, roc_curves
from lookalike.studies.results import Predictions


def predictions(y, shares, labels, repeats=1):
    """Return predictions of rows that were held out this many times."""
    n = len(y) // repeats
    best = labels[shares.argmax(axis=1)]
    return Predictions(
        np.tile(np.arange(n), repeats),
        y,
        best,
        shares.max(axis=1),
        np.repeat(np.arange(repeats), n),
        shares,
        labels,
    )


def test_the_curve_of_two_classes_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 150)
    score = np.clip(0.3 * (y == "yes") + rng.random(150) * 0.7, 0, 1).round(2)
    labels = np.array(["no", "yes"])
    (curve,) = roc_curves(predictions(y, np.column_stack([1 - score, score]), labels), 1)
    assert curve.label == "yes"
    assert curve.auc == pytest.approx(metrics.roc_auc_score(y == "yes", score))
    assert curve.average_precision == pytest.approx(
        metrics.average_precision_score(y == "yes", score)
    )
    false, true, _ = metrics.roc_curve(y == "yes", score, drop_intermediate=False)
    assert curve.false_positive_rate == pytest.approx(false)
    assert curve.true_positive_rate == pytest.approx(true)


def test_every_one_of_several_classes_has_a_curve_and_repeats_are_averaged():
    rng = np.random.default_rng(1)
    y = np.tile(rng.integers(3, size=60), 2)
    shares = rng.dirichlet(np.ones(3), 120)
    curves = roc_curves(predictions(y, shares, np.arange(3), repeats=2), 2)
    assert [curve.label for curve in curves] == [0, 1, 2]
    halves = [
        metrics.roc_auc_score(y[part] == 1, shares[part, 1])
        for part in (slice(60), slice(60, None))
    ]
    assert curves[1].auc == pytest.approx(np.mean(halves))
    assert curves[1].n_positive == int((y[:60] == 1).sum())


def test_long_curves_are_thinned_but_keep_their_ends():
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=5000)
    score = rng.random(5000)
    shares = np.column_stack([1 - score, score])
    (curve,) = roc_curves(predictions(y, shares, np.arange(2)), 1)
    assert len(curve.true_positive_rate) <= 202
    assert curve.true_positive_rate[-1] == curve.false_positive_rate[-1] == 1.0


def test_classes_without_held_out_rows_have_no_curve():
    y = np.zeros(20, int)
    assert roc_curves(predictions(y, np.full((20, 2), 0.5), np.arange(2)), 1) == ()


def test_the_interval_of_an_auc_of_1_has_a_width_and_intervals_hold_the_truth():
    assert auc_interval(1.0, 30, 30)[0] < 0.96
    assert auc_interval(1.0, 30, 30)[1] == 1.0
    held = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        y = np.arange(80) % 2
        x = rng.normal(size=80) + y  # its AUC is Phi(1 / sqrt 2) = 0.760
        low, high = auc_interval(metrics.roc_auc_score(y, x), 40, 40)
        held += low <= 0.7602 <= high
    assert held >= 90
