"""DBSCAN: labels of scikit-learn, by neighborhoods held or found again, on any threads."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.cluster
from density_data import DATA_SETS
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import DBSCAN, HDBSCAN, OPTICS, NearestNeighbors


@parametrize_with_checks([DBSCAN()])
def test_the_contract_of_scikit_learn_holds(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", DATA_SETS)
def test_labels_are_those_of_scikit_learn_on_eight_data_sets(name):
    X = DATA_SETS[name]()
    reach = NearestNeighbors(5).fit(X).kneighbors()[0][:, -1]
    for eps in np.quantile(reach, [0.2, 0.6, 0.95]):
        for min_samples in (2, 6):
            ours = DBSCAN(eps, min_samples=min_samples).fit(X)
            peer = sklearn.cluster.DBSCAN(eps, min_samples=min_samples).fit(X)
            np.testing.assert_array_equal(ours.labels_, peer.labels_)
            np.testing.assert_array_equal(ours.core_sample_indices_, peer.core_sample_indices_)


def plain_labels(X, eps, min_samples, weight):
    """Return labels by the definition, one cluster after another."""
    near = np.abs(X[:, None] - X[None]).max(axis=2) <= eps
    core = near @ weight >= min_samples
    labels = np.full(len(X), -1)
    for row in np.flatnonzero(core):
        if labels[row] >= 0:
            continue
        label, reached = labels.max() + 1, [row]
        while reached:
            one = reached.pop()
            if labels[one] < 0:
                labels[one] = label
                reached.extend(np.flatnonzero(near[one] & (labels < 0)) if core[one] else [])
    return labels


@given(st.integers(1, 60), st.integers(1, 5), st.integers(0, 10**6))
def test_labels_follow_the_definition_with_ties_copies_and_negative_weights(n, least, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (n, 2)).astype(float)
    weight = rng.integers(-1, 3, n).astype(float)
    assume(weight.any())
    ours = DBSCAN(1.0, min_samples=least, metric="chebyshev").fit(X, sample_weight=weight)
    np.testing.assert_array_equal(ours.labels_, plain_labels(X, 1.0, least, weight))


def test_neighborhoods_that_do_not_fit_the_memory_give_the_same_labels():
    X = DATA_SETS["uneven"]()
    usual = DBSCAN(0.3, algorithm="exact").fit(X)
    with lookalike.config(memory="100KB"):
        frugal = DBSCAN(0.3, algorithm="exact").fit(X)
    assert "found again" in str(frugal.decisions_)
    assert "found again" not in str(usual.decisions_)
    np.testing.assert_array_equal(frugal.labels_, usual.labels_)


def test_threads_and_algorithms_change_no_label():
    X = DATA_SETS["uneven"]()
    labels = [
        DBSCAN(0.4, algorithm=algorithm, n_jobs=n_jobs).fit_predict(X)
        for algorithm in ("auto", "kd_tree", "exact")
        for n_jobs in (1, 5)
    ]
    for other in labels[1:]:
        np.testing.assert_array_equal(other, labels[0])


def test_columns_of_categories_are_clustered_by_gower():
    import pandas as pd

    X = pd.DataFrame({"size": [0.0, 0.1, 1.0, 0.9], "color": ["red", "red", "blue", "blue"]})
    assert DBSCAN(0.2, min_samples=2, metric="gower").fit_predict(X).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("wrong", [{"eps": 0.0}, {"eps": -1.0}, {"min_samples": 0}])
def test_a_wrong_parameter_is_named(wrong):
    with pytest.raises(lookalike.LookalikeError, match=next(iter(wrong))):
        DBSCAN(**wrong).fit([[0.0], [1.0]])


def test_a_saved_model_has_the_same_labels(tmp_path):
    model = DBSCAN(0.4).fit(DATA_SETS["moons"]())
    lookalike.save(model, tmp_path / "model")
    np.testing.assert_array_equal(lookalike.load(tmp_path / "model").labels_, model.labels_)


@pytest.mark.parametrize("model", [DBSCAN(eps=0.5), HDBSCAN(store_centers="both"), OPTICS()])
def test_rows_that_change_after_fit_change_no_answer(model):
    X = np.random.default_rng(0).normal(size=(60, 2))
    before = clone(model).fit(X.copy())
    model.fit(X)
    X[:] = 7.0
    for name, value in vars(before).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(model, name), value)
