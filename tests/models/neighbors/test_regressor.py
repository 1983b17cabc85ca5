"""Neighbors that are averaged: means, spread, intervals, several targets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsRegressor as Peer
from sklearn.neighbors import RadiusNeighborsRegressor as RadiusPeer
from sklearn.utils.estimator_checks import check_estimator

from lookalike import KNeighborsRegressor, RadiusNeighborsRegressor
from lookalike.errors import MissingValueError, ParameterError, ParameterTypeError

RNG = np.random.default_rng(8)
ROWS = RNG.normal(size=(150, 4))
TARGET = ROWS[:, 0] ** 2 + 0.1 * RNG.normal(size=150)
QUERIES = RNG.normal(size=(40, 4))


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsRegressor(),
        KNeighborsRegressor(weights="distance", missing="mean"),
        RadiusNeighborsRegressor(),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:One or more samples")
def test_scikit_learns_checks_pass(model):
    results = check_estimator(model, on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)])
@pytest.mark.parametrize("targets", [TARGET, np.column_stack([TARGET, -TARGET])], ids=["1", "2"])
def test_means_are_scikit_learns(weights, targets):
    mine = KNeighborsRegressor(6, weights=weights).fit(ROWS, targets)
    peer = Peer(6, weights=weights).fit(ROWS, targets)
    np.testing.assert_allclose(mine.predict(QUERIES), peer.predict(QUERIES), rtol=1e-12)
    if callable(weights):
        return  # scikit-learn hands functions an array of arrays
    near = RadiusNeighborsRegressor(3.0, weights=weights).fit(ROWS, targets)
    there = RadiusPeer(3.0, weights=weights).fit(ROWS, targets)
    np.testing.assert_allclose(near.predict(QUERIES), there.predict(QUERIES), rtol=1e-10)


def test_the_spread_is_the_standard_deviation_of_the_neighbors():
    model = KNeighborsRegressor(7).fit(ROWS, TARGET)
    mean, spread = model.predict(QUERIES, return_std=True)
    values = TARGET[model.kneighbors(QUERIES)[1]]
    np.testing.assert_allclose(mean, values.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(spread, values.std(axis=1), rtol=1e-12)


def test_an_exact_hit_alone_counts_when_weighed_by_distance():
    model = KNeighborsRegressor(3, weights="distance").fit([[0.0], [0.0], [1.0]], [1.0, 3.0, 9.0])
    assert model.predict([[0.0]]).tolist() == [2.0]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=150, max_size=150), st.integers(1, 9))
def test_a_weight_counts_as_that_many_rows(weight, k):
    assume(sum(weight) >= k)
    repeated = KNeighborsRegressor(k).fit(
        np.repeat(ROWS, weight, axis=0), np.repeat(TARGET, weight)
    )
    weighted = KNeighborsRegressor(k).fit(ROWS, TARGET, sample_weight=weight)
    np.testing.assert_allclose(weighted.predict(QUERIES), repeated.predict(QUERIES), rtol=1e-12)


def test_intervals_hold_the_share_that_they_state():
    rng = np.random.default_rng(1)
    rows = rng.uniform(-2, 2, size=(3000, 1))
    target = np.sin(3 * rows[:, 0]) + rng.normal(scale=0.3, size=3000)
    model = KNeighborsRegressor(20).fit(rows[:1000], target[:1000])
    low, high = model.predict_interval(rows[1000:], coverage=0.8)
    held = np.mean((low <= target[1000:]) & (target[1000:] <= high))
    assert abs(held - 0.8) < 3 * np.sqrt(0.8 * 0.2 / 1000)  # three standard errors of both samples
    with pytest.raises(ParameterError, match="coverage=1"):
        model.predict_interval(rows, coverage=1)


def test_a_row_without_neighbors_is_nan_with_a_warning():
    model = RadiusNeighborsRegressor(0.5).fit([[0.0], [1.0]], [1.0, 2.0])
    with pytest.warns(UserWarning, match="no neighbors within"):
        answer = model.predict([[0.1], [7.0]])
    np.testing.assert_array_equal(answer, [1.0, np.nan])


@pytest.mark.parametrize(
    ("target", "error", "said"),
    [
        ([1.0, np.nan], MissingValueError, "y is nan at row 1"),
        ([1.0, np.inf], MissingValueError, "inf at row 1"),
        (["a", "b"], ParameterTypeError, "y holds .* which is not a number"),
        ([1.0 + 1.0j, 2.0], ParameterError, "Complex data not supported"),
    ],
)
def test_targets_that_are_no_numbers_are_an_error(target, error, said):
    with pytest.raises(error, match=said):
        KNeighborsRegressor(1).fit([[0.0], [1.0]], target)


def test_a_constant_target_is_every_answer():
    model = KNeighborsRegressor(3).fit(ROWS, np.full(150, 4.5))
    assert set(model.predict(QUERIES)) == {4.5}


def test_rows_added_and_forgotten_leave_a_model_of_the_rows_left():
    model = KNeighborsRegressor(3).partial_fit(ROWS[:50], TARGET[:50])
    model.partial_fit(ROWS[50:], TARGET[50:]).remove([3, 60])
    left = np.delete(np.arange(150), [3, 60])
    fresh = KNeighborsRegressor(3).fit(ROWS[left], TARGET[left])
    np.testing.assert_array_equal(model.predict(QUERIES), fresh.predict(QUERIES))
    with pytest.raises(ParameterError, match="numbers have none"):
        model.partial_fit(ROWS, TARGET, classes=[1])
