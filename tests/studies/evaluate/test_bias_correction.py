"""The bias-corrected error of the winner, against errors that are known."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.confidence import wilson
from lookalike.studies.evaluate.bias_correction import (
    OutOfFoldLosses,
    bootstrap_bias_correction,
    corrected_error,
    corrected_score,
    interval_over_groups,
)
from lookalike.studies.evaluate.intervals import root_mean_interval
from lookalike.studies.results import Predictions
from lookalike.studies.scoring import KNOWN_SCORINGS
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK


def losses_of(loss, groups=None):
    loss = np.asarray(loss, np.float64)
    loss = loss[:, None] if loss.ndim == 2 else loss
    fold = np.tile(np.arange(loss.shape[2]) % 5, (loss.shape[1], 1))
    return OutOfFoldLosses(tuple(f"m{k}" for k in range(len(loss))), loss, fold, groups)


def test_of_equal_models_the_corrected_error_is_the_true_one_and_the_smallest_is_too_low():
    plain, corrected = [], []
    for seed in range(40):
        loss = np.random.default_rng(seed).random((15, 200)) < 0.3
        result = corrected_error(losses_of(loss), CLASSIFICATION_TASK, seed=seed)
        plain.append(loss.mean(axis=1).min())
        corrected.append(result.value)
    assert np.mean(plain) < 0.26
    assert np.mean(corrected) == pytest.approx(0.3, abs=0.01)


def test_the_correction_is_that_of_a_loop_over_draws():
    rng = np.random.default_rng(3)
    loss, size = rng.random((4, 30)), np.ones(30)
    value, wins = bootstrap_bias_correction(loss, size, seed=5, draws=50)
    drawn = np.random.default_rng(5).integers(30, size=(50, 30))
    winners = [int(loss[:, rows].mean(axis=1).argmin()) for rows in drawn]
    left = [np.setdiff1d(np.arange(30), rows) for rows in drawn]
    slow = np.mean([loss[k, rows].mean() for k, rows in zip(winners, left, strict=True)])
    assert value == pytest.approx(slow)
    assert wins == pytest.approx(np.bincount(winners, minlength=4) / 50)


def test_one_candidate_has_its_plain_mean_and_a_clear_winner_nearly_so():
    rng = np.random.default_rng(0)
    good, bad = rng.random(300) < 0.1, rng.random(300) < 0.5
    alone = corrected_error(losses_of([good]), CLASSIFICATION_TASK, seed=0)
    both = corrected_error(losses_of([bad, good]), CLASSIFICATION_TASK, seed=0)
    assert alone.value == good.mean()
    assert "bias correction" not in alone.method
    assert both.value == pytest.approx(good.mean(), abs=0.003)
    assert (both.winner, both.selected) == ("m1", {"m0": 0.0, "m1": 1.0})


def test_the_interval_is_wider_than_that_of_rows_alone_by_less_than_two_fifths():
    loss = np.random.default_rng(0).random(400) < 0.2
    low, high = corrected_error(losses_of([loss]), CLASSIFICATION_TASK, seed=0).interval
    ends = wilson(loss.mean(), 400)
    assert 1.1 < (high - low) / (ends[1] - ends[0]) < 1.4
    squares = np.random.default_rng(0).normal(size=400) ** 2
    result = corrected_error(losses_of([squares]), REGRESSION_TASK, seed=0)
    ends = root_mean_interval(squares)
    assert result.value == pytest.approx(squares.mean() ** 0.5)
    assert 1.1 < (result.interval[1] - result.interval[0]) / (ends[1] - ends[0]) < 1.4


def test_copies_of_rows_in_groups_do_not_narrow_the_interval():
    loss = (np.random.default_rng(0).random((3, 80)) < [[0.2], [0.3], [0.3]]).astype(float)
    once = corrected_error(losses_of(loss), CLASSIFICATION_TASK, seed=0)
    groups = np.repeat(np.arange(80), 5)
    copied = corrected_error(
        losses_of(np.repeat(loss, 5, axis=1), groups), CLASSIFICATION_TASK, seed=0
    )
    assert copied.value == pytest.approx(once.value)
    assert np.diff(copied.interval) == pytest.approx(np.diff(once.interval), rel=0.05)
    assert "groups" in copied.method


def test_repeats_are_averaged_for_every_row():
    loss = (np.random.default_rng(0).random((3, 4, 100)) < 0.3).astype(float)
    repeated = corrected_error(losses_of(loss), CLASSIFICATION_TASK, seed=1)
    averaged = corrected_error(losses_of(loss.mean(axis=1)), CLASSIFICATION_TASK, seed=1)
    assert repeated.value == pytest.approx(averaged.value)
    assert repeated.interval == pytest.approx(averaged.interval)
    assert "repeated 4 times" in repeated.method


def test_without_an_error_the_interval_of_a_share_still_has_a_width():
    result = corrected_error(losses_of(np.zeros((2, 50))), CLASSIFICATION_TASK, seed=0)
    assert result.value == 0
    assert result.interval[0] == 0
    assert 0.05 < result.interval[1] < 0.15
    zero = corrected_error(losses_of(np.zeros((2, 50))), REGRESSION_TASK, seed=0)
    assert (zero.value, zero.interval) == (0.0, (0.0, 0.0))


def classes_by(score, y):
    shares = np.column_stack([1 - score, score])
    labels = np.array([0, 1])
    rows = np.arange(len(y))
    return Predictions(rows, y, (score > 0.5).astype(int), None, rows % 5, shares, labels)


def test_of_scores_by_chance_the_best_auc_is_corrected_to_one_half():
    plain, corrected = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=150)
        models = {f"m{k}": classes_by(rng.random(150), y) for k in range(6)}
        result = corrected_score(models, KNOWN_SCORINGS["auc"], seed=seed)
        plain.append(max(KNOWN_SCORINGS["auc"].compute(rows) for rows in models.values()))
        corrected.append(result.value)
        assert sum(result.selected.values()) == pytest.approx(1)
    assert np.mean(plain) > 0.54
    assert np.mean(corrected) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("name", ["balanced_accuracy", "f1", "auc", "log_loss", "error"])
def test_the_corrected_score_lies_in_its_interval_within_the_range_of_the_score(name):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    models = {
        f"m{k}": classes_by(np.clip(0.3 + 0.4 * y + rng.normal(size=200) * 0.3, 0.01, 0.99), y)
        for k in range(3)
    }
    result = corrected_score(models, KNOWN_SCORINGS[name], seed=0, groups=np.arange(200) // 2)
    assert result.interval[0] <= result.value <= result.interval[1]
    assert result.interval[0] >= 0
    assert name == "log_loss" or result.interval[1] <= 1


def test_scores_of_numbers_are_averaged_over_repeats():
    rng = np.random.default_rng(0)
    y = np.tile(rng.normal(size=100), 2)
    fold = np.repeat([0, 1], 100)
    rows = Predictions(np.tile(np.arange(100), 2), y, y + rng.normal(size=200), None, fold)
    result = corrected_score({"m": rows}, KNOWN_SCORINGS["r2"], seed=0, n_repeats=2)
    halves = [KNOWN_SCORINGS["r2"].compute(rows.take(fold == k)) for k in (0, 1)]
    assert result.value == pytest.approx(np.mean(halves))
    assert result.winner == "m"


def test_the_interval_of_every_candidate_counts_groups_as_one_each():
    rng = np.random.default_rng(0)
    wrong = np.repeat(rng.random((2, 40)) < 0.3, 5, axis=1).astype(float)
    losses = losses_of(wrong)
    names = losses.names
    grouped = losses._replace(groups=np.repeat(np.arange(40), 5))
    low, high = interval_over_groups(grouped, names[0], CLASSIFICATION_TASK)
    single = interval_over_groups(losses, names[0], CLASSIFICATION_TASK)
    assert single == pytest.approx(wilson(wrong[0].mean(), 200))
    assert high - low > 1.8 * (single[1] - single[0])
