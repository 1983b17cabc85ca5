"""Clusters are claimed where rows have them, and not where k-means divides one group."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import study


@pytest.mark.parametrize("draw", ["normal", "uniform"])
def test_rows_of_one_distribution_have_no_clusters(draw):
    X = getattr(np.random.default_rng(0), draw)(size=(300, 2))
    found = study(X, time=None)
    assert max(found.clustering.silhouette) > 0.3  # wherever k-means divides a plane
    (text,) = (one.text for one in found.summary if one.topic == "clustering")
    assert "no clear clusters" in text
    assert "by chance in uniformly distributed rows" in text


def test_separate_groups_are_clusters():
    rng = np.random.default_rng(0)
    centers = np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], 60, axis=0)
    found = study(centers + rng.normal(size=centers.shape), time=None)
    assert "3 clearly separated clusters" in str(found)
    assert max(found.clustering.silhouette) > found.clustering.uniform_silhouette
