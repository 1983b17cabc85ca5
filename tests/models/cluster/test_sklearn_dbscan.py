"""scikit-learn's own tests of DBSCAN, run with ours in its place."""

from __future__ import annotations

import pytest

import lookalike

theirs = pytest.importorskip("sklearn.cluster.tests.test_dbscan")

EXCEPTIONS = {
    "test_dbscan_metric_params": "p as a parameter and in metric_params is an error, not a warning",
}


def _cluster(X, eps=0.5, *, sample_weight=None, **options):
    """Return core rows and labels, as scikit-learn's function `dbscan` does."""
    model = lookalike.DBSCAN(eps, **options).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_


globals().update(
    {
        name: test
        for name, test in vars(theirs).items()
        if name.startswith("test_") and name not in EXCEPTIONS
    }
)


@pytest.fixture(autouse=True)
def _ours_in_its_place(monkeypatch):
    monkeypatch.setattr(theirs, "DBSCAN", lookalike.DBSCAN)
    monkeypatch.setattr(theirs, "dbscan", _cluster)


@pytest.fixture
def global_dtype():
    return "float64"


@pytest.fixture
def global_random_seed():
    return 42


def test_every_exception_is_still_a_test_of_theirs():
    assert EXCEPTIONS.keys() <= vars(theirs).keys()
