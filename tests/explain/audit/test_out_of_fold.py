"""Out-of-fold probabilities come from models that did not see the row."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.neighbors import KNeighborsClassifier as Theirs

from lookalike import KMeans
from lookalike.decisions import Decisions
from lookalike.errors import ParameterTypeError
from lookalike.explain import out_of_fold_probabilities
from lookalike.explain.audit.out_of_fold import neighbor_probabilities
from lookalike.neighbors import self_search


def test_no_row_votes_for_itself():
    X = np.arange(20.0)[:, None]
    y = np.arange(20) % 2
    probability = out_of_fold_probabilities(Theirs(1), X, y, folds=20)
    assert (probability[np.arange(20), y] == 0).all()


def test_every_row_has_probabilities_of_all_classes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.array(["a", "b", "c"])[rng.integers(3, size=60)]
    probability = out_of_fold_probabilities(LogisticRegression(), X, y)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)


def test_groups_are_held_out_together():
    X = np.repeat(np.arange(10.0), 2)[:, None]
    y = np.tile([0, 1], 10)
    groups = np.repeat(np.arange(10), 2)
    alone = out_of_fold_probabilities(Theirs(1), X, y, folds=5)
    together = out_of_fold_probabilities(Theirs(1), X, y, folds=5, groups=groups)
    assert (alone[np.arange(20), y] == 0).sum() > (together[np.arange(20), y] == 0).sum()


def test_decision_values_become_probabilities():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(30, 2)), 4 + rng.normal(size=(30, 2))])
    y = np.repeat([0, 1], 30)
    probability = out_of_fold_probabilities(RidgeClassifierCV(), X, y)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    assert (probability.argmax(axis=1) == y).mean() > 0.95


def test_a_model_without_probabilities_is_refused():
    with pytest.raises(ParameterTypeError, match="not a model with fit and decision_function"):
        out_of_fold_probabilities(KMeans(2), np.eye(6), [0, 1, 0, 1, 0, 1], folds=2)


def test_neighbor_probabilities_are_weighted_votes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(3, size=50)
    search = self_search(X, 5)
    result = neighbor_probabilities(search, y, 5, None, Decisions())
    frequency = np.bincount(y, minlength=3) / 50
    for i in range(50):
        weight = 1 / (1 + (search.distance[i] / search.distance[i].mean()) ** 2)
        votes = np.bincount(y[search.row[i]], weight, minlength=3) + frequency
        np.testing.assert_allclose(result[i], votes / votes.sum())
