"""LabelPropagation and LabelSpreading: the classes and shares of scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.semi_supervised as theirs
from density_data import DATA_SETS
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import LabelPropagation, LabelSpreading

MODELS = {"LabelPropagation": LabelPropagation, "LabelSpreading": LabelSpreading}


@parametrize_with_checks([LabelPropagation(kernel="knn"), LabelSpreading(kernel="knn")])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_contract_of_scikit_learn_holds(estimator, check):
    check(estimator)


def some_labels(X, seed=0):
    """Return classes of which nine in ten are not known."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(X)) < 0.1, (X[:, 0] > np.median(X[:, 0])) + 3, -1)


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("kernel", ["knn", "rbf", laplacian_kernel])
@pytest.mark.filterwarnings("ignore")  # some of both do not converge in these rounds
def test_shares_are_those_of_scikit_learn_on_eight_data_sets(name, kind, kernel):
    X = DATA_SETS[name]()
    y = some_labels(X)
    options = {"kernel": kernel, "gamma": 0.5, "max_iter": 40}
    ours = MODELS[kind](**options).fit(X, y)
    peer = getattr(theirs, kind)(**options).fit(X, y)
    np.testing.assert_allclose(ours.label_distributions_, peer.label_distributions_, atol=1e-9)
    np.testing.assert_array_equal(ours.transduction_, peer.transduction_)
    np.testing.assert_array_equal(ours.classes_, peer.classes_)
    assert ours.n_iter_ == peer.n_iter_
    known = peer.predict_proba(X[:90] + 0.01)
    found = ours.predict_proba(X[:90] + 0.01)
    finite = np.isfinite(known).all(axis=1)
    np.testing.assert_allclose(found[finite], known[finite], atol=1e-9)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("kind", MODELS)
def test_a_row_that_nothing_is_near_has_the_shares_of_all_rows(kind):
    model = MODELS[kind]().fit([[0.0], [0.1], [0.2]], [0, 0, 1])
    shares = model.predict_proba([[1e6]])
    total = model.label_distributions_.sum(axis=0)
    np.testing.assert_allclose(shares[0], total / total.sum())


@pytest.mark.parametrize("kind", MODELS)
def test_two_moons_are_told_apart_from_one_row_each(kind):
    X, y = _moons()
    labels = np.full(len(X), -1)
    labels[[np.argmin(X[:, 0]), np.argmax(X[:, 0])]] = [0, 1]
    options = {"alpha": 0.99} if kind == "LabelSpreading" else {}
    model = MODELS[kind](kernel="knn", n_neighbors=10, max_iter=9000, tol=1e-6, **options)
    assert (model.fit(X, labels).transduction_ == y).mean() > 0.95


def _moons():
    from sklearn.datasets import make_moons

    return make_moons(300, noise=0.04, random_state=0)


def test_targets_that_cannot_be_used_are_said():
    with pytest.raises(lookalike.LookalikeError, match="no class at all"):
        LabelSpreading().fit([[0.0], [1.0]], [-1, -1])
    with pytest.raises(lookalike.LookalikeError, match="y has 1 classes"):
        LabelSpreading().fit([[0.0], [1.0]], [0])
    with pytest.raises(lookalike.LookalikeError, match="alpha"):
        LabelSpreading(alpha=1.0).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("kind", MODELS)
def test_a_saved_model_predicts_the_same(kind, tmp_path):
    X = DATA_SETS["moons"]()
    model = MODELS[kind](kernel="knn").fit(X, some_labels(X))
    lookalike.save(model, tmp_path / "model")
    loaded = lookalike.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
