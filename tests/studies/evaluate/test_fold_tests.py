"""Tests of a mean over held-out rows: their level, and what models and groups add."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.studies.evaluate.fold_tests import holm, mean_over_folds

FOLD = np.arange(200) % 5


def rejections(draw, fold=FOLD, groups=None, n_draws=400):
    """Return how often a mean of 0 is called larger, at 5%."""
    rng = np.random.default_rng(0)
    return np.mean(
        [mean_over_folds(draw(rng), fold, groups).p_value < 0.05 for _ in range(n_draws)]
    )


def test_a_mean_of_0_is_called_larger_in_at_most_5_percent():
    assert rejections(lambda rng: rng.normal(size=200)) <= 0.06
    assert rejections(lambda rng: rng.choice([-1.0, 1.0], 200) * (rng.random(200) < 0.03)) <= 0.06


def test_models_that_differ_widen_the_interval():
    of_models = lambda rng: rng.normal(size=200) + rng.normal(size=5)[FOLD]  # noqa: E731
    assert rejections(of_models) <= 0.08
    values = np.random.default_rng(0).normal(size=200)
    shifted = values + np.array([-2.0, -1.0, 0.0, 1.0, 2.0])[FOLD]
    low, high = mean_over_folds(values, FOLD).interval
    wider_low, wider_high = mean_over_folds(shifted, FOLD).interval
    assert wider_high - wider_low > 3 * (high - low)


def test_rows_of_a_group_count_as_one():
    groups = np.arange(200) // 10
    draw = lambda rng: rng.normal(size=20)[groups]  # noqa: E731
    assert rejections(draw, np.zeros(200, int)) > 0.2
    assert rejections(draw, np.zeros(200, int), groups) <= 0.07


def test_a_single_row_proves_nothing():
    assert mean_over_folds(np.eye(1, 50)[0], np.zeros(50, int)).p_value == 1


def test_holm_counts_tests_that_were_not_made():
    assert holm([0.01, 0.5, 0.02]) == pytest.approx([0.03, 0.5, 0.04])
    assert holm([0.01], 30) == pytest.approx([0.3])
