"""Intervals over rows, groups and repeated splits."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.studies.evaluate.intervals import (
    bootstrap,
    corrected_resampled,
    hull,
    root_mean_interval,
)


def test_the_bootstrap_interval_of_a_mean_is_that_of_its_deviation():
    values = np.random.default_rng(0).normal(size=400)
    low, high = bootstrap(lambda rows: float(values[rows].mean()), 400, seed=0)
    assert (high - low) / 2 == pytest.approx(1.96 * values.std() / 20, rel=0.1)


def test_groups_are_drawn_as_a_whole_so_that_copies_do_not_narrow_the_interval():
    values = np.random.default_rng(0).normal(size=100)
    copied, groups = np.repeat(values, 4), np.repeat(np.arange(100), 4)

    def width(**options):
        low, high = bootstrap(lambda rows: float(copied[rows].mean()), 400, seed=0, **options)
        return high - low

    assert width(groups=groups) == pytest.approx(2 * width(), rel=0.15)


def test_the_variance_over_splits_is_corrected_for_overlapping_training_sets():
    values = np.array([0.10, 0.20, 0.15, 0.12, 0.18, 0.16, 0.14, 0.11, 0.19, 0.15])
    low, high = corrected_resampled(values, 0.25)
    deviation = np.sqrt((0.1 + 0.25) * values.var(ddof=1))
    assert (low + high) / 2 == pytest.approx(values.mean())
    assert (high - low) / 2 == pytest.approx(2.2622 * deviation, rel=1e-4)
    assert hull((0.1, 0.2), (0.15, 0.3)) == (0.1, 0.3)


def test_the_interval_of_a_root_mean_square_holds_the_truth_of_few_skewed_errors():
    rng = np.random.default_rng(0)
    inside, bootstrapped = 0, 0
    for trial in range(300):
        squares = rng.laplace(size=60) ** 2  # of mean 2
        low, high = root_mean_interval(squares)
        inside += low <= 2**0.5 <= high
        if trial < 100:
            ends = bootstrap(lambda rows, s=squares: float(s[rows].mean() ** 0.5), 60, seed=0)
            bootstrapped += ends[0] <= 2**0.5 <= ends[1]
    assert inside >= 0.88 * 300
    assert bootstrapped / 100 <= inside / 300
    assert root_mean_interval(np.zeros(5)) == (0.0, 0.0)
