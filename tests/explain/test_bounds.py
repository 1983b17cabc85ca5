"""Bounds hold the equations of the sources, and what is known of made-up data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.confidence import wilson
from lookalike.errors import ParameterError
from lookalike.explain import (
    bayes_error_bracket,
    measured_bayes_bracket,
    nn_error_bound,
    nn_sample_size,
)


@given(st.floats(0.0, 1.0), st.integers(2, 30))
def test_the_bracket_is_cover_and_hart_read_the_other_way(share, n_classes):
    bayes = share * (n_classes - 1) / n_classes
    upper = bayes * (2 - n_classes / (n_classes - 1) * bayes)  # the largest 1-NN error
    assert bayes_error_bracket(upper, n_classes).low == pytest.approx(bayes, abs=2e-8)
    assert bayes_error_bracket(bayes, n_classes).high == pytest.approx(bayes, abs=1e-12)


def test_two_classes_are_at_most_twice_the_bayes_error():
    for error in np.linspace(0.0, 0.5, 21):
        bracket = bayes_error_bracket(float(error), 2)
        assert error / 2 <= bracket.low + 1e-15 <= bracket.high + 1e-15 <= error + 2e-15


def test_an_error_beyond_chance_is_limited_by_chance():
    bracket = bayes_error_bracket(0.8, 2)
    assert (bracket.low, bracket.high) == (0.5, 0.5)


def test_the_interval_is_wilsons():
    low, high = wilson(0.1, 100)
    assert (round(low, 4), round(high, 4)) == (0.0552, 0.1744)  # [Wilson27], z = 1.96
    bracket = bayes_error_bracket(0.1, 2, 100)
    assert bracket.interval == (
        bayes_error_bracket(low, 2).low,
        bayes_error_bracket(high, 2).high,
    )


def test_the_bracket_of_measured_rows_holds_the_bayes_error():
    held = 0
    bayes = 0.5 * math.erfc(1.0 / math.sqrt(2))  # two normals, two deviations apart
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=800)
        X = rng.normal(size=(800, 1)) + 2.0 * y[:, None]
        low, high = measured_bayes_bracket(X, y).interval
        held += low <= bayes <= high
    assert held >= 19


def test_one_class_has_no_bracket():
    with pytest.raises(ParameterError, match="another class"):
        measured_bayes_bracket(np.eye(3), [1, 1, 1])
    with pytest.raises(ParameterError, match="confidence"):
        bayes_error_bracket(0.1, 2, 10, confidence=1.0)


def test_the_bound_is_that_of_the_source():
    assert nn_error_bound(1000, 3, 2.0, 0.1) == pytest.approx(
        2 * 0.1 + 4 * 2.0 * 3**0.5 * 1000 ** (-1 / 4)
    )
    assert nn_error_bound([10, 100], 1, 1.0).shape == (2,)


@given(st.floats(0.01, 1.0), st.integers(1, 20), st.floats(0.1, 10.0))
def test_so_many_rows_are_enough_by_the_bound(epsilon, d, c):
    enough, least = nn_sample_size(epsilon, d, c)
    if enough >= 1:
        assert nn_error_bound(enough, d, c) == pytest.approx(epsilon, rel=1e-9)
    assert least == pytest.approx((c + 1) ** d / 2)
    logarithms = [math.log10(enough), math.log10(least)]
    assert nn_sample_size(epsilon, d, c, log10=True) == pytest.approx(logarithms, abs=1e-9)


def test_more_rows_than_floats_can_say_are_said_by_their_logarithm():
    assert math.isinf(nn_sample_size(0.1, 784, 1.0)[0])
    enough, _ = nn_sample_size(0.1, 784, 1.0, log10=True)
    assert enough == pytest.approx(785 * math.log10(4 * 28 / 0.1))


def test_the_bound_holds_for_rows_that_meet_its_assumptions():
    c, errors = 1.0, []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.random((500, 2))
        y = rng.random(500) < X[:, 0]  # eta(x) = x_1 changes by at most the distance
        errors.append(measured_bayes_bracket(X, y).error)
    assert np.mean(errors) <= nn_error_bound(499, 2, c, 0.25)  # E min(x, 1 - x) = 1/4


def test_what_is_out_of_range_says_so():
    for call in (
        lambda: nn_sample_size(0.0, 2, 1.0),
        lambda: nn_error_bound(0, 2, 1.0),
        lambda: bayes_error_bracket(1.2, 2),
        lambda: bayes_error_bracket(0.1, 1),
    ):
        with pytest.raises(ParameterError, match=r"Give|out of range"):
            call()
