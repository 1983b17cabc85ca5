"""Trees are those of scikit-learn's forests, node for node."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from lookalike.models.trees.grow_forest import grow_forest

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 6)).astype(np.float32)
KINDS = {
    ("best", True): RandomForestClassifier,
    ("random", True): ExtraTreesClassifier,
    ("best", False): RandomForestRegressor,
    ("random", False): ExtraTreesRegressor,
}


@pytest.mark.parametrize(("bootstrap", "drawn"), [(True, None), (True, 50), (False, None)])
@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("classify", [True, False])
@pytest.mark.parametrize("small", [0, 10**6], ids=["in threads", "in one"])
def test_the_trees_are_those_of_scikit_learn(
    splitter, classify, bootstrap, drawn, small, monkeypatch
):
    y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1) if classify else X[:, 0] * X[:, 1]
    options = {"max_features": 0.5, "min_samples_leaf": 2, "max_depth": 6}
    options |= {"bootstrap": bootstrap, "max_samples": drawn}
    peer = KINDS[splitter, classify](7, random_state=5, **options).fit(X, y)
    forest = KINDS[splitter, classify](7, random_state=5, **options)
    monkeypatch.setattr("lookalike.models.trees.grow_forest.MIN_CELLS_FOR_THREADS", small)
    grown = grow_forest(X, y, forest, threads=2)
    for tree, own in zip(peer.estimators_, grown.estimators_, strict=True):
        for name in ("feature", "threshold", "children_left", "children_right", "value"):
            np.testing.assert_array_equal(getattr(own.tree_, name), getattr(tree.tree_, name))
    for drawn, own in zip(peer.estimators_samples_, grown.estimators_samples_, strict=True):
        np.testing.assert_array_equal(own, drawn)


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize(("splitter", "classify"), KINDS)
def test_an_unknown_version_of_scikit_learn_grows_the_same_trees_by_its_public_api(
    splitter, classify, bootstrap, monkeypatch
):
    y = (X[:, 0] > 0).astype(int) if classify else X[:, 0] * X[:, 1]
    forest = KINDS[splitter, classify](
        3, random_state=0, bootstrap=bootstrap, max_features="sqrt", min_samples_leaf=2
    )
    known = grow_forest(X, y, forest, threads=1)
    monkeypatch.setattr("sklearn.__version__", "2.0.dev0")
    grown = grow_forest(X, y, forest, threads=1)
    for tree, public in zip(known.estimators_, grown.estimators_, strict=True):
        for name in ("feature", "threshold", "children_left", "children_right", "value"):
            np.testing.assert_array_equal(getattr(public.tree_, name), getattr(tree.tree_, name))
