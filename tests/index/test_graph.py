"""Sparse distances: what is stored is a neighbor, nearest first, equal distances by row."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.manifold
import sklearn.neighbors
from scipy.spatial.distance import cdist

from lookalike import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    LookalikeError,
    RadiusNeighborsClassifier,
    load,
    save,
)
from lookalike.index.graph import GraphIndex
from lookalike.neighbors import KNeighborsTransformer, NearestNeighbors, kneighbors_graph

RNG = np.random.default_rng(0)
ROWS, QUERIES = RNG.normal(size=(40, 3)), RNG.normal(size=(9, 3))
GRAPH = KNeighborsTransformer(n_neighbors=8).fit(ROWS)


def test_neighbors_of_a_graph_are_those_of_the_rows():
    plain = NearestNeighbors(n_neighbors=5).fit(ROWS)
    known = NearestNeighbors(n_neighbors=5, metric="precomputed").fit(GRAPH.transform(ROWS))
    for ours, direct in ((None, None), (GRAPH.transform(QUERIES), QUERIES)):
        for found, expected in zip(known.kneighbors(ours), plain.kneighbors(direct), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_rows_within_a_radius_are_the_stored_ones_that_are_near():
    graph = sp.csr_array(cdist(ROWS, ROWS))
    known = NearestNeighbors(metric="precomputed", radius=0.8).fit(graph)
    plain = NearestNeighbors(radius=0.8).fit(ROWS)
    for found, expected in zip(
        known.radius_neighbors(None)[1], plain.radius_neighbors(None)[1], strict=True
    ):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("k", [4, 8])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_a_pipeline_of_graph_and_model_predicts_as_the_model_alone(k, weights):
    y = (ROWS[:, 0] > 0) + 1.0 * (ROWS[:, 1] > 0)
    for kind in (KNeighborsClassifier, KNeighborsRegressor):
        plain = kind(k, weights=weights).fit(ROWS, y).predict(QUERIES)
        known = kind(k, weights=weights, metric="precomputed").fit(GRAPH.transform(ROWS), y)
        found = known.predict(GRAPH.transform(QUERIES))
        agree = np.isclose(found, plain)
        theirs = getattr(sklearn.neighbors, kind.__name__)(k, weights=weights)
        lowest = theirs.fit(ROWS, y).predict(QUERIES)  # of a tie that the graph cannot break
        assert (agree | np.isclose(found, lowest)).all()


def test_equal_distances_go_by_row_and_a_stored_zero_is_a_distance():
    graph = sp.csr_array(([0.0, 2.0, 2.0, 1.0], [0, 2, 1, 3], [0, 4]), shape=(1, 4))
    index = GraphIndex(sp.csr_array((4, 4)))
    assert index.query(graph, k=4).row.tolist() == [[0, 3, 1, 2]]
    assert index.query(graph, k=2, exclude=np.array([0])).row.tolist() == [[3, 1]]
    allowed = np.array([True, True, False, False])
    assert index.query(graph, k=2, where=allowed).row.tolist() == [[0, 1]]
    assert index.query_radius(graph, 1.0).row.tolist() == [0, 3]


def test_within_a_radius_of_a_graph_a_tie_goes_to_the_first_class_and_no_row_is_an_error():
    graph = sp.csr_array([[0.0, 0.5, 0.5], [0.5, 0.0, 2.0], [0.5, 2.0, 0.0]])
    model = RadiusNeighborsClassifier(1.0, metric="precomputed").fit(graph, [2, 1, 0])
    assert model.predict(graph[[0]]).tolist() == [0]
    with pytest.raises(LookalikeError, match=r"No neighbors found for test samples \[0"):
        model.predict(graph[[0]] * 9)


def test_a_dense_query_has_every_row_as_a_neighbor():
    model = NearestNeighbors(metric="precomputed").fit(GRAPH.transform(ROWS))
    assert model.kneighbors(np.zeros((1, 40)), 3)[1].tolist() == [[0, 1, 2]]


def test_scikit_learns_isomap_takes_our_search(monkeypatch):
    expected = sklearn.manifold.Isomap(n_neighbors=6).fit(ROWS)
    monkeypatch.setattr("sklearn.manifold._isomap.NearestNeighbors", NearestNeighbors)
    monkeypatch.setattr("sklearn.manifold._isomap.kneighbors_graph", kneighbors_graph)
    found = sklearn.manifold.Isomap(n_neighbors=6).fit(ROWS)
    np.testing.assert_allclose(np.abs(found.embedding_), np.abs(expected.embedding_), rtol=1e-6)
    np.testing.assert_allclose(
        np.abs(found.transform(QUERIES)), np.abs(expected.transform(QUERIES)), rtol=1e-6
    )


def test_a_saved_model_answers_the_same(tmp_path):
    model = NearestNeighbors(n_neighbors=3, metric="precomputed").fit(GRAPH.transform(ROWS))
    save(model, tmp_path / "graph.model")
    again = load(tmp_path / "graph.model").kneighbors(GRAPH.transform(QUERIES))
    np.testing.assert_array_equal(again[1], model.kneighbors(GRAPH.transform(QUERIES))[1])


def test_errors_say_what_was_asked():
    model = NearestNeighbors(metric="precomputed").fit(GRAPH.transform(ROWS))
    with pytest.raises(LookalikeError, match="only 9 neighbors in precomputed graph matrix"):
        model.kneighbors(GRAPH.transform(QUERIES), n_neighbors=10)
    classifier = KNeighborsClassifier(20, metric="precomputed")
    with pytest.raises(LookalikeError, match="20 neighbors are required"):
        classifier.fit(GRAPH.transform(ROWS), ROWS[:, 0] > 0).predict(GRAPH.transform(QUERIES))
    with pytest.raises(LookalikeError, match="must be square"):
        GraphIndex(sp.csr_array(ROWS))
    with pytest.raises(LookalikeError, match="Negative values"):
        GraphIndex(sp.csr_array(-np.eye(3)))
