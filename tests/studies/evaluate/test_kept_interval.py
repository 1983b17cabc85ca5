"""Intervals of the kept model: rows, groups, training sets."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.confidence import wilson
from lookalike.studies.evaluate.kept_interval import (
    TRAINING_VARIANCE_ABOVE,
    TRAINING_VARIANCE_BELOW,
    kept_mean_interval,
    kept_share_interval,
    variance_over_units,
)


def test_the_variance_over_rows_is_that_of_a_mean_and_over_groups_that_of_their_sums():
    loss = np.random.default_rng(0).random(50)
    assert variance_over_units(loss, np.ones(50)) == pytest.approx(loss.var(ddof=1) / 50)
    assert variance_over_units(4 * loss, np.full(50, 4.0)) == pytest.approx(loss.var(ddof=1) / 50)
    assert variance_over_units(loss[:1], np.ones(1)) == 0


def test_a_share_has_the_interval_of_fewer_rows():
    loss = np.arange(300) < 60
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
    assert np.log(1.1 / low) > np.log(high / 1.1)  # the kept model was fitted to more rows
    wider = kept_mean_interval(loss[:50], np.ones(50), 1.1)
    assert wider[0] < low < 1.1 < high < wider[1]
