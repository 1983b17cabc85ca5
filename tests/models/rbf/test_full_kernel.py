"""Kernel ridge regression around every row, solved by one decomposition."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import KernelCenterer, StandardScaler

from lookalike import RBFNetworkClassifier, RBFNetworkRegressor

rng = np.random.default_rng(3)
X = rng.uniform(-1, 1, size=(60, 3))
Y = np.sin(4 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=60)
LABELS = np.digitize(Y, [-0.4, 0.4])
FRESH = rng.uniform(-1, 1, size=(20, 3))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("alpha", [0.03, "cv"])
def test_it_is_what_the_normal_equations_of_given_centers_give(bias, alpha):
    options = {"width": 0.7, "penalty": "norm", "bias": bias, "alpha": alpha}
    full = RBFNetworkRegressor(centers="points", **options).fit(X, Y)
    given = RBFNetworkRegressor(centers=X, **options).fit(X, Y)
    assert full.alpha_ == pytest.approx(given.alpha_, rel=1e-6)
    assert full.loo_mse_ == pytest.approx(given.loo_mse_, rel=1e-4)
    np.testing.assert_allclose(full.predict(FRESH), given.predict(FRESH), atol=1e-5)


@pytest.mark.parametrize("output", ["linear", "logistic"])
def test_classes_are_those_of_given_centers(output):
    options = {"width": 0.7, "penalty": "norm", "alpha": 0.1, "output": output}
    full = RBFNetworkClassifier(centers="points", **options).fit(X, LABELS)
    given = RBFNetworkClassifier(centers=X, **options).fit(X, LABELS)
    np.testing.assert_allclose(full.predict_proba(FRESH), given.predict_proba(FRESH), atol=1e-3)


def test_leave_one_out_errors_are_those_of_leaving_out_each_row_but_not_its_basis_function():
    options = {"width": 0.7, "penalty": "norm", "alpha": 0.1}
    shares = RBFNetworkClassifier(centers="points", **options).leave_one_out_proba(X, LABELS)
    for row in range(0, 60, 7):
        others = np.arange(60) != row
        again = RBFNetworkClassifier(centers=X, **options).fit(X[others], LABELS[others])
        np.testing.assert_allclose(shares[row], again.predict_proba(X[[row]])[0], atol=1e-6)


def test_weights_of_one_change_nothing_and_equal_rows_share_a_center():
    options = {"centers": "points", "width": 0.7, "penalty": "norm", "alpha": 0.1}
    full = RBFNetworkRegressor(**options).fit(X, Y)
    weighted = RBFNetworkRegressor(**options).fit(X, Y, np.ones(60))
    np.testing.assert_allclose(full.predict(FRESH), weighted.predict(FRESH), atol=1e-6)
    twice = RBFNetworkRegressor(**options).fit(np.vstack([X, X]), np.concatenate([Y, Y]))
    doubled = RBFNetworkRegressor(**options).fit(X, Y, np.full(60, 2.0))
    assert len(twice.centers_) == 60
    np.testing.assert_allclose(twice.predict(FRESH), doubled.predict(FRESH), atol=1e-6)


@pytest.mark.parametrize("width", [1.7, 36.0])
def test_wide_basis_functions_predict_as_scikit_learns_centered_kernel_does(width):
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    held_out = np.arange(len(y)) % 5 == 0
    alpha = 3.5e-4
    options = {"width": width, "penalty": "norm", "alpha": alpha, "centers": "points"}
    model = RBFNetworkRegressor(**options).fit(X[~held_out], y[~held_out])
    kernel, fresh = (rbf_kernel(A, X[~held_out], 0.5 / width**2) for A in (X[~held_out], X))
    center = KernelCenterer().fit(kernel)
    ridge = KernelRidge(alpha=alpha, kernel="precomputed")
    ridge.fit(center.transform(kernel), y[~held_out] - y[~held_out].mean())
    reference = y[~held_out].mean() + ridge.predict(center.transform(fresh))
    np.testing.assert_allclose(model.predict(X), reference, atol=1e-3 * y.std())
