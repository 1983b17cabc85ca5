"""The lists of metrics are those of scikit-learn, and every metric in them is served."""

from __future__ import annotations

import pytest
import sklearn.neighbors

from lookalike import neighbors


@pytest.mark.parametrize("kind", ["ball_tree", "kd_tree", "brute"])
def test_every_metric_of_scikit_learn_is_listed(kind):
    ours = set(neighbors.VALID_METRICS[kind])
    assert set(sklearn.neighbors.VALID_METRICS[kind]) <= ours
    assert set(sklearn.neighbors.VALID_METRICS_SPARSE[kind]) == set(
        neighbors.VALID_METRICS_SPARSE[kind]
    )
    assert len(neighbors.VALID_METRICS[kind]) == len(ours)


def test_all_of_scikit_learns_neighbors_is_there():
    later = {"KernelDensity", "LocalOutlierFactor"}
    assert set(sklearn.neighbors.__all__) - later <= set(neighbors.__all__)
    assert all(getattr(neighbors, name) is not None for name in neighbors.__all__)
