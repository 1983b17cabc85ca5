"""Graphs of neighbors from one call, and their rows in order."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors
from sklearn.exceptions import EfficiencyWarning

from lookalike import LookalikeError
from lookalike.neighbors import (
    NearestNeighbors,
    kneighbors_graph,
    radius_neighbors_graph,
    sort_graph_by_row_values,
)

ROWS = np.random.default_rng(0).normal(size=(50, 3))


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize("include_self", [True, False, "auto"])
def test_the_graphs_are_those_of_scikit_learn(mode, include_self):
    options = {"mode": mode, "include_self": include_self}
    for size, function in ((4, kneighbors_graph), (0.9, radius_neighbors_graph)):
        expected = getattr(sklearn.neighbors, function.__name__)(ROWS, size, **options)
        for X in (ROWS, NearestNeighbors().fit(ROWS)):
            found = function(X, size, **options)
            np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-12)


def test_a_fitted_model_of_another_metric_is_an_error():
    with pytest.raises(LookalikeError, match="minkowski for metric, while the estimator has l1"):
        kneighbors_graph(NearestNeighbors(metric="l1").fit(ROWS), 3)


def test_sorted_rows_rise_and_equal_values_go_by_column():
    graph = sp.csr_array(([2.0, 1.0, 1.0, 5.0], [0, 2, 1, 0], [0, 3, 4, 4]), shape=(3, 3))
    with pytest.warns(EfficiencyWarning, match="not sorted by row values"):
        found = sort_graph_by_row_values(graph, copy=True)
    assert found.data.tolist() == [1.0, 1.0, 2.0, 5.0]
    assert found.indices.tolist() == [1, 2, 0, 0]
    assert graph.data.tolist() == [2.0, 1.0, 1.0, 5.0]
    assert sort_graph_by_row_values(found) is found


def test_what_cannot_be_sorted_is_an_error():
    graph = sp.csr_array(ROWS[:3])
    with pytest.raises(LookalikeError, match="not in CSR format"):
        sort_graph_by_row_values(graph.tocsc(), warn_when_not_sorted=False)
    with pytest.raises(LookalikeError, match="'dok' format is not supported"):
        sort_graph_by_row_values(graph.todok(), warn_when_not_sorted=False)
    with pytest.raises(LookalikeError, match="is not sparse"):
        sort_graph_by_row_values(ROWS)


@pytest.mark.parametrize(
    ("interface", "kind"), [("sparray", sp.sparray), ("spmatrix", sp.spmatrix)]
)
def test_graphs_are_of_the_kind_that_the_settings_of_scikit_learn_ask_for(interface, kind):
    pytest.importorskip("sklearn", "1.9", reason="the setting is new in scikit-learn 1.9")
    X = np.arange(6.0)[:, None]
    with sklearn.config_context(sparse_interface=interface):
        graphs = kneighbors_graph(X, 2), radius_neighbors_graph(X, 1.5)
    assert all(isinstance(graph, kind) for graph in graphs)
