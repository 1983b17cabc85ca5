"""A linear score: ridge and minimum norm, rows left out in closed form, weights as repetition."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import check_estimator

from lookalike import Ridge
from lookalike.errors import MissingValueError, ParameterError, ParameterTypeError, ShapeError

RNG = np.random.default_rng(14)
ROWS = RNG.normal(size=(40, 6)) + 3
SCORE = ROWS @ RNG.normal(size=6) + RNG.normal(size=40)
FEW = RNG.normal(size=(12, 50))  # D > N
FEW_SCORE = RNG.normal(size=12)


@pytest.mark.parametrize("alpha", [0.0, "loo"])
def test_scikit_learns_checks_pass(alpha):
    results = check_estimator(Ridge(alpha), on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize(("X", "y"), [(ROWS, SCORE), (FEW, FEW_SCORE)], ids=["N > D", "D > N"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_weights_are_those_of_ridge_regression(alpha, X, y, fit_intercept):
    ours = Ridge(alpha, fit_intercept=fit_intercept).fit(X, y)
    theirs = linear_model.Ridge(alpha, fit_intercept=fit_intercept, solver="svd").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10, atol=1e-12)


def test_least_squares_are_those_of_the_error_of_the_exercise():
    model = Ridge(0.0, fit_intercept=False).fit(ROWS, SCORE)
    expected = np.linalg.solve(ROWS.T @ ROWS, ROWS.T @ SCORE)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-10)


def test_with_more_features_than_rows_the_shortest_of_the_weights_that_fit_is_taken():
    model = Ridge(0.0).fit(FEW, FEW_SCORE)
    np.testing.assert_allclose(model.predict(FEW), FEW_SCORE, atol=1e-10)
    other = LinearRegression().fit(FEW, FEW_SCORE)  # minimum norm too
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-10)
    assert model.decisions_.about("rank")[0].choice == "11 of 50 directions"
    assert np.isnan(model.loo_predictions_).all()  # each row decides its own answer


@pytest.mark.parametrize("alpha", [0.0, 2.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_answers_equal_those_of_rows_really_left_out(alpha, fit_intercept):
    model = Ridge(alpha, fit_intercept=fit_intercept).fit(ROWS, SCORE)
    for row in range(40):
        others = np.delete(np.arange(40), row)
        alone = Ridge(alpha, fit_intercept=fit_intercept).fit(ROWS[others], SCORE[others])
        assert model.loo_predictions_[row] == pytest.approx(alone.predict(ROWS[[row]])[0])


def test_the_penalty_of_least_error_is_used():
    model = Ridge().fit(FEW, FEW_SCORE)
    assert model.alpha_ == model.curve_["alpha"][model.curve_["mse"].argmin()]
    gap = Ridge(model.alpha_).fit(FEW, FEW_SCORE).loo_predictions_ - FEW_SCORE
    assert model.curve_["mse"].min() == pytest.approx(np.mean(gap**2))


def test_a_weight_counts_as_that_many_rows_also_when_they_are_left_out():
    weight = RNG.integers(0, 4, size=40)
    weighted = Ridge().fit(ROWS, SCORE, sample_weight=weight)
    repeated = Ridge().fit(np.repeat(ROWS, weight, axis=0), np.repeat(SCORE, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    np.testing.assert_allclose(weighted.curve_["mse"], repeated.curve_["mse"], rtol=1e-9)


def test_several_scores_are_predicted_at_once():
    both = np.column_stack([SCORE, -2 * SCORE])
    model = Ridge(1.0).fit(ROWS, both)
    assert model.coef_.shape == (2, 6)
    single = Ridge(1.0).fit(ROWS, SCORE)
    np.testing.assert_allclose(model.predict(ROWS)[:, 0], single.predict(ROWS), rtol=1e-12)


def test_what_cannot_be_honored_is_an_error():
    with pytest.raises(ParameterError, match="alpha='cv' is not known"):
        Ridge("cv").fit(ROWS, SCORE)
    with pytest.raises(ParameterError, match="alpha=-1"):
        Ridge(-1.0).fit(ROWS, SCORE)
    with pytest.raises(ParameterTypeError, match="which is not a number"):
        Ridge().fit(ROWS, ["a"] * 40)
    with pytest.raises(ShapeError, match="y holds 3 entries"):
        Ridge().fit(ROWS, SCORE[:3])
    with pytest.raises(MissingValueError):
        Ridge().fit(np.full((3, 2), np.nan), [1.0, 2.0, 3.0])


def test_scores_stay_in_their_range_also_while_the_penalty_is_chosen():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 60))
    y = np.clip(50 + 40 * X[:, 0] + 10 * rng.normal(size=40), 0, 100)
    free, kept = Ridge().fit(X, y), Ridge(target_range=(0, 100)).fit(X, y)
    far = 5 * rng.normal(size=(30, 60))
    assert (free.predict(far) > 100).any()
    assert kept.predict(far).min() == 0
    assert kept.predict(far).max() == 100
    same = Ridge(kept.alpha_).fit(X, y)
    np.testing.assert_allclose(kept.predict(far), np.clip(same.predict(far), 0, 100), rtol=1e-12)
    np.testing.assert_allclose(kept.loo_predictions_, np.clip(same.loo_predictions_, 0, 100))
    with pytest.raises(ParameterError, match="outside target_range"):
        Ridge(target_range=(0, 1)).fit(X, y)
    with pytest.raises(ParameterError, match="is empty"):
        Ridge(target_range=(1, 1)).fit(X, y)
