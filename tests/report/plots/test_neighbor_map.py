"""The plot of a neighbor map states the measures of the map."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import NearestNeighbors, NeighborMap

pytest.importorskip("matplotlib")
from lookalike.report.plots.neighbor_map import plot_neighbor_map, quality_text

X = np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize(("method", "title"), [("tsne", "t-SNE"), ("umap", "UMAP")])
def test_rows_are_drawn_where_they_lie_with_the_measures_below(method, title):
    model = NeighborMap(method, n_iter=20).fit(X)
    ax = plot_neighbor_map(model)
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), model.embedding_)
    assert title in ax.get_title()
    caption = ax.get_xlabel().replace("\n", " ")
    assert caption == quality_text(model.quality_)
    assert f"trustworthiness {model.trustworthiness_:.3f}" in caption


def test_colors_may_show_where_the_map_tears_neighbors_apart():
    model = NeighborMap(n_iter=20).fit(X)
    ax = plot_neighbor_map(model, model.torn_)
    np.testing.assert_array_equal(ax.collections[0].get_array(), np.sort(model.torn_))


def test_what_is_not_known_of_a_given_graph_is_said():
    given = NearestNeighbors(n_neighbors=20).fit(X).kneighbors()
    model = NeighborMap(n_iter=20, search="precomputed").fit(given)
    assert "trustworthiness not known" in quality_text(model.quality_)
