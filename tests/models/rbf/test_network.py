"""Networks of bumps: the formulas of the source, closed forms against refits, and hard rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_moons
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import KernelRegressor, RBFNetworkClassifier, RBFNetworkRegressor
from lookalike.errors import (
    MemoryBudgetError,
    MissingValueError,
    ParameterError,
    RepeatError,
    ShapeError,
)
from lookalike.kernels.rbf_features import RadialFeatures

rng = np.random.default_rng(0)
X = rng.uniform(size=(80, 2))
Y = np.sin(5 * X[:, 0]) + X[:, 1] ** 2 + 0.05 * rng.normal(size=80)
CENTERS = rng.uniform(size=(7, 2))


@parametrize_with_checks(
    [
        RBFNetworkRegressor(),
        RBFNetworkRegressor(20, width="cv", normalized=True),
        RBFNetworkClassifier(),
        RBFNetworkClassifier(4, output="logistic"),
    ]
)
def test_it_is_an_estimator_as_scikit_learn_wants_them(estimator, check):
    check(estimator)


def bumps(rows, centers, width):
    gap = rows[:, None, :] - centers
    return np.exp(-0.5 * (gap**2).sum(axis=2) / width**2)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("centers", [CENTERS, X], ids=["some", "all points"])
def test_the_weights_are_those_of_ridge_regression_on_the_bumps(bias, centers):
    model = RBFNetworkRegressor(centers=centers, width=0.4, alpha=0.1, bias=bias).fit(X, Y)
    theirs = Ridge(0.1, fit_intercept=bias).fit(bumps(X, centers, 0.4), Y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(model.intercept_, theirs.intercept_, rtol=1e-7, atol=1e-9)
    expected = theirs.predict(bumps(X + 0.1, centers, 0.4))
    np.testing.assert_allclose(model.predict(X + 0.1), expected, rtol=1e-7)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n_rows", [10, 80])
def test_leave_one_out_is_that_of_leaving_out_each_row(bias, n_rows):
    rows, y = X[:n_rows], Y[:n_rows]
    model = RBFNetworkRegressor(centers=CENTERS, width=0.4, bias=bias).fit(rows, y)
    Z = bumps(rows, CENTERS, 0.4)
    for alpha, mse in list(zip(*model.curve_.values(), strict=True))[8::6]:
        errors = []
        for left in range(n_rows):
            rest = np.arange(n_rows) != left
            ridge = Ridge(alpha, fit_intercept=bias, solver="svd").fit(Z[rest], y[rest])
            errors.append((ridge.predict(Z[[left]])[0] - y[left]) ** 2)
        assert mse == pytest.approx(np.mean(errors), rel=1e-4)
    assert model.alpha_ == model.curve_["alpha"][model.curve_["mse"].argmin()]
    assert model.loo_mse_ == model.curve_["mse"].min()


def test_a_bump_on_every_point_passes_through_the_data_and_goes_to_zero():
    x, y = np.linspace(0, 1, 12)[:, None], rng.normal(size=12)
    model = RBFNetworkRegressor(centers="points", width=0.08, alpha=0.0, bias=False).fit(x, y)
    np.testing.assert_allclose(model.predict(x), y, rtol=1e-8)
    np.testing.assert_array_equal(model.predict([[1e3], [-1e200]]), [0.0, 0.0])
    smooth = KernelRegressor(0.08).fit(x, y)
    np.testing.assert_allclose(smooth.predict([[1e3]]), y[-1])  # the other kind is step-like


def test_width_follows_the_spacing_of_the_centers():
    grid = (np.arange(10)[:, None] + 0.5) / 10
    model = RBFNetworkRegressor(centers=grid).fit(grid, np.arange(10.0))
    assert model.width_ == pytest.approx(1 / 10)
    assert "distance of neighboring centers" in str(model.decisions_)


def test_number_width_and_penalty_are_chosen_by_leave_one_out():
    model = RBFNetworkRegressor("cv", width="cv", random_state=0).fit(X, Y)
    assert len(model.choice_["mse"]) == 35
    assert model.loo_mse_ == model.choice_["mse"].min()
    assert len(model.centers_) in model.choice_["n_centers"]
    assert {"n_centers", "width", "alpha"} <= {said.about for said in model.decisions_}
    plain = RBFNetworkRegressor(2, random_state=0).fit(X, Y)
    assert model.loo_mse_ < plain.loo_mse_


def test_weights_that_are_not_determined_are_said_to_be():
    wide = RBFNetworkRegressor(centers=X, width=50.0, alpha=0.0).fit(X, Y)
    assert wide.decisions_.about("directions")
    assert "ill determined" in str(wide.decisions_)
    assert np.isfinite(wide.coef_).all()
    assert np.abs(wide.predict(X) - Y).max() < 3
    good = RBFNetworkRegressor(centers=CENTERS, width=0.2, alpha=0.1).fit(X, Y)
    assert good.condition_ < 1e3
    assert "well determined" in str(good.decisions_)


def test_doubled_centers_are_dropped_and_width_zero_is_an_error():
    doubled = np.vstack([CENTERS, CENTERS[:3]])
    model = RBFNetworkRegressor(centers=doubled, width=0.4, alpha=0.1).fit(X, Y)
    assert len(model.centers_) == len(CENTERS)
    assert model.decisions_.about("centers")[0].choice == "3 dropped"
    with pytest.raises(ParameterError, match=r"width=0.0 is out of range"):
        RBFNetworkRegressor(width=0.0).fit(X, Y)
    flat = RBFNetworkRegressor(3).fit(np.ones((9, 2)), np.arange(9.0))
    np.testing.assert_allclose(flat.predict(np.ones((1, 2))), 4.0)


@pytest.mark.parametrize("far", [1e3, 1e9, 1e200, 1e308])
def test_normalized_bumps_fall_back_to_the_nearest_center(far):
    model = RBFNetworkRegressor(centers=CENTERS, width=0.1, normalized=True, bias=False).fit(X, Y)
    row = np.array([[far, 0.0]])
    nearest = CENTERS[:, 0].argmax()
    if far < 1e15:
        nearest = np.argmin(((row - CENTERS) ** 2).sum(axis=1))
        assert model.predict(row)[0] == pytest.approx(model.coef_[nearest])
    assert np.isfinite(model.predict(row)).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 999), st.floats(0.01, 10.0), st.integers(1, 6))
def test_normalized_bumps_sum_to_one(seed, width, k):
    draw = np.random.default_rng(seed)
    rows = draw.normal(size=(5, 2)) * 10.0 ** draw.integers(-3, 9)
    found = RadialFeatures(draw.normal(size=(k, 2)), width, normalized=True)(rows)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (found >= 0).all()


def test_bumps_are_the_kernel_of_scikit_learn():
    found = RadialFeatures(CENTERS, 0.3)(X)
    np.testing.assert_allclose(found, rbf_kernel(X, CENTERS, gamma=0.5 / 0.09), rtol=1e-10)


@pytest.mark.parametrize("n_centers", [5, 60])
def test_weights_count_rows(n_centers):
    weight = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    rows = np.repeat(np.arange(len(X)), weight.astype(int))
    centers = np.random.default_rng(2).uniform(size=(n_centers, 2))
    weighted = RBFNetworkRegressor(centers=centers, width=0.2).fit(X, Y, sample_weight=weight)
    plain = RBFNetworkRegressor(centers=centers, width=0.2).fit(X[rows], Y[rows])
    np.testing.assert_allclose(weighted.loo_mse_, plain.loo_mse_, rtol=1e-6)
    np.testing.assert_allclose(weighted.predict(X), plain.predict(X), rtol=1e-5, atol=1e-7)


def test_every_engine_gives_the_same_answer(engine):
    labels = (Y.mean() < Y).astype(int)
    for centers in ("kmeans", "kcenter"):
        here = RBFNetworkRegressor(6, centers=centers, random_state=0).fit(X, Y)
        there = RBFNetworkRegressor(6, centers=centers, random_state=0, engine=engine).fit(X, Y)
        np.testing.assert_array_equal(here.predict(X), there.predict(X))
    here = RBFNetworkClassifier(6, output="logistic", random_state=0).fit(X, labels)
    there = RBFNetworkClassifier(6, output="logistic", random_state=0, engine=engine)
    np.testing.assert_array_equal(here.coef_, there.fit(X, labels).coef_)


def test_several_targets_are_fitted_at_once():
    both = np.column_stack([Y, -2 * Y])
    model = RBFNetworkRegressor(centers=CENTERS, width=0.4).fit(X, both)
    np.testing.assert_allclose(model.predict(X)[:, 1], -2 * model.predict(X)[:, 0], rtol=1e-9)


def test_streams_bring_their_targets():
    parts = [(X[:30], Y[:30]), (X[30:], Y[30:])]
    model = RBFNetworkRegressor(6, random_state=0).fit(lambda: iter(parts))
    whole = RBFNetworkRegressor(6, random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), whole.predict(X), rtol=1e-6)
    with pytest.raises(RepeatError, match="several times"):
        RBFNetworkRegressor().fit(iter(parts))


def test_a_linear_output_is_least_squares_of_zeros_and_ones():
    rows, y = load_iris(return_X_y=True)
    centers = rows[::15]
    model = RBFNetworkClassifier(centers=centers, width=1.0, alpha=0.01).fit(rows, y)
    theirs = Ridge(0.01).fit(bumps(rows, centers, 1.0), np.eye(3)[y])
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-6, atol=1e-7)
    share = model.predict_proba(rows)
    np.testing.assert_allclose(share.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(rows), share.argmax(axis=1))


def test_a_logistic_output_is_that_of_scikit_learn():
    rows, y = load_iris(return_X_y=True)
    centers = rows[::15]
    model = RBFNetworkClassifier(centers=centers, width=1.0, alpha=0.1, output="logistic")
    theirs = LogisticRegression(C=10.0, tol=1e-10, max_iter=10_000).fit(
        bumps(rows, centers, 1.0), y
    )
    expected = theirs.predict_proba(bumps(rows, centers, 1.0))
    np.testing.assert_allclose(model.fit(rows, y).predict_proba(rows), expected, atol=2e-4)


def test_a_given_alpha_is_the_penalty_of_both_outputs_and_a_chosen_one_is_told():
    rows, y = load_iris(return_X_y=True)
    for output in ("linear", "logistic"):
        model = RBFNetworkClassifier(10, alpha=0.3, output=output, random_state=0).fit(rows, y)
        assert model.alpha_ == 0.3
    linear = RBFNetworkClassifier(10, random_state=0).fit(rows, y)
    logistic = RBFNetworkClassifier(10, output="logistic", random_state=0).fit(rows, y)
    assert logistic.alpha_ == linear.alpha_ / 4


def test_a_few_bumps_tell_the_moons_apart():
    rows, y = make_moons(300, noise=0.1, random_state=0)
    for output in ("linear", "logistic"):
        model = RBFNetworkClassifier(20, width="cv", output=output, random_state=0).fit(rows, y)
        assert model.score(rows, y) > 0.98


def test_what_cannot_be_honored_is_an_error():
    with pytest.raises(ParameterError, match="centers='grid'"):
        RBFNetworkRegressor(centers="grid").fit(X, Y)
    with pytest.raises(ShapeError, match="rows have 2 columns"):
        RBFNetworkRegressor(centers=np.ones((3, 5))).fit(X, Y)
    with pytest.raises(ParameterError, match="centers is nan at row 0"):
        RBFNetworkRegressor(centers=[[np.nan, 0.0]]).fit(X, Y)
    with pytest.raises(ParameterError, match="alpha=-1"):
        RBFNetworkRegressor(alpha=-1).fit(X, Y)
    with pytest.raises(ParameterError, match="output='probit'"):
        RBFNetworkClassifier(output="probit").fit(X, Y > 0)
    with pytest.raises(ShapeError, match="requires y"):
        RBFNetworkRegressor().fit(X)
    with pytest.raises(ShapeError, match="1 class"):
        RBFNetworkClassifier().fit(X, np.zeros(80))
    with pytest.raises(MissingValueError):
        RBFNetworkRegressor().fit(np.full((3, 1), np.nan), np.zeros(3))
    with lookalike.config(memory="1MB"), pytest.raises(MemoryBudgetError, match="2000 centers"):
        RBFNetworkRegressor(centers="points").fit(np.random.rand(2000, 1), np.zeros(2000))  # noqa: NPY002


def test_the_norm_penalty_around_all_rows_is_kernel_ridge_regression():
    options = {"width": 0.3, "alpha": 0.1, "bias": False}
    ours = RBFNetworkRegressor(centers="points", penalty="norm", **options).fit(X, Y)
    theirs = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5 / 0.3**2).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-7)


def test_the_norm_penalty_of_few_centers_is_the_nystroem_approximation():
    model = RBFNetworkRegressor(
        centers=CENTERS, penalty="norm", width=0.5, alpha=0.2, bias=False
    ).fit(X, Y)
    between = rbf_kernel(X, CENTERS, gamma=0.5 / 0.5**2)
    own = rbf_kernel(CENTERS, gamma=0.5 / 0.5**2)
    expected = np.linalg.solve(between.T @ between + 0.2 * own, between.T @ Y)
    np.testing.assert_allclose(model.predict(X), between @ expected, atol=1e-6)


def test_random_rows_are_centers_and_the_seed_chooses_them():
    fits = [RBFNetworkRegressor(9, centers="sample", random_state=s).fit(X, Y) for s in (0, 0, 1)]
    assert {tuple(row) for row in fits[0].centers_} <= {tuple(row) for row in X}
    np.testing.assert_array_equal(fits[0].centers_, fits[1].centers_)
    assert not np.array_equal(fits[0].centers_, fits[2].centers_)


@pytest.mark.parametrize("penalty", ["weights", "norm"])
def test_leave_one_out_probabilities_and_errors_are_those_of_leaving_out_each_row(penalty):
    rows, labels = X[:30], np.where(Y[:30] > np.median(Y[:30]), "high", "low")
    options = {"centers": CENTERS, "width": 0.4, "alpha": 0.01, "penalty": penalty}
    model = RBFNetworkClassifier(**options)
    shares = model.leave_one_out_proba(rows, labels)
    for row in range(30):
        others = np.arange(30) != row
        again = RBFNetworkClassifier(**options).fit(rows[others], labels[others])
        np.testing.assert_allclose(shares[row], again.predict_proba(rows[[row]])[0], atol=1e-7)
    wrong = model.classes_[shares.argmax(axis=1)] != labels
    assert model._loo_loss[0] == pytest.approx(wrong.mean())


def test_the_norm_penalty_is_that_of_gaussians_as_they_are():
    with pytest.raises(ParameterError, match="normalized"):
        RBFNetworkRegressor(3, penalty="norm", normalized=True).fit(X, Y)
    with pytest.raises(ParameterError, match="logistic"):
        RBFNetworkClassifier(3, output="logistic").leave_one_out_proba(X, Y > 0)


def test_outputs_are_made_in_blocks_of_rows_to_the_same_bits(monkeypatch):
    labels = np.where(np.median(Y) < Y, "high", "low")
    model = RBFNetworkClassifier(centers=CENTERS, width=0.4, alpha=0.01)
    left_out = model.leave_one_out_proba(X, labels)
    whole, sizes = model.decision_function(X), []
    for name in ("each", "__call__"):
        plain = getattr(RadialFeatures, name)

        def counted(self, rows, plain=plain):
            sizes.append(len(rows))
            return plain(self, rows)

        monkeypatch.setattr(RadialFeatures, name, counted)
    monkeypatch.setattr("lookalike.kernels.gram.GRAM_BLOCK_VALUES", 70)
    monkeypatch.setattr("lookalike.kernels.gram.MIN_GRAM_BLOCK_ROWS", 1)
    np.testing.assert_array_equal(model.decision_function(X), whole)
    assert max(sizes) == 10
    np.testing.assert_allclose(model.leave_one_out_proba(X, labels), left_out, atol=1e-12)
