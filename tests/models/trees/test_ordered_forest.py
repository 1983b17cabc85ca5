"""A forest gives the bits of scikit-learn's, grown in threads or without."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from lookalike import config
from lookalike.models.trees.ordered_forest import (
    MIN_CELLS_FOR_THREADS,
    OrderedForest,
    OrderedRegressionForest,
    out_of_bag_probabilities,
)


def test_threads_change_no_bit_of_the_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(MIN_CELLS_FOR_THREADS // 20 + 1, 20))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    shares = []
    for threads in (1, 2):
        with config(threads=threads):
            forest = OrderedForest(12, random_state=0).fit(X, y)
        shares.append(forest.predict_proba(X))
    np.testing.assert_array_equal(*shares)


@pytest.mark.parametrize("n_rows", [60, MIN_CELLS_FOR_THREADS // 4 + 1])
def test_few_or_many_rows_give_the_bits_of_scikit_learns_forests(n_rows):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 4))
    y = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 1)]
    options = {"min_samples_leaf": 3, "max_samples": 40, "random_state": 2}
    own = OrderedForest(9, **options).fit(X, y)
    peer = RandomForestClassifier(9, **options).fit(X, y)
    np.testing.assert_array_equal(own.predict_proba(X), peer.predict_proba(X))
    np.testing.assert_array_equal(own.predict(X), peer.predict(X))
    np.testing.assert_array_equal(own.apply(X), peer.apply(X))
    np.testing.assert_array_equal(own.feature_importances_, peer.feature_importances_)
    own = OrderedRegressionForest(9, **options).fit(X, X[:, 0])
    peer = RandomForestRegressor(9, **options).fit(X, X[:, 0])
    np.testing.assert_array_equal(own.predict(X), peer.predict(X))


def test_out_of_bag_probabilities_find_the_labels_that_were_changed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    true = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    codes = true.copy()
    codes[:20] = (true[:20] + 1) % 3
    shares = out_of_bag_probabilities(X, codes, 3, seed=0)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares.argmax(axis=1) == true).mean() > 0.95  # a tree that saw a label would have it
    np.testing.assert_array_equal(shares, out_of_bag_probabilities(X, codes, 3, seed=0))


def test_a_row_that_every_tree_drew_has_the_frequencies_of_the_classes(monkeypatch):
    monkeypatch.setattr("lookalike.models.trees.ordered_forest.DRAWN_SHARE_OF_ROWS", 20.0)
    monkeypatch.setattr("lookalike.models.trees.ordered_forest.TREES_WITHOUT_A_ROW", 1e-9)
    shares = out_of_bag_probabilities(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1]), 2, 0)
    np.testing.assert_allclose(shares, [[1 / 3, 2 / 3]] * 3)
