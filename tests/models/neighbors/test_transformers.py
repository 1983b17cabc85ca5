"""The transformers into graphs of neighbors: those of scikit-learn, from our searches."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.neighbors
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from lookalike import load, save
from lookalike.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer

RNG = np.random.default_rng(0)
ROWS, QUERIES = RNG.normal(size=(60, 3)), RNG.normal(size=(9, 3))


@parametrize_with_checks([KNeighborsTransformer(), RadiusNeighborsTransformer()])
def test_scikit_learn_accepts_the_transformers(estimator, check):
    check(estimator)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize("name", ["KNeighborsTransformer", "RadiusNeighborsTransformer"])
def test_the_graphs_are_those_of_scikit_learn(name, mode):
    ours = globals()[name](mode=mode).fit(ROWS)
    theirs = getattr(sklearn.neighbors, name)(mode=mode).fit(ROWS)
    for rows in (ROWS, QUERIES):
        expected = theirs.transform(rows).toarray()
        np.testing.assert_allclose(ours.transform(rows).toarray(), expected, rtol=1e-12)
    np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())


def test_a_saved_transformer_gives_the_same_graph(tmp_path):
    model = KNeighborsTransformer(n_neighbors=3).fit(ROWS)
    save(model, tmp_path / "graph.model")
    again = load(tmp_path / "graph.model").transform(QUERIES)
    np.testing.assert_array_equal(again.toarray(), model.transform(QUERIES).toarray())


def test_the_graph_of_a_pipeline_feeds_scikit_learn():
    classifier = sklearn.neighbors.KNeighborsClassifier(4, metric="precomputed")
    y = ROWS[:, 0] > 0
    chain = make_pipeline(KNeighborsTransformer(n_neighbors=4), classifier).fit(ROWS, y)
    plain = sklearn.neighbors.KNeighborsClassifier(4).fit(ROWS, y)
    np.testing.assert_array_equal(chain.predict(QUERIES), plain.predict(QUERIES))
