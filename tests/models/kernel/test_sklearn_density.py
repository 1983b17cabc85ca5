"""scikit-learn's own tests of KernelDensity, run with ours in its place."""

from __future__ import annotations

import pytest

import lookalike

theirs = pytest.importorskip("sklearn.neighbors.tests.test_kde")

EXCEPTIONS = {
    "test_kde_algorithm_metric_choice": "angles beyond pi/2 are no latitude, which is an error",
}

globals().update(
    {
        name: test
        for name, test in vars(theirs).items()
        if name.startswith("test_") and name not in EXCEPTIONS
    }
)


@pytest.fixture(autouse=True)
def _ours_in_its_place(monkeypatch):
    monkeypatch.setattr(theirs, "KernelDensity", lookalike.KernelDensity)


def test_every_exception_is_still_a_test_of_theirs():
    assert EXCEPTIONS.keys() <= vars(theirs).keys()
