"""Sets and intervals hold the truth as often as was asked, over many made-up tables."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.explain import conformal_intervals, conformal_sets

SEEDS = range(40)


def classes(rng, n):
    y = rng.integers(3, size=n)
    return rng.normal(size=(n, 2)) + np.array([[0, 0], [1.5, 0], [0, 1.5]])[y], y


def numbers(rng, n):
    X = rng.uniform(-1, 1, size=(n, 1))
    return X, X[:, 0] ** 2 + (0.05 + np.abs(X[:, 0])) * rng.normal(size=n)


@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize("coverage", [0.8, 0.95])
def test_sets_hold_the_true_class_as_often_as_asked(split, coverage):
    held = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        model = KNeighborsClassifier(7).fit(*classes(rng, 150))
        calibration = classes(rng, 150) if split else None
        X, y = classes(rng, 200)
        found = conformal_sets(model, X, coverage=coverage, calibration=calibration)
        held.append(found.contains(y).mean())
    assert np.mean(held) >= coverage - 3 * np.std(held) / len(held) ** 0.5


@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize("local", [True, False])
def test_intervals_hold_the_true_number_as_often_as_asked(split, local):
    held = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        model = KNeighborsRegressor(8).fit(*numbers(rng, 200))
        calibration = numbers(rng, 199) if split else None
        X, y = numbers(rng, 200)
        found = conformal_intervals(model, X, calibration=calibration, local=local)
        held.append(found.contains(y).mean())
    assert np.mean(held) == pytest.approx(0.9, abs=0.015)


def test_local_intervals_are_wide_where_neighbors_differ():
    rng = np.random.default_rng(0)
    model = KNeighborsRegressor(15).fit(*numbers(rng, 600))
    found = conformal_intervals(model, [[0.0], [0.95]], local=True)
    width = found.high - found.low
    assert width[1] > 2 * width[0]


def test_a_smaller_coverage_gives_smaller_sets():
    rng = np.random.default_rng(0)
    model = KNeighborsClassifier(9).fit(*classes(rng, 200))
    X, _ = classes(rng, 50)
    wide, narrow = (conformal_sets(model, X, coverage=c).member for c in (0.95, 0.6))
    assert (wide >= narrow).all()
    assert wide.sum() > narrow.sum()


def test_too_few_rows_to_promise_anything_rule_nothing_out():
    model = KNeighborsClassifier(1).fit([[0.0], [1.0], [9.0]], ["a", "b", "b"])
    found = conformal_sets(model, [[0.2]], coverage=0.99)
    assert found.labels() == [["a", "b"]]
    assert np.isinf(found.threshold)


def test_a_class_seen_only_in_calibration_counts_as_missed():
    model = KNeighborsClassifier(1).fit([[0.0], [1.0]], [0, 2])
    found = conformal_sets(
        model, [[0.0]], coverage=0.5, calibration=([[0.0], [0.1], [0.2]], [1, 1, 0])
    )
    assert found.threshold == 1.0


def test_what_cannot_be_calibrated_says_why():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    model, regressor = KNeighborsClassifier(3).fit(X, y), KNeighborsRegressor(3).fit(X, y)
    with pytest.raises(ParameterError, match="certainty"):
        conformal_sets(model, X, coverage=1.0)
    with pytest.raises(ShapeError, match="one per row"):
        conformal_sets(model, X, calibration=(X, y[:3]))
    with pytest.raises(ShapeError, match="one number per row"):
        conformal_intervals(regressor, X, calibration=(X, y[:3]))
    with pytest.raises(ParameterTypeError, match="not a regressor"):
        conformal_intervals(model, X)
    with pytest.raises(ParameterTypeError, match="not a classifier"):
        conformal_sets(regressor, X)
    pair = KNeighborsClassifier(3).fit(X, np.column_stack([y, y]))
    with pytest.raises(ShapeError, match="2 outputs"):
        conformal_sets(pair, X)
