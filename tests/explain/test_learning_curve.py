"""Learning curves equal those of a fit for every size, and say where they lead."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from lookalike.errors import ParameterError, ShapeError
from lookalike.explain import neighbor_learning_curve
from lookalike.explain.learning_curve import fit_power_law, majority, nearest_among
from lookalike.neighbors import self_search


def overlapping(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, 2)) + 1.5 * y[:, None], y


@pytest.mark.parametrize("k", [1, 3])
def test_errors_equal_those_of_a_model_fitted_on_each_sample(k):
    X, y = overlapping(60)
    curve = neighbor_learning_curve(X, y, k=k, train_sizes=[10, 30, 60], n_orders=2, random_state=5)
    rng = np.random.default_rng(5)
    for order in range(2):
        rank = rng.permutation(60)
        for place, size in enumerate([10, 30, 60]):
            wrong = 0
            for i in range(60):
                sample = np.flatnonzero((rank < size) & (np.arange(60) != i))
                model = KNeighborsClassifier(k).fit(X[sample], y[sample])
                wrong += model.predict(X[[i]])[0] != y[i]
            assert curve.errors[order, place] == wrong / 60


def test_lists_grow_until_every_row_has_found_enough():
    X, _ = overlapping(300)
    found = self_search(X, 2)
    sampled = np.zeros(300, bool)
    sampled[[5, 100, 250]] = True
    near = nearest_among(found, sampled, 2)
    distance = np.linalg.norm(X[:, None] - X[[5, 100, 250]], axis=2)
    distance[[5, 100, 250], [0, 1, 2]] = np.inf
    slow = np.array([5, 100, 250])[np.argsort(distance, axis=1)[:, :2]]
    assert (near == slow).all()


def test_a_tied_vote_goes_to_the_nearest_of_the_level_classes():
    labels = np.array([[2, 0, 0, 2], [1, 0, 0, 2], [0, 1, 2, 2]])
    assert majority(labels, 3).tolist() == [2, 0, 2]


def test_a_power_law_is_found_again():
    sizes = np.array([50, 100, 200, 400, 800])
    a, b, c = 0.05, 1.5, 0.5
    law = fit_power_law(sizes, (a + b * sizes**-c)[None], sizes)[0]
    assert law == pytest.approx([a, b, c])


def test_a_power_law_never_falls_below_nothing_nor_rises():
    sizes = np.array([50, 100, 200])
    law = fit_power_law(
        sizes, np.array([[0.1, 0.2, 0.3], [0.4, 0.2, 0.05], [0.0, 0.0, 0.0]]), sizes
    )
    assert (law[:, :2] >= 0).all()
    assert law[0, 1] == 0


def test_the_forecast_holds_what_more_rows_bring():
    held = 0
    for seed in range(6):
        X, y = overlapping(2000, seed)
        part = neighbor_learning_curve(X[:500], y[:500], n_draws=60, random_state=seed)
        whole = neighbor_learning_curve(X, y, train_sizes=[2000], n_orders=1, n_draws=20).error[-1]
        found = part.forecast(2000)
        held += found.low[0] <= whole <= found.high[0]
    assert held >= 5


def test_the_forecast_ends_at_the_constant_of_the_law():
    X, y = overlapping(200)
    curve = neighbor_learning_curve(X, y, n_draws=20)
    assert curve.forecast(np.inf).error[0] == curve.power_law[0]
    assert (curve.low <= curve.high).all()


def test_the_same_seed_gives_the_same_curve():
    X, y = overlapping(150)
    first = neighbor_learning_curve(X, y, n_draws=20)
    second = neighbor_learning_curve(self_search(X, 30), y, n_draws=20)
    assert (first.errors == second.errors).all()
    assert (first.high == second.high).all()


def test_sizes_that_cannot_be_are_errors():
    X, y = overlapping(30)
    with pytest.raises(ParameterError, match="sizes=31"):
        neighbor_learning_curve(X, y, train_sizes=[10, 31])
    with pytest.raises(ShapeError, match="at least 4 rows"):
        neighbor_learning_curve(X[:3], y[:3], k=3)
    with pytest.raises(ParameterError, match="at least one row"):
        neighbor_learning_curve(X, y, n_draws=20).forecast(0)


@pytest.mark.parametrize("score", ["rmse", "mae"])
@pytest.mark.parametrize("k", [1, 3])
def test_errors_of_numbers_equal_those_of_a_model_fitted_on_each_sample(k, score):
    X, _ = overlapping(60)
    y = X[:, 0] + np.sin(3 * X[:, 1])
    curve = neighbor_learning_curve(
        X, y, k=k, train_sizes=[10, 30, 60], n_orders=2, random_state=5, score=score
    )
    rng = np.random.default_rng(5)
    loss = np.empty((2, 3, 60))
    for order in range(2):
        rank = rng.permutation(60)
        for place, size in enumerate([10, 30, 60]):
            for i in range(60):
                sample = np.flatnonzero((rank < size) & (np.arange(60) != i))
                model = KNeighborsRegressor(k).fit(X[sample], y[sample])
                gap = abs(model.predict(X[[i]])[0] - y[i])
                loss[order, place, i] = gap if score == "mae" else gap**2
    mean, both = loss.mean(axis=2), loss.mean(axis=(0, 2))
    if score == "rmse":
        mean, both = np.sqrt(mean), np.sqrt(both)
    assert curve.score == score
    np.testing.assert_allclose(curve.errors, mean, rtol=1e-12)
    np.testing.assert_allclose(curve.error, both, rtol=1e-12)
    assert ((curve.low <= curve.error) & (curve.error <= curve.high)).all()


def test_the_forecast_of_numbers_holds_what_more_rows_bring():
    held = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.random((2000, 2))
        y = np.sin(6 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=2000)
        part = neighbor_learning_curve(X[:500], y[:500], n_draws=60, random_state=seed)
        whole = neighbor_learning_curve(X, y, train_sizes=[2000], n_orders=1, n_draws=20).error[-1]
        found = part.forecast(2000)
        held += found.low[0] <= whole <= found.high[0]
    assert held >= 5


def test_a_score_of_the_other_kind_is_an_error():
    X, y = overlapping(40)
    with pytest.raises(ParameterError, match="score='mae' does not measure classes"):
        neighbor_learning_curve(X, y, score="mae")
    with pytest.raises(ParameterError, match="score='error' does not measure numbers"):
        neighbor_learning_curve(X, X[:, 0], score="error")


def test_where_errors_fall_faster_than_a_power_law_the_forecast_starts_near_the_last_one():
    sizes = np.array([25, 50, 100, 200, 400])
    errors = np.array([0.66, 0.45, 0.24, 0.085, 0.025])
    a, b, c = fit_power_law(sizes, errors[None], sizes / errors)[0]
    assert abs(a + b * 400.0**-c - 0.025) < 0.01
