"""Clusters are claimed where rows have them, and not where k-means cuts one cloud."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import study


@pytest.mark.parametrize("draw", ["normal", "uniform"])
def test_one_cloud_of_rows_has_no_clusters(draw):
    X = getattr(np.random.default_rng(0), draw)(size=(300, 2))
    found = study(X, time=None)
    assert max(found.clustering.silhouette) > 0.3  # k-means cuts a plane well anywhere
    (text,) = (one.text for one in found.summary if one.topic == "clustering")
    assert "no clear clusters" in text
    assert "by chance in uniformly distributed rows" in text


def test_separate_clouds_are_clusters():
    rng = np.random.default_rng(0)
    centers = np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], 60, axis=0)
    found = study(centers + rng.normal(size=centers.shape), time=None)
    assert "3 clearly separated clusters" in str(found)
    assert max(found.clustering.silhouette) > found.clustering.uniform_silhouette
