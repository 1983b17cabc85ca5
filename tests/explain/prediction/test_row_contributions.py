"""What every training row adds to a prediction sums to it, whichever models are averaged."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import make_pipeline

from lookalike import (
    PCA,
    BoostedNeighborsClassifier,
    BoostedNeighborsRegressor,
    ForestNeighborsClassifier,
    ForestNeighborsRegressor,
    KernelClassifier,
    KernelDensityClassifier,
    KernelRegressor,
    KNeighborsClassifier,
    KNeighborsRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    StandardScaler,
    load,
    save,
)
from lookalike.errors import ParameterTypeError
from lookalike.explain.prediction.row_contributions import calibrated, row_contributions
from lookalike.models.calibration import TemperatureScaling
from lookalike.models.ensemble import WeightedEnsembleClassifier, WeightedEnsembleRegressor

RNG = np.random.default_rng(3)
X = RNG.normal(size=(90, 3))
QUERIES = RNG.normal(size=(4, 3))
NUMBERS = X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * RNG.normal(size=90)
CLASSIFIERS = {
    "knn": KNeighborsClassifier(5),
    "weighted knn": KNeighborsClassifier(7, weights="distance"),
    "pca and knn": make_pipeline(StandardScaler(), PCA(2), KNeighborsClassifier(4)),
    "kernel": KernelClassifier(0.8),
    "kernel density": KernelDensityClassifier(0.8),
    "forest": ForestNeighborsClassifier(10, random_state=0),
    "extra trees": ForestNeighborsClassifier(
        10, splitter="random", bootstrap=False, random_state=0
    ),
    "boosting": BoostedNeighborsClassifier(20, random_state=0),
    "kernel ridge": RBFNetworkClassifier(centers="points", penalty="norm", width=1.0),
    "kernel ridge of some": RBFNetworkClassifier(
        30, centers="sample", penalty="norm", width=1.0, random_state=0
    ),
    "logistic": LogisticRegression(),
}
REGRESSORS = {
    "knn": KNeighborsRegressor(5),
    "weighted knn": KNeighborsRegressor(7, weights="distance"),
    "pca and knn": make_pipeline(StandardScaler(), PCA(2), KNeighborsRegressor(4)),
    "kernel": KernelRegressor(0.5),
    "forest": ForestNeighborsRegressor(10, random_state=0),
    "boosting": BoostedNeighborsRegressor(20, random_state=0),
    "kernel ridge": RBFNetworkRegressor(centers="points", penalty="norm", width=1.0),
    "ridge": RidgeCV([0.1, 1.0, 10.0]),
}
CONSTANT_OF = {"kernel density", "logistic"}  # a background, an intercept


def classes_of(n_classes):
    return np.array(["a", "b", "c"])[np.digitize(NUMBERS, [-0.5, 0.8])[: len(X)] % n_classes]


def ensemble(members, y, kind):
    weights = np.arange(1.0, len(members) + 1)
    return kind(list(members.items()), weights=weights).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_parts_of_rows_sum_to_the_probabilities_of_every_kind_of_member(name, n_classes):
    y = classes_of(n_classes)
    model = ensemble({name: CLASSIFIERS[name]}, y, WeightedEnsembleClassifier)
    for query in QUERIES[:, None]:
        parts = row_contributions(model, query)
        np.testing.assert_allclose(parts.prediction, model.predict_proba(query)[0], atol=1e-12)
        limit = 1.0 if name in CONSTANT_OF else 1e-9
        assert np.abs(parts.constant).max() <= limit, "no row adds this much"


@pytest.mark.parametrize("name", REGRESSORS)
def test_the_parts_of_rows_sum_to_the_number_of_every_kind_of_member(name):
    model = ensemble({name: REGRESSORS[name]}, NUMBERS, WeightedEnsembleRegressor)
    for query in QUERIES[:, None]:
        parts = row_contributions(model, query)
        np.testing.assert_allclose(parts.prediction, model.predict(query), atol=1e-9)
        assert abs(parts.constant[0]) < 1e-9


def test_of_all_members_together_too_also_from_a_file(tmp_path):
    y = classes_of(3)
    model = ensemble(CLASSIFIERS, y, WeightedEnsembleClassifier)
    save(model, tmp_path / "model.lookalike")
    loaded = load(tmp_path / "model.lookalike")
    np.testing.assert_array_equal(loaded.predict_proba(QUERIES), model.predict_proba(QUERIES))
    for query in QUERIES[:, None]:
        parts, again = row_contributions(model, query), row_contributions(loaded, query)
        np.testing.assert_allclose(parts.prediction, model.predict_proba(query)[0], atol=1e-9)
        np.testing.assert_array_equal(parts.added, again.added)


def test_of_calibrated_probabilities_too():
    y = classes_of(3)
    members = {name: CLASSIFIERS[name] for name in ("knn", "boosting")}
    model = ensemble(members, y, WeightedEnsembleClassifier)
    calibration = TemperatureScaling(1.7, 0.05, np.array([0.2, 0.3, 0.5]))
    for query in QUERIES[:, None]:
        parts = calibrated(row_contributions(model, query), calibration)
        expected = calibration(model.predict_proba(query))[0]
        np.testing.assert_allclose(parts.prediction, expected, atol=1e-9)


def test_a_row_of_a_voting_member_adds_its_weight_to_its_own_class():
    y = classes_of(2)
    model = ensemble({"knn": KNeighborsClassifier(4)}, y, WeightedEnsembleClassifier)
    near = model.members_[0][1].kneighbors(QUERIES[:1], 4)[1][0]
    added = row_contributions(model, QUERIES[:1]).added
    assert set(np.flatnonzero(added.sum(axis=1))) == set(near.tolist())
    np.testing.assert_allclose(added[near, np.searchsorted(model.classes_, y[near])], 0.25)


def test_without_a_row_a_ridge_model_loses_what_the_row_pulls_it_by():
    """The parts are those of the representer theorem: rows of no residual add their share alone."""
    line = 2 * X[:, 0] + 1
    model = ensemble({"ridge": RidgeCV([1e-6])}, line, WeightedEnsembleRegressor)
    added = row_contributions(model, QUERIES[:1]).added[:, 0]
    assert added.sum() == pytest.approx(2 * QUERIES[0, 0] + 1, abs=1e-6)


def test_another_model_is_refused_with_advice():
    with pytest.raises(ParameterTypeError, match="not a weighted ensemble"):
        row_contributions(KNeighborsClassifier().fit(X, classes_of(2)), QUERIES[:1])
