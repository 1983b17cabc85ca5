"""Measures of a map equal slow obvious versions, and scikit-learn's where it has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.manifold import trustworthiness as sklearn_trustworthiness

from lookalike import NearestNeighbors
from lookalike.errors import LookalikeError, ParameterError, ShapeError
from lookalike.manifold import (
    continuity,
    map_quality,
    neighbor_preservation,
    torn_neighbors,
    trustworthiness,
)
from lookalike.neighbors import self_search


def order_of(X):
    """Return every other row by distance to each row, equal distances by number."""
    key = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    return [[j for j in np.lexsort((np.arange(len(X)), key[i])) if j != i] for i in range(len(X))]


def slow_penalty(near_by, ranked_by, k):
    """Return 1 - the penalty of the k nearest by one order, by their ranks in the other."""
    n, total = len(near_by), 0
    for near, ranked in zip(near_by, ranked_by, strict=True):
        total += sum(max(ranked.index(j) + 1 - k, 0) for j in near[:k])
    return 1.0 - 2.0 / (n * k * (2 * n - 3 * k - 1)) * total


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 40), st.integers(1, 5), st.booleans(), st.integers(0, 10_000))
def test_measures_equal_slow_obvious_versions(n, k, whole, seed):
    k = min(k, (n - 1) // 2)
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(n, 3)), rng.normal(size=(n, 2))
    if whole:  # equal distances, which go to the smaller row
        X, Z = X.round(), Z.round()
    rows, places = order_of(X), order_of(Z)
    found = map_quality(X, Z, n_neighbors=k)
    np.testing.assert_allclose(found.trustworthiness, slow_penalty(places, rows, k))
    np.testing.assert_allclose(found.continuity, slow_penalty(rows, places, k))
    kept = [len({*a[:k]} & {*b[:k]}) / k for a, b in zip(rows, places, strict=True)]
    np.testing.assert_allclose(found.neighbor_preservation, np.mean(kept))
    assert (found.n_neighbors, found.n_rows) == (k, n)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_measures_do_not_depend_on_how_many_rows_are_put_in_order_first(metric, monkeypatch):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(150, 5)).round(1), rng.normal(size=(150, 2))
    whole = map_quality(X, Z, n_neighbors=6, metric=metric)
    monkeypatch.setattr("lookalike.models.manifold.quality.FIRST_ORDERED", 7)
    monkeypatch.setattr("lookalike.models.manifold.quality.ORDERED_GROWTH", 2)
    assert map_quality(X, Z, n_neighbors=6, metric=metric) == whole


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_trustworthiness_is_scikit_learns(metric):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 6))
    Z = X[:, :2] + 0.3 * rng.normal(size=(200, 2))
    theirs = sklearn_trustworthiness(X, Z, n_neighbors=7, metric=metric)
    assert trustworthiness(X, Z, n_neighbors=7, metric=metric) == pytest.approx(theirs, abs=1e-12)


def test_the_functions_are_the_parts_of_map_quality():
    rng = np.random.default_rng(2)
    X, Z = rng.normal(size=(50, 4)), rng.normal(size=(50, 2))
    found = map_quality(X, Z)
    parts = [measure(X, Z) for measure in (trustworthiness, continuity, neighbor_preservation)]
    assert parts == list(found[:3])


def test_a_sample_of_rows_measures_these_rows_against_all():
    rng = np.random.default_rng(3)
    X, Z = rng.normal(size=(300, 4)), rng.normal(size=(300, 2))
    part, whole = map_quality(X, Z, max_rows=150), map_quality(X, Z)
    assert part.n_rows == 150
    assert part == map_quality(X, Z, max_rows=150)
    assert abs(part.trustworthiness - whole.trustworthiness) < 0.05


@settings(max_examples=20, deadline=None)
@given(st.integers(8, 40), st.integers(1, 4), st.integers(1, 3), st.integers(0, 10_000))
def test_torn_and_false_neighbors_equal_slow_obvious_versions(n, k, reach, seed):
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(n, 3)), rng.normal(size=(n, 2))
    wide = min(reach * k, n - 1)
    rows, places = order_of(X), order_of(Z)
    found = torn_neighbors(self_search(X, wide), Z, n_neighbors=k, reach=reach)
    for i in range(n):
        torn = [j for j in rows[i][:k] if j not in places[i][:wide]]
        false = [j for j in places[i][:k] if j not in rows[i][:wide]]
        assert found.torn_rows(i).tolist() == torn
        assert found.false_rows(i).tolist() == false
        assert found.torn[i] == pytest.approx(len(torn) / k)
        assert found.false[i] == pytest.approx(len(false) / k)


def test_a_map_equal_to_the_rows_tears_nothing():
    X = np.random.default_rng(4).normal(size=(60, 2))
    row = NearestNeighbors(n_neighbors=12).fit(X).kneighbors(return_distance=False)
    found = torn_neighbors(row, X, n_neighbors=4)
    assert not found.torn.any()
    assert not found.false.any()
    assert map_quality(X, X)[:3] == (1.0, 1.0, 1.0)


X = np.random.default_rng(5).normal(size=(20, 3))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: map_quality(X, X[:5]), ShapeError, "20 rows and X_embedded 5"),
        (lambda: map_quality(X, X, n_neighbors=10), ParameterError, "half of the 20 rows"),
        (lambda: map_quality(X, X[:, 0]), LookalikeError, "1D|1-dim|2D|dimension"),
        (lambda: map_quality(X, X * np.nan), LookalikeError, "NaN|missing"),
        (lambda: torn_neighbors(X, X), ShapeError, "whole numbers"),
        (lambda: torn_neighbors(np.full((20, 3), 20), X, n_neighbors=2), ParameterError, "20 rows"),
        (lambda: torn_neighbors(np.ones((20, 3), int), X), ParameterError, "n_neighbors"),
        (lambda: torn_neighbors(np.ones((9, 3), int), X), ShapeError, "9 rows"),
    ],
)
def test_what_cannot_be_measured_is_said_in_a_sentence(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, ValueError)
