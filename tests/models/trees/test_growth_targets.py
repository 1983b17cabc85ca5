"""Targets of any size and offset: forests and boosted trees predict them as well as usual ones."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import (
    BoostedNeighborsClassifier,
    BoostedNeighborsRegressor,
    ForestNeighborsClassifier,
    ForestNeighborsRegressor,
)
from lookalike.errors import MagnitudeError
from lookalike.models.trees.growth_targets import growth_targets, root_mean_square

MODELS = [ForestNeighborsRegressor(20, random_state=0), BoostedNeighborsRegressor(random_state=0)]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    return X, X[:, 0] + 0.1 * rng.standard_normal(300)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("scale", "offset"), [(1e-8, 0), (1, 1e12), (1e-150, 0), (1e150, 0), (1e-8, -3.0), (1e250, 0)]
)
def test_targets_of_any_size_and_offset_are_predicted_as_well(table, model, scale, offset):
    X, y = table
    usual = model.fit(X[:200], y[:200]).predict(X[200:])
    predicted = (model.fit(X[:200], y[:200] * scale + offset).predict(X[200:]) - offset) / scale
    error, usual_error = (np.square(y[200:] - p).mean() for p in (predicted, usual))
    assert error < 1.2 * usual_error
    if isinstance(model, ForestNeighborsRegressor):
        assert model.oob_error_ / scale == pytest.approx(0.17, abs=0.05)


def test_usual_targets_are_left_as_they_are(table):
    _, y = table
    for targets in (y, y + 1000, y[:, None], np.arange(5), np.full(3, 1e12)):
        assert growth_targets(targets) is targets


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_targets_whose_sums_overflow_are_an_error_that_names_the_row(table, model):
    X, y = table
    large = y.copy()
    large[17] = -1.7e308
    with pytest.raises(MagnitudeError, match=r"-1\.7e\+308 at row 17"):
        model.fit(X, large)


def test_root_mean_squares_do_not_overflow():
    assert root_mean_square(np.array([3e200, -4e200])) == pytest.approx(np.sqrt(12.5) * 1e200)
    assert root_mean_square(np.array([3e-200, 4e-200])) == pytest.approx(np.sqrt(12.5) * 1e-200)


@pytest.mark.parametrize(
    "model",
    [*MODELS, ForestNeighborsClassifier(20, random_state=0), BoostedNeighborsClassifier()],
    ids=lambda model: type(model).__name__,
)
def test_a_column_without_any_value_splits_nothing(table, model):
    X, y = table
    labels = y if "Regressor" in type(model).__name__ else y > 0
    empty = np.column_stack([X, np.full(len(X), np.nan)])
    predicted = model.fit(empty, labels).predict(empty)
    assert np.isfinite(predicted.astype(float)).all()
    assert model.score(empty, labels) > 0.9
