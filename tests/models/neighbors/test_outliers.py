"""LocalOutlierFactor: scores of scikit-learn, of training rows and of others."""

from __future__ import annotations

import numpy as np
import pytest
from density_data import DATA_SETS
from sklearn.neighbors import LocalOutlierFactor as TheirLOF
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike.neighbors import LocalOutlierFactor

FEW_ROWS = "ignore:n_neighbors .* is greater than the total"


@pytest.mark.filterwarnings(FEW_ROWS)
@parametrize_with_checks([LocalOutlierFactor(), LocalOutlierFactor(novelty=True)])
def test_the_contract_of_scikit_learn_holds(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("options", [{}, {"n_neighbors": 7, "contamination": 0.1}])
def test_scores_are_those_of_scikit_learn_on_eight_data_sets(name, options):
    X = DATA_SETS[name]()
    ours, peer = LocalOutlierFactor(**options), TheirLOF(**options)
    np.testing.assert_array_equal(ours.fit_predict(X), peer.fit_predict(X))
    np.testing.assert_allclose(
        ours.negative_outlier_factor_, peer.negative_outlier_factor_, rtol=1e-6
    )
    ours, peer = (model.set_params(novelty=True).fit(X[::2]) for model in (ours, peer))
    np.testing.assert_allclose(ours.score_samples(X), peer.score_samples(X), rtol=1e-6)
    np.testing.assert_allclose(ours.offset_, peer.offset_, rtol=1e-6)


def test_the_factor_is_that_of_its_definition():
    X = np.random.default_rng(0).normal(size=(60, 2))
    gap = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.fill_diagonal(gap, np.inf)
    near = np.argsort(gap, axis=1)[:, :5]
    reach = np.sort(gap, axis=1)[:, 4]
    density = [1 / np.maximum(gap[i, near[i]], reach[near[i]]).mean() for i in range(60)]
    factor = [np.mean([density[j] for j in near[i]]) / density[i] for i in range(60)]
    model = LocalOutlierFactor(5).fit(X)
    np.testing.assert_allclose(-model.negative_outlier_factor_, factor, rtol=1e-8)


def test_distances_may_be_given():
    X = DATA_SETS["moons"]()
    gap = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    by_rows = LocalOutlierFactor().fit(X)
    by_distance = LocalOutlierFactor(metric="precomputed").fit(gap)
    np.testing.assert_allclose(
        by_distance.negative_outlier_factor_, by_rows.negative_outlier_factor_
    )


def test_threads_and_batches_change_no_bit():
    X = DATA_SETS["blobs"]()
    one, many = (LocalOutlierFactor(novelty=True, n_jobs=n).fit(X[:300]) for n in (1, 6))
    whole = one.score_samples(X)
    np.testing.assert_array_equal(many.score_samples(X), whole)
    parts = [one.score_samples(X[at : at + 7]) for at in range(0, 500, 7)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_what_novelty_rules_out_is_said():
    X = DATA_SETS["moons"]()
    with pytest.raises(AttributeError, match="predict"):
        LocalOutlierFactor().fit(X).predict(X)
    with pytest.raises(AttributeError, match="fit_predict"):
        LocalOutlierFactor(novelty=True).fit_predict(X)
    assert not hasattr(LocalOutlierFactor(), "decision_function")


@pytest.mark.parametrize("share", [0.0, 0.6, "some"])
def test_a_wrong_share_of_outliers_is_an_error(share):
    with pytest.raises((lookalike.LookalikeError, TypeError), match="contamination"):
        LocalOutlierFactor(contamination=share).fit([[0.0], [1.0], [2.0]])


def test_a_saved_model_scores_the_same(tmp_path):
    X = DATA_SETS["moons"]()
    model = LocalOutlierFactor(novelty=True).fit(X)
    lookalike.save(model, tmp_path / "model")
    loaded = lookalike.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.score_samples(X), model.score_samples(X))


@pytest.mark.filterwarnings("error")
def test_a_power_in_metric_params_needs_no_other():
    X = np.random.default_rng(0).normal(size=(50, 3))
    options = {"p": None, "metric_params": {"p": 3}}
    ours = LocalOutlierFactor(**options).fit(X)
    theirs = TheirLOF(**options).fit(X)
    np.testing.assert_allclose(ours.negative_outlier_factor_, theirs.negative_outlier_factor_)
