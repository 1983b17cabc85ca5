"""scikit-learn's own tests of LocalOutlierFactor, run with ours in its place."""

from __future__ import annotations

import pytest
import sklearn.neighbors

import lookalike

theirs = pytest.importorskip("sklearn.neighbors.tests.test_lof")

EXCEPTIONS = {
    "test_lof": "reads the private _fit_X; our own tests cover the scores",
    "test_lof_error_n_neighbors_too_large": "the same error in other words",
    "test_lof_precomputed": "calls the private _predict; our own tests cover it",
}

pytestmark = pytest.mark.filterwarnings("ignore:n_neighbors .* is greater than the total")

globals().update(
    {
        name: test
        for name, test in vars(theirs).items()
        if name.startswith("test_") and name not in EXCEPTIONS
    }
)


@pytest.fixture(autouse=True)
def _ours_in_its_place(monkeypatch):
    monkeypatch.setattr(
        sklearn.neighbors, "LocalOutlierFactor", lookalike.neighbors.LocalOutlierFactor
    )


@pytest.fixture
def global_dtype():
    return "float64"


def test_every_exception_is_still_a_test_of_theirs():
    assert EXCEPTIONS.keys() <= vars(theirs).keys()
