"""OPTICS: order, distances and labels of scikit-learn, by neighborhoods held or found again."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.cluster
from density_data import DATA_SETS
from sklearn.metrics import pairwise_distances
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import OPTICS


@parametrize_with_checks([OPTICS()])
def test_the_contract_of_scikit_learn_holds(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", DATA_SETS)
def test_order_distances_and_labels_are_those_of_scikit_learn_on_eight_data_sets(name):
    X = np.round(DATA_SETS[name]()[::2] * 64) / 64  # squares are exact, so that ties are ties
    reach = float(np.quantile(pairwise_distances(X), 0.2))
    for options in ({}, {"max_eps": reach, "cluster_method": "dbscan", "eps": reach / 2}):
        ours, peer = OPTICS(**options), sklearn.cluster.OPTICS(**options)
        ours.fit(X)
        peer.fit(X)
        np.testing.assert_array_equal(ours.ordering_, peer.ordering_)
        np.testing.assert_allclose(ours.reachability_, peer.reachability_)
        np.testing.assert_allclose(ours.core_distances_, peer.core_distances_)
        np.testing.assert_array_equal(ours.predecessor_, peer.predecessor_)
        np.testing.assert_array_equal(ours.labels_, peer.labels_)


@pytest.mark.parametrize("options", [{}, {"max_eps": 0.3}])
def test_distances_found_row_by_row_give_the_order_of_those_held(options):
    X = DATA_SETS["moons"]()
    held = OPTICS(**options).fit(X)
    with lookalike.config(memory=2**20):
        searched = OPTICS(**options).fit(X)
    np.testing.assert_array_equal(searched.ordering_, held.ordering_)
    np.testing.assert_array_equal(searched.reachability_, held.reachability_)


def test_distances_given_as_a_square_or_a_graph_give_the_order_of_rows():
    X = DATA_SETS["blobs"]()[:200]
    distance = pairwise_distances(X)
    rows = OPTICS(max_eps=3.0).fit(X)
    square = OPTICS(max_eps=3.0, metric="precomputed").fit(distance)
    np.testing.assert_array_equal(square.ordering_, rows.ordering_)
    near = lookalike.NearestNeighbors(radius=9.0).fit(X)
    graph = near.radius_neighbors_graph(mode="distance")
    sparse = OPTICS(max_eps=3.0, metric="precomputed").fit(graph)
    np.testing.assert_array_equal(sparse.ordering_, rows.ordering_)
    np.testing.assert_array_equal(sparse.labels_, rows.labels_)


def test_the_order_is_cached_where_memory_is_given(tmp_path):
    X = DATA_SETS["iris"]()
    first, second = (OPTICS(memory=str(tmp_path)).fit(X) for _ in range(2))
    assert any(tmp_path.iterdir())
    np.testing.assert_array_equal(first.labels_, second.labels_)


def test_a_distance_beyond_the_largest_is_an_error():
    with pytest.raises(lookalike.LookalikeError, match="Specify an epsilon smaller than"):
        OPTICS(max_eps=1.0, eps=2.0, cluster_method="dbscan").fit(np.eye(9))
