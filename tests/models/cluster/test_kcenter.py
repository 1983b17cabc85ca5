"""k-center against the obvious loop, and its radius against all choices of centers."""

from __future__ import annotations

import itertools

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike.cluster import KCenter
from lookalike.errors import LookalikeError

rng = np.random.default_rng(3)


@parametrize_with_checks([KCenter(n_clusters=3)])
def test_it_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_centers_are_taken_farthest_first_and_the_radius_is_at_most_twice_the_least(seed, k):
    X = np.round(np.random.default_rng(seed).normal(size=(9, 2)), 1)
    model = KCenter(k, start=0).fit(X)
    key = oracle.squared_distances(X, X)
    taken = [0]
    while len(taken) < k:
        taken.append(int(key[taken].min(axis=0).argmax()))
    assert model.center_rows_.tolist() == taken
    assert model.radius_ == np.sqrt(key[taken].min(axis=0).max())
    least = min(
        np.sqrt(key[list(some)].min(axis=0).max()) for some in itertools.combinations(range(9), k)
    )
    assert model.radius_ <= 2 * least * (1 + 1e-12)
    assert (np.diff(model.radii_) <= 0).all()


@pytest.mark.parametrize("start", ["far", "random", 5])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_every_engine_takes_the_same_rows(engine, start, metric):
    X = rng.normal(size=(300, 4)) + 1
    here = KCenter(6, start=start, metric=metric, engine="memory").fit(X)
    with lookalike.config(memory="100KB"):
        there = KCenter(6, start=start, metric=metric, engine=engine).fit(X)
    np.testing.assert_array_equal(here.center_rows_, there.center_rows_)
    np.testing.assert_array_equal(here.cluster_centers_, there.cluster_centers_)
    np.testing.assert_array_equal(here.labels_, there.labels_)
    assert here.radius_ == there.radius_


def test_the_first_center_is_the_row_farthest_from_the_mean():
    X = rng.normal(size=(100, 3))
    model = KCenter(2).fit(X)
    assert model.center_rows_[0] == np.square(X - X.mean(axis=0)).sum(axis=1).argmax()


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"n_clusters": 11}, "n_samples=10 should be >= n_clusters=11"),
        ({"start": 10}, "start=10 is out of range"),
        ({"start": "middle"}, "start='middle' is not known"),
        ({"metric": "manhattan"}, "metric='manhattan' is not known"),
    ],
)
def test_parameters_that_cannot_be_honored_are_errors(wrong, text):
    with pytest.raises(LookalikeError, match=text):
        KCenter(**wrong).fit(rng.normal(size=(10, 2)))
