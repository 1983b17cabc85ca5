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

from lookalike.models.trees.forest_arrays import grown_tree
from lookalike.models.trees.grow_forest import features_tried, grow_forest

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 6)).astype(np.float32)
TIED = rng.integers(0, 4, size=(300, 5)).astype(np.float32)  # equal values, and a constant column
TIED[:, 3] = 1.0
KINDS = {
    ("best", True): RandomForestClassifier,
    ("random", True): ExtraTreesClassifier,
    ("best", False): RandomForestRegressor,
    ("random", False): ExtraTreesRegressor,
}


def assert_same_trees(grown, peer):
    for own, estimator in zip(grown.trees, peer.estimators_, strict=True):
        for ours, theirs in zip(own, grown_tree(estimator.tree_), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    if grown.drawn is not None:
        for drawn, theirs in zip(grown.drawn, peer.estimators_samples_, strict=True):
            np.testing.assert_array_equal(drawn, theirs)


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
    assert_same_trees(grow_forest(X, y, forest, threads=2), peer)


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize(("splitter", "classify"), KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_equal_values_and_constant_columns_change_no_tree(splitter, classify, bootstrap, seed):
    noise = np.random.default_rng(seed).normal(size=300)
    y = (TIED[:, 0] + noise > 1).astype(int) if classify else TIED[:, 0] * TIED[:, 1] + noise
    kind, options = KINDS[splitter, classify], {"bootstrap": bootstrap, "random_state": seed}
    options["max_features"] = "sqrt"
    peer = kind(5, **options).fit(TIED, y)
    assert_same_trees(grow_forest(TIED, y, kind(5, **options), threads=1), peer)


@pytest.mark.parametrize("values", ["rising", "falling", "organ pipe", "few", "far apart"])
def test_values_in_any_order_are_sorted_as_scikit_learn_sorts_them(values):
    n = np.arange(2000)
    column = {
        "rising": n,
        "falling": -n,
        "organ pipe": np.minimum(n, 2000 - n),
        "few": n % 7,
        "far apart": 10.0 ** (n % 60 - 30),
    }[values]
    rows = np.column_stack([column, rng.permutation(column)]).astype(np.float32)
    y = np.sin(n) + (n % 3)
    peer = RandomForestRegressor(2, random_state=0, min_samples_leaf=5).fit(rows, y)
    assert_same_trees(grow_forest(rows, y, peer, threads=1), peer)


def test_several_numbers_are_learned_together():
    y = np.column_stack([X[:, 0], X[:, 1] * X[:, 2], np.ones(80)])
    peer = RandomForestRegressor(4, random_state=1).fit(X, y)
    grown = grow_forest(X, y, peer, threads=1)
    for own, estimator in zip(grown.trees, peer.estimators_, strict=True):
        leaf = estimator.tree_.children_left < 0
        np.testing.assert_array_equal(own.value, estimator.tree_.value[leaf, :, 0])


def test_one_row_is_one_leaf():
    grown = grow_forest(X[:1], np.zeros(1), RandomForestRegressor(2, random_state=0), threads=1)
    assert [len(tree.nodes) for tree in grown.trees] == [1, 1]


def test_features_tried_are_counted_as_scikit_learn_counts_them():
    assert [features_tried(n, 30) for n in ("sqrt", "log2", 0.5, 7, None)] == [5, 4, 15, 7, 30]
