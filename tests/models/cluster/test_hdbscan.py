"""HDBSCAN: the tree and the clusters of scikit-learn, by every index, on any threads."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
from density_data import DATA_SETS
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster._hdbscan._linkage import MST_edge_dtype, make_single_linkage
from sklearn.cluster._hdbscan._tree import tree_to_labels
from sklearn.metrics import pairwise_distances
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import HDBSCAN
from lookalike.kernels.spanning_forest import SpanningForest


@parametrize_with_checks([HDBSCAN()])
def test_the_contract_of_scikit_learn_holds(estimator, check):
    check(estimator)


def same_groups(a, b):
    """Return whether two labelings differ in the names of their clusters alone."""
    pairs = set(zip(a, b, strict=True))
    groups = len(set(a)) == len(pairs) == len(set(b))
    return groups and np.array_equal(a == -1, b == -1)


def plain_tree(distance, min_samples, alpha=1.0):
    """Return the weights of the spanning tree of mutual reachability, by Kruskal's algorithm."""
    core = np.sort(distance, axis=1)[:, min_samples - 1]
    weight = np.maximum(np.maximum.outer(core, core), distance / alpha)
    low, high = np.triu_indices(len(distance), 1)
    order = np.lexsort((high, low, weight[low, high]))
    parent = list(range(len(distance)))

    def root(row):
        while parent[row] != row:
            row = parent[row]
        return row

    edges = []
    for a, b in zip(low[order], high[order], strict=True):
        if root(a) != root(b):
            parent[root(a)] = root(b)
            edges.append((weight[a, b], a, b))
    return edges


OPTIONS = (
    {},
    {"min_cluster_size": 15},
    {"min_cluster_size": 10, "min_samples": 3, "cluster_selection_method": "leaf"},
    {"allow_single_cluster": True},
    {"max_cluster_size": 60},
    {"metric": "manhattan"},
)


@pytest.mark.parametrize("name", DATA_SETS)
def test_tree_clusters_and_probabilities_are_those_of_scikit_learn_on_eight_data_sets(name):
    X = DATA_SETS[name]()
    for options in OPTIONS:
        ours = HDBSCAN(**options).fit(X)
        peer = sklearn.cluster.HDBSCAN(copy=True, **options).fit(X)
        heights = np.sort(peer._single_linkage_tree_["value"])
        np.testing.assert_allclose(ours.single_linkage_tree_[:, 2], heights, rtol=1e-12, atol=1e-12)
        # Edges of equal weight are in no order there, so that it reads the clusters of our edges.
        low, high, weight = ours.minimum_spanning_tree_.T
        edges = np.rec.fromarrays([low, high, weight], dtype=MST_edge_dtype)
        labels, probabilities = tree_to_labels(
            make_single_linkage(edges),
            ours.min_cluster_size,
            ours.cluster_selection_method,
            ours.allow_single_cluster,
            0.0,
            ours.max_cluster_size,
        )
        assert same_groups(ours.labels_, labels)
        np.testing.assert_allclose(ours.probabilities_, probabilities, rtol=1e-12)


EQUAL_LABELS = ("moons", "circles", "blobs", "breast cancer", "uneven")


@pytest.mark.parametrize("name", EQUAL_LABELS)
def test_labels_are_those_of_scikit_learn_where_no_tie_decides(name):
    X = DATA_SETS[name]()
    peer = sklearn.cluster.HDBSCAN(copy=True).fit(X)
    assert same_groups(HDBSCAN().fit(X).labels_, peer.labels_)


@given(st.integers(6, 40), st.integers(1, 5), st.sampled_from([1.0, 1.4]), st.integers(0, 10**6))
def test_the_tree_is_that_of_all_pairs_with_ties_and_copies(n, min_samples, alpha, seed):
    X = np.random.default_rng(seed).integers(0, 5, (n, 2)).astype(float)
    expected = plain_tree(pairwise_distances(X, metric="manhattan"), min_samples, alpha)
    for algorithm in ("kd_tree", "brute"):
        model = HDBSCAN(2, min_samples, metric="manhattan", alpha=alpha, algorithm=algorithm).fit(X)
        edges = model.minimum_spanning_tree_
        assert [tuple(edge) for edge in edges] == [(a, b, w) for w, a, b in expected]


@pytest.mark.parametrize("width", [3, 40])
def test_trees_are_equal_by_every_index_and_on_any_threads(width):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.random((1500, width)), rng.normal(size=(500, width)) * 0.3 + 2])
    X[100:200] = X[:100]
    trees = [
        HDBSCAN(algorithm=algorithm, n_jobs=threads).fit(X).minimum_spanning_tree_
        for algorithm in ("kd_tree", "exact", "brute")
        for threads in (1, 3)
    ]
    for tree in trees[1:]:
        np.testing.assert_array_equal(tree, trees[0])


def test_many_components_are_joined_by_row_and_few_by_pair():
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(1500, 12)) * 9, 2, axis=0) + rng.normal(size=(3000, 12)) * 1e-3
    distance = pairwise_distances(X)
    forest = SpanningForest(np.zeros(3000))
    low, high = np.triu_indices(3000, 1)
    forest.join(distance[low, high], low, high)
    ours = HDBSCAN(2, 1, algorithm="exact").fit(X).minimum_spanning_tree_
    np.testing.assert_array_equal(ours[:, :2], np.column_stack(forest.edges()[1:]))


