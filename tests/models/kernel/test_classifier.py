"""The non-parametric RBF classifier: the equation, the sign and sigmoid of the source, labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from lookalike import (
    KernelClassifier,
    KernelDensityClassifier,
    KernelRegressor,
    KNeighborsClassifier,
    load,
    save,
)
from lookalike.errors import ParameterError
from lookalike.explain import explain_prediction

RNG = np.random.default_rng(9)
ROWS = RNG.normal(size=(80, 2))
LABELS = np.where(ROWS[:, 0] + RNG.normal(size=80) / 2 > 0, "up", "down")
QUERIES = RNG.normal(size=(30, 2)) * 2
KERNELS = {
    "gaussian": lambda z: np.exp(-(z**2) / 2),
    "window": lambda z: (z <= 1).astype(float),
    "epanechnikov": lambda z: np.maximum(0, 1 - z**2),
}


def shares_of_the_book(X, y, queries, r, kernel):
    """The weighted share of every class; where no kernel reaches, that of the nearest row."""
    gaps = np.sqrt(((queries[:, None] - X) ** 2).sum(axis=2))
    alpha = KERNELS[kernel](gaps / r)
    lost = alpha.sum(axis=1) == 0
    alpha[lost] = gaps[lost] == gaps[lost].min(axis=1, keepdims=True)
    shares = np.stack([alpha[:, y == label].sum(axis=1) for label in np.unique(y)], axis=1)
    return shares / alpha.sum(axis=1, keepdims=True)


@pytest.mark.filterwarnings("ignore:All labels")
def test_scikit_learns_checks_pass():
    results = check_estimator(KernelClassifier(1.0), on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("r", [0.3, 1.0])
def test_shares_are_those_of_the_equation(kernel, r):
    labels = RNG.choice(["a", "b", "c"], size=80)
    model = KernelClassifier(r, kernel=kernel).fit(ROWS, labels)
    expected = shares_of_the_book(ROWS, labels, QUERIES, r, kernel)
    np.testing.assert_allclose(model.predict_proba(QUERIES), expected, rtol=1e-9, atol=1e-14)
    clear = np.sort(expected, axis=1)[:, -1] > np.sort(expected, axis=1)[:, -2] + 1e-6
    best = np.array(["a", "b", "c"])[expected.argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(QUERIES)[clear], best[clear])


def test_two_classes_are_the_sign_and_the_sigmoid_of_the_smoother():
    sides = np.where(LABELS == "up", 1.0, -1.0)
    g = KernelRegressor(0.5).fit(ROWS, sides).predict(QUERIES)
    model = KernelClassifier(0.5, probability="sigmoid").fit(ROWS, LABELS)
    np.testing.assert_array_equal(model.predict(QUERIES), np.where(g >= 0, "up", "down"))
    np.testing.assert_allclose(model.predict_proba(QUERIES)[:, 1], 1 / (1 + np.exp(-g)), rtol=1e-9)


def test_leave_one_out_scores_equal_those_of_rows_really_left_out():
    X, y = ROWS[:30], LABELS[:30]
    model = KernelClassifier(kernel="epanechnikov").fit(X, y)
    assert model.bandwidth_ == model.curve_["bandwidth"][model.curve_["brier"].argmin()]
    for place in (3, 20):
        r, wrong, brier = model.curve_["bandwidth"][place], 0, 0.0
        for n in range(30):
            rest = np.arange(30) != n
            share = shares_of_the_book(X[rest], y[rest], X[[n]], r, "epanechnikov")[0]
            truth = np.array([y[n] == "down", y[n] == "up"])
            wrong += share.argmax() != truth.argmax()
            brier += ((share - truth) ** 2).sum()
        assert model.curve_["error"][place] == pytest.approx(wrong / 30)
        assert model.curve_["brier"][place] == pytest.approx(brier / 30, rel=1e-9)


def test_level_shares_are_decided_by_the_nearest_neighbor():
    X, y = np.array([[0.0], [1.0], [1.0], [3.0]]), np.array(["b", "a", "b", "a"])
    model = KernelClassifier(5.0, kernel="window").fit(X, y)
    assert model.predict([[0.1]]) == KNeighborsClassifier(1).fit(X, y).predict([[0.1]]) == "b"


def test_the_model_is_stored_and_explained(tmp_path):
    model = KernelClassifier(0.5).fit(ROWS, LABELS)
    save(model, tmp_path / "m.look")
    again = load(tmp_path / "m.look")
    np.testing.assert_array_equal(again.predict_proba(QUERIES), model.predict_proba(QUERIES))
    evidence = explain_prediction(model, QUERIES[0])
    np.testing.assert_allclose(evidence.votes, model.predict_proba(QUERIES[:1])[0], rtol=1e-9)


def test_what_cannot_be_honored_is_an_error():
    with pytest.raises(ParameterError, match="probability='odds' is not known"):
        KernelClassifier(probability="odds").fit(ROWS, LABELS)
    with pytest.raises(ParameterError, match="algorithm='lsh' may miss rows"):
        KernelClassifier(1.0, algorithm="lsh").fit(ROWS, LABELS)


@pytest.mark.parametrize("algorithm", ["auto", "kd_tree"])
def test_rows_beyond_float64_count_alike(algorithm):
    X = np.random.default_rng(0).standard_normal((300, 3))
    for model in (KernelClassifier(algorithm=algorithm), KernelDensityClassifier()):
        shares = model.fit(X, X[:, 0] > 0).predict_proba([[0.0, 1.7e308, 1.7e308]])
        np.testing.assert_allclose(shares, [[(X[:, 0] <= 0).mean(), (X[:, 0] > 0).mean()]])
