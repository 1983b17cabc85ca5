"""scikit-learn's own tests of KNNImputer, run with ours in its place."""

from __future__ import annotations

import pytest

import lookalike

theirs = pytest.importorskip("sklearn.impute.tests.test_knn")

EXCEPTIONS = {
    "test_knn_imputer_default_with_invalid_input": "the same errors, which name row and column",
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
    monkeypatch.setattr(theirs, "KNNImputer", lookalike.KNNImputer)


def test_every_exception_is_still_a_test_of_theirs():
    assert EXCEPTIONS.keys() <= vars(theirs).keys()