@pytest.mark.parametrize(("min_samples", "alpha"), [(1, 1.0), (4, 1.3), (12, 0.7)])
def test_components_that_are_searched_make_the_tree_that_all_pairs_make(
    monkeypatch, min_samples, alpha
):
    rng = np.random.default_rng(4)
    group = rng.integers(0, 6, 600)
    X = rng.integers(0, 3, (600, 9)) + 9.0 * rng.integers(0, 2, (6, 9))[group]  # many ties
    model = HDBSCAN(5, min_samples, alpha=alpha, algorithm="exact")
    searched = model.fit(X).minimum_spanning_tree_
    monkeypatch.setattr("lookalike.models.cluster.spanning_tree.MAX_SEARCHED_COMPONENTS", 0)
    np.testing.assert_array_equal(searched, model.fit(X).minimum_spanning_tree_)
    expected = plain_tree(pairwise_distances(X), min_samples, alpha)
    np.testing.assert_allclose(searched[:, 2], [weight for weight, _, _ in expected])


def test_a_weight_counts_as_that_many_copies():
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) * 0.4 + 4])
    weight = rng.integers(1, 4, 120)
    ours = HDBSCAN(9, 5).fit(X, sample_weight=weight)
    copies = HDBSCAN(9, 5).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_array_equal(np.repeat(ours.labels_, weight), copies.labels_)
    np.testing.assert_allclose(np.repeat(ours.probabilities_, weight), copies.probabilities_)
    np.testing.assert_allclose(ours.cluster_persistence_, copies.cluster_persistence_)


def test_rows_that_are_alone_have_the_largest_outlier_scores():
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(80, 2)), [[9.0, 9.0], [-9.0, 8.0]]])
    scores = HDBSCAN(5, allow_single_cluster=True).fit(X).outlier_scores_
    assert set(np.argsort(scores)[-2:]) == {80, 81}
    assert scores.min() >= 0.0
    assert scores.max() < 1.0


def test_sparse_rows_and_sparse_distances_give_the_clusters_of_dense_ones():
    X = DATA_SETS["moons"]()
    dense = HDBSCAN().fit(X)
    np.testing.assert_array_equal(HDBSCAN().fit(sp.csr_array(X)).labels_, dense.labels_)
    distance = pairwise_distances(X)
    whole = HDBSCAN(metric="precomputed").fit(distance)
    assert same_groups(whole.labels_, dense.labels_)
    graph = lookalike.NearestNeighbors().fit(X).kneighbors_graph(n_neighbors=80, mode="distance")
    graph = graph.maximum(graph.T)
    assert same_groups(HDBSCAN(metric="precomputed").fit(graph).labels_, whole.labels_)


def test_a_graph_in_parts_is_an_error_that_counts_them():
    graph = sp.block_diag([np.ones((6, 6)), np.ones((6, 6))]).tocsr()
    with pytest.raises(lookalike.LookalikeError, match="2 connected components"):
        HDBSCAN(metric="precomputed").fit(graph)


def test_rows_that_are_not_finite_have_labels_of_their_own():
    X = DATA_SETS["blobs"]()
    spoiled = np.concatenate([X[:9], [np.full(8, np.nan)], X[9:], [np.full(8, np.inf)]])
    model = HDBSCAN().fit(spoiled)
    assert (model.labels_[9], model.labels_[-1]) == (-3, -2)
    assert np.isnan(model.probabilities_[9])
    np.testing.assert_array_equal(np.delete(model.labels_, [9, 501]), HDBSCAN().fit(X).labels_)


def test_categories_are_compared_by_gower():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    rng = np.random.default_rng(0)
    place = np.repeat(["a", "b"], 40)
    table = pd.DataFrame({"place": place, "x": rng.normal(size=80) * 0.1 + np.repeat([0, 1], 40)})
    labels = HDBSCAN(10, metric="gower").fit(table).labels_
    assert set(labels[:40]) | set(labels[40:]) >= {0, 1}
    assert not set(labels[:40]) & set(labels[40:]) - {-1}


def test_a_cut_of_the_tree_is_dbscan_without_the_rows_beside_core_rows():
    X = DATA_SETS["moons"]()
    cut = HDBSCAN().fit(X).dbscan_clustering(0.2, min_cluster_size=5)
    peer = sklearn.cluster.HDBSCAN(copy=True).fit(X).dbscan_clustering(0.2, min_cluster_size=5)
    assert same_groups(cut, peer)


def test_a_model_file_answers_as_the_model_did(tmp_path):
    X = DATA_SETS["uneven"]()
    model = HDBSCAN(store_centers="both").fit(X)
    lookalike.save(model, tmp_path / "model.lookalike")
    loaded = lookalike.load(tmp_path / "model.lookalike")
    np.testing.assert_array_equal(loaded.labels_, model.labels_)
    np.testing.assert_array_equal(loaded.dbscan_clustering(0.5), model.dbscan_clustering(0.5))
    np.testing.assert_array_equal(loaded.medoids_, model.medoids_)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_cluster_size": 1}, "min_cluster_size"),
        ({"alpha": 0.0}, "alpha=0.0 is out of range"),
        ({"store_centers": "mean"}, "store_centers"),
        ({"min_samples": 99}, "at most the number of samples"),
        ({"engine": "stream"}, "Give engine='memory'"),
    ],
)
def test_wrong_parameters_are_errors_that_say_what_to_do(options, words):
    with pytest.raises(lookalike.LookalikeError, match=words):
        HDBSCAN(**options).fit(np.random.default_rng(0).normal(size=(50, 2)))


def test_rows_that_are_infinitely_far_are_never_joined():
    near = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.5], [2.0, 1.5, 0.0]])
    distance = np.full((6, 6), np.inf)
    distance[:3, :3] = distance[3:, 3:] = near
    model = HDBSCAN(min_cluster_size=3, min_samples=2, metric="precomputed").fit(distance)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert np.isinf(model.single_linkage_tree_[:, 2]).sum() == 1
