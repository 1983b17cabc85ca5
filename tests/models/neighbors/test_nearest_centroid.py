"""The nearest centroid: scikit-learn's results, at any offset and magnitude."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors
from sklearn.utils.estimator_checks import parametrize_with_checks

from lookalike import LookalikeError, load, save
from lookalike.neighbors import NearestCentroid

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(90, 4)) + np.repeat(np.eye(3, 4) * 2, 30, axis=0)
LABELS = np.repeat(["a", "b", "c"], 30)
QUERIES = RNG.normal(size=(40, 4))


@parametrize_with_checks([NearestCentroid(), NearestCentroid("manhattan")])
def test_scikit_learn_accepts_the_model(estimator, check):
    check(estimator)


@pytest.mark.parametrize("shrink_threshold", [None, 0.3, 5.0])
@pytest.mark.parametrize("priors", ["uniform", "empirical", [0.2, 0.3, 0.5]])
def test_results_are_those_of_scikit_learn(shrink_threshold, priors):
    options = {"shrink_threshold": shrink_threshold, "priors": priors}
    X, y = ROWS[:80], LABELS[:80]
    ours = NearestCentroid(**options).fit(X, y)
    theirs = sklearn.neighbors.NearestCentroid(**options).fit(X, y)
    for name in ("centroids_", "deviations_", "within_class_std_dev_", "class_prior_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12)
    np.testing.assert_array_equal(ours.predict(QUERIES), theirs.predict(QUERIES))
    for method in ("decision_function", "predict_proba", "predict_log_proba"):
        expected = getattr(theirs, method)(QUERIES)
        np.testing.assert_allclose(getattr(ours, method)(QUERIES), expected, rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_sparse_rows_have_the_centroids_of_dense_ones(metric):
    X = np.where(ROWS > 0.5, ROWS, 0.0)
    dense = NearestCentroid(metric).fit(X, LABELS)
    sparse = NearestCentroid(metric).fit(sp.csr_array(X), LABELS)
    for name in ("centroids_", "deviations_", "within_class_std_dev_"):
        np.testing.assert_allclose(getattr(sparse, name), getattr(dense, name), rtol=1e-12)
    np.testing.assert_array_equal(sparse.predict(sp.csr_array(QUERIES)), dense.predict(QUERIES))


def test_an_offset_or_a_scale_changes_no_prediction():
    expected = NearestCentroid(priors=[0.2, 0.3, 0.5]).fit(ROWS, LABELS).predict(QUERIES)
    for scale, offset in ((1.0, 1e6), (2.0**600, 0.0), (2.0**-600, 0.0)):
        model = NearestCentroid(priors=[0.2, 0.3, 0.5]).fit(ROWS * scale + offset, LABELS)
        np.testing.assert_array_equal(model.predict(QUERIES * scale + offset), expected)


def test_equal_distances_go_to_the_first_class():
    assert NearestCentroid().fit([[0.0], [1], [3], [4]], [1, 1, 0, 0]).predict([[2.0]]) == [0]


def test_a_saved_model_predicts_the_same(tmp_path):
    model = NearestCentroid().fit(ROWS, LABELS)
    save(model, tmp_path / "centroid.model")
    again = load(tmp_path / "centroid.model")
    np.testing.assert_array_equal(again.predict_proba(QUERIES), model.predict_proba(QUERIES))


@pytest.mark.parametrize(
    ("X", "y", "options", "what"),
    [
        (ROWS, LABELS == "d", {}, "1 class"),
        (np.ones((4, 2)), [0, 0, 1, 1], {}, "All features have zero variance"),
        (ROWS[[0, 40]], [0, 1], {}, "more rows than classes"),
        (ROWS, LABELS, {"priors": [-1, 1, 1]}, "priors must be non-negative"),
        (ROWS, LABELS, {"metric": "cosine"}, "metric='cosine'"),
        (sp.csr_array(ROWS), LABELS, {"shrink_threshold": 0.1}, "X is sparse"),
    ],
)
def test_errors_say_what_was_asked(X, y, options, what):
    with pytest.raises(LookalikeError, match=what):
        NearestCentroid(**options).fit(X, y)
