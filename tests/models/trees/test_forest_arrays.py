"""Forests of scikit-learn as plain arrays: the same answers."""

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from lookalike.models.trees.forest_arrays import forest_of
from lookalike.models.trees.grow_forest import grow_forest

rng = np.random.default_rng(1)
X = np.round(rng.normal(size=(400, 5)), 1).astype(np.float32)
CODE = rng.integers(0, 3, size=400) * (X[:, 0] > 0)
NUMBER = rng.normal(size=(400, 2)) + X[:, :1]
Q = np.round(rng.normal(size=(1000, 5)), 1).astype(np.float32)


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
@pytest.mark.parametrize("bootstrap", [True, False])
def test_classes_have_the_probabilities_of_scikit_learn(kind, bootstrap):
    ensemble = kind(15, bootstrap=bootstrap, min_samples_leaf=2, random_state=0).fit(X, CODE)
    forest = forest_of(ensemble, X, targets=CODE, weight=None, n_outputs=3, threads=2)
    np.testing.assert_allclose(forest.means(Q, 2), ensemble.predict_proba(Q), atol=1e-12)


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_numbers_are_those_of_scikit_learn_with_weights_and_missing_values(kind):
    holes, asked = X.copy(), Q.copy()
    holes[rng.uniform(size=X.shape) < 0.1] = np.nan
    asked[rng.uniform(size=Q.shape) < 0.1] = np.nan
    weight = rng.uniform(size=400)
    ensemble = kind(15, bootstrap=True, random_state=0).fit(holes, NUMBER, sample_weight=weight)
    forest = forest_of(ensemble, holes, targets=NUMBER, weight=weight, n_outputs=2, threads=2)
    np.testing.assert_allclose(forest.means(asked, 2), ensemble.predict(asked), atol=1e-12)


def test_a_forest_grown_here_is_that_of_scikit_learn():
    peer = RandomForestClassifier(7, random_state=3).fit(X, CODE)
    grown = grow_forest(X, CODE, peer, threads=2, values=False)
    own, theirs = (
        forest_of(ensemble, X, targets=CODE, weight=None, n_outputs=3, threads=2)
        for ensemble in (grown, peer)
    )
    for name in ("nodes", "root", "start", "row", "drawn"):
        np.testing.assert_array_equal(getattr(own, name), getattr(theirs, name))
    np.testing.assert_array_equal(own.means(Q, 2), theirs.means(Q, 2))
