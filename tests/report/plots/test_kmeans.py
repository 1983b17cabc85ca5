"""Plots of k-means draw criteria, regions and centers."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import KMeans
from lookalike.cluster import KCenter, choose_clusters
from lookalike.errors import LookalikeError
from lookalike.report.plots.kmeans import plot_center_images, plot_cluster_regions, plot_n_clusters

rng = np.random.default_rng(6)
X = rng.normal(size=(120, 2)) + 8 * (np.arange(120) % 3)[:, None]


@pytest.mark.parametrize("criterion", ["silhouette", "gap", "bic"])
def test_the_curve_has_a_point_for_every_number_and_names_the_selected_one(criterion):
    choice = choose_clusters(X, range(1, 5), draws=2)
    ax = plot_n_clusters(choice, criterion)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [1, 2, 3, 4])
    assert ax.get_legend().get_texts()[0].get_text() == "selected: 3"


@pytest.mark.parametrize("model", [KMeans(3), KCenter(3)])
def test_regions_are_colored_by_the_nearest_center(model):
    ax = plot_cluster_regions(model.fit(X), X)
    region = ax.images[0].get_array()
    assert set(np.unique(region)) == {0, 1, 2}
    with pytest.raises(LookalikeError, match="two columns"):
        plot_cluster_regions(KMeans(2).fit(rng.normal(size=(9, 3))), rng.normal(size=(9, 3)))


def test_centers_of_images_are_drawn_side_by_side():
    model = KMeans(3).fit(rng.normal(size=(20, 12)))
    sheet = plot_center_images(model, (3, 4), n_columns=2).images[0].get_array()
    assert sheet.shape == (7, 9)
    np.testing.assert_array_equal(sheet[:3, 5:], model.cluster_centers_[1].reshape(3, 4))
    with pytest.raises(LookalikeError, match="has 25 pixels, a row 12"):
        plot_center_images(model, (5, 5))
