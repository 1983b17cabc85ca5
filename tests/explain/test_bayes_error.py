"""The estimated Bayes error holds the truth, and is never above what a model reached."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from lookalike.confidence import wilson
from lookalike.explain.bayes_error import Reached, estimate_bayes_error
from lookalike.explain.representations import KNOWN_REPRESENTATIONS, nearest_labels


def separable(n_rows, noise, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_rows)
    X = rng.uniform(size=(n_rows, 3))
    X[:, 0] += 1.5 * y
    return X, np.where(rng.random(n_rows) < noise, 1 - y, y)


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_the_share_of_flipped_labels_is_inside(noise):
    found = estimate_bayes_error(*separable(500, noise))
    assert found.low <= noise <= found.high
    assert found.converged
    assert found.high < noise + 0.1


def test_a_threshold_on_one_of_thirty_columns_is_never_above_a_tree_of_depth_2():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(400, 20)), np.eye(10)[rng.integers(10, size=400)]])
    y = (X[:, 3] > 0.2).astype(int)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    error = (cross_val_predict(tree, X, y, cv=5) != y).mean()
    found = estimate_bayes_error(X, y)
    assert found.high <= wilson(error, 400)[1] + 0.01
    assert found.low <= error


def test_it_is_not_above_what_any_model_reached():
    X, y = separable(300, 0.3)
    better = Reached("an oracle", 0.1, (0.07, 0.14), "held-out rows")
    found = estimate_bayes_error(X, y, reached=[better])
    assert found.high == 0.14
    assert found.reached == better
    assert found.low <= 0.07


def test_of_random_labels_and_of_few_rows_no_lower_end_is_stated():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(2, size=200)
    found = estimate_bayes_error(X, y)
    assert (found.converged, found.low) == (False, 0.0)
    assert estimate_bayes_error(X[:20], y[:20]) is None
    assert estimate_bayes_error(X, np.zeros(200, int)) is None


def test_no_lower_end_is_stated_where_only_one_kind_of_model_reaches_the_least_error():
    undecided = []
    for seed in range(4):  # the parity of three of eight columns, which no model has found yet
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, size=(400, 8))
        y = np.where(rng.random(400) < 0.1, 1, 0) ^ (X[:, :3] > 0).sum(axis=1) % 2
        found = estimate_bayes_error(X, y, random_state=seed)
        assert found.low <= 0.1 <= found.high
        undecided.append(found.undecided)
    assert "kinds" in undecided


def test_a_class_of_one_row_is_no_obstacle():
    X, y = separable(100, 0.0)
    y = np.where(np.arange(100) == 7, 1, 0)
    found = estimate_bayes_error(X, y)
    assert found.low == 0 < found.high


@pytest.mark.parametrize("name", KNOWN_REPRESENTATIONS)
def test_neighbors_of_every_representation_are_those_of_all_pairs(name):
    X, y = separable(120, 0.0)
    rows = KNOWN_REPRESENTATIONS[name](X[:60], y[:60], 0)(X[60:])
    rng = np.random.default_rng(0)
    allowed = np.arange(60) % 3 > 0
    found = nearest_labels(rows, y[60:], allowed, rng)
    for row in range(60):
        if name.startswith("leaves"):
            gap = (rows != rows[row]).sum(axis=1).astype(float)
        else:
            gap = ((rows - rows[row]) ** 2).sum(axis=1)
        gap[row], gap[~allowed] = np.inf, np.inf
        nearest = np.flatnonzero(gap <= gap.min() + 1e-9)
        assert found[row] in y[60:][nearest]
