"""Intervals of the kept model: rows, groups, training sets."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.confidence import wilson
from lookalike.studies.evaluate.kept_interval import (
    TRAINING_VARIANCE_ABOVE,
    TRAINING_VARIANCE_BELOW,
    kept_mean_interval,
    kept_rate_interval,
    kept_share_interval,
    variance_over_units,
)


def test_the_variance_over_rows_is_that_of_a_mean_and_over_groups_that_of_their_sums():
    loss = np.random.default_rng(0).random(50)
    assert variance_over_units(loss, np.ones(50)) == pytest.approx(loss.var(ddof=1) / 50)
    assert variance_over_units(4 * loss, np.full(50, 4.0)) == pytest.approx(loss.var(ddof=1) / 50)
    assert variance_over_units(loss[:1], np.ones(1)) == 0


def test_a_share_has_the_interval_of_fewer_rows():
    loss = (np.arange(300) < 60).astype(float)
    low, high = kept_share_interval(loss, np.ones(300), 0.2)
    assert low == wilson(0.2, 300 / (1 + TRAINING_VARIANCE_BELOW))[0]
    assert high == wilson(0.2, 300 / (1 + TRAINING_VARIANCE_ABOVE))[1]


def test_groups_that_are_right_or_wrong_as_a_whole_count_as_one_row():
    loss = np.repeat([10.0, 0.0], [10, 30])
    low, high = kept_share_interval(loss, np.full(40, 10.0), 0.25)
    assert high - low > np.diff(wilson(0.25, 40))


def test_a_mean_loss_has_an_interval_of_its_logarithm():
    loss = np.random.default_rng(0).normal(size=200) ** 2
    low, high = kept_mean_interval(loss, np.ones(200), 1.1)
    assert low < 1.1 < high
    wider = kept_mean_interval(loss[:50], np.ones(50), 1.1)
    assert wider[0] < low < 1.1 < high < wider[1]


def test_the_lower_end_is_around_the_middle_of_the_out_of_fold_and_the_corrected_error():
    loss, size = (np.arange(400) < 80).astype(float), np.ones(400)
    low, high = kept_share_interval(loss, size, 0.24)
    assert low == wilson(0.22, 400 / (1 + TRAINING_VARIANCE_BELOW))[0]
    assert high == wilson(0.24, 400 / (1 + TRAINING_VARIANCE_ABOVE))[1]
    below, above = kept_mean_interval(loss + 0.5, size, 0.8)
    reach = 1.966 * (loss.var(ddof=1) / 400) ** 0.5 / 0.7
    assert below == pytest.approx(0.75 * np.exp(-reach * 1.6**0.5), rel=1e-4)
    assert above == pytest.approx(0.8 * np.exp(reach * 1.85**0.5), rel=1e-4)


def test_a_model_of_fewer_rows_has_a_wider_interval():
    loss, size = (np.arange(400) < 80).astype(float), np.ones(400)
    low, high = kept_share_interval(loss, size, 0.2, times_fewer=4.0)
    assert low == wilson(0.2, 400 / (1 + 4 * TRAINING_VARIANCE_BELOW))[0]
    assert high == wilson(0.2, 400 / (1 + 4 * TRAINING_VARIANCE_ABOVE))[1]
    all_rows = kept_mean_interval(loss, size, 0.2)
    fewer = kept_mean_interval(loss, size, 0.2, times_fewer=4.0)
    assert fewer[0] < all_rows[0] < all_rows[1] < fewer[1]


def test_few_groups_of_equal_loss_do_not_make_a_narrow_interval():
    low, high = kept_mean_interval(np.full(10, 10.0), np.full(10, 10.0), 1.0)
    assert low < 0.7
    assert high > 1.4
    many = kept_mean_interval(np.full(1000, 10.0), np.full(1000, 10.0), 1.0)
    assert 0.98 < many[0] < 1 < many[1] < 1.02


def test_less_than_one_error_may_be_none():
    loss, size = np.zeros(200), np.ones(200)
    loss[0] = 1 / 3  # in one of three repeats
    assert kept_share_interval(loss, size, 0.0017)[0] == 0.0
    loss[:2] = 1.0
    assert kept_share_interval(loss, size, 0.01)[0] > 0.0


def test_rates_of_a_model_fitted_again_vary_more_than_those_of_rows():
    rng, inside = np.random.default_rng(0), []
    for _ in range(2000):  # 24 rows, and a model whose recall is not that of the folds
        recall = np.clip(0.5 + 0.09 * rng.normal(), 0, 1)
        low, high = kept_rate_interval(rng.binomial(24, 0.5) / 24, 24)
        inside.append(low <= recall <= high)
    assert 0.93 <= np.mean(inside) <= 0.99
