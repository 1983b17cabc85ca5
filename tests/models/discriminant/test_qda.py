"""Quadratic discriminant analysis: the densities, the engines, and classes without a covariance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.covariance import OAS
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as Theirs

from lookalike.discriminant_analysis import QuadraticDiscriminantAnalysis
from lookalike.errors import ParameterError


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=200)
    return rng.normal(size=(200, 3)) * (1.0 + y[:, None]) + 1e3, np.array(["a", "b", "c"])[y]


def test_scores_are_the_logarithms_of_densities_and_priors(classes):
    X, y = classes
    model = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
    density = [
        multivariate_normal(X[y == name].mean(axis=0), np.cov(X[y == name].T, bias=True)).logpdf(X)
        + np.log(np.mean(y == name))
        for name in "abc"
    ]
    scores = np.column_stack(density) + 1.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(model.decision_function(X), scores)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_allclose(model.covariance_[1], np.cov(X[y == "b"].T, bias=True))


@pytest.mark.parametrize(
    "options",
    [
        {"reg_param": 0.3},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "shrinkage": 0.2, "priors": [0.2, 0.3, 0.5]},
        {"solver": "eigen", "covariance_estimator": OAS()},
    ],
)
def test_regularized_scores_equal_those_of_scikit_learn(classes, options):
    X, y = classes
    ours, theirs = QuadraticDiscriminantAnalysis(**options), Theirs(**options)
    expected = theirs.fit(X, y).decision_function(X)
    np.testing.assert_allclose(ours.fit(X, y).decision_function(X), expected, rtol=1e-8)


def test_every_engine_gives_the_same_scores(classes, engine):
    X, y = classes
    alone = QuadraticDiscriminantAnalysis(engine="memory").fit(X, y)
    model = QuadraticDiscriminantAnalysis(engine=engine).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("size", [1e155, 1e200, 1e300])
def test_rows_whose_squares_overflow_have_the_class_of_those_in_their_direction(classes, size):
    X, y = classes
    model = QuadraticDiscriminantAnalysis(priors={"a": 0.5, "b": 0.5, "c": 0.0}).fit(X, y)
    far, usual = (model.predict_proba((X - 1e3) * factor) for factor in (size, 1e100))
    np.testing.assert_array_equal(far, usual)
    assert np.isfinite(model.decision_function(X * size)[:, :2]).all()


def test_a_class_without_a_covariance_is_an_error_that_names_it(classes):
    X, y = classes
    flat = np.where((y == "b")[:, None] & (np.arange(3) == 1), 7.0, X)
    with pytest.raises(np.linalg.LinAlgError, match="class b is not full rank"):
        QuadraticDiscriminantAnalysis().fit(flat, y)
    assert QuadraticDiscriminantAnalysis(reg_param=0.1).fit(flat, y).predict(flat[:1]).shape == (1,)
    with pytest.raises(ParameterError, match="Try solver='eigen'"):
        QuadraticDiscriminantAnalysis(covariance_estimator=OAS()).fit(X, y)
