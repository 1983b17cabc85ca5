"""scikit-learn's own tests of LinearDiscriminantAnalysis, with ours in its place."""

from __future__ import annotations

import pytest
from sklearn.tests import test_discriminant_analysis as theirs

from lookalike import LinearDiscriminantAnalysis

NOT_OURS = ("test_qda", "test_raises_value_error_on_one_sample_per_class", "test_covariance")
# the quadratic discriminant, and scikit-learn's private _cov: nothing of ours takes part

globals().update(
    {
        name: test
        for name, test in vars(theirs).items()
        if name.startswith("test_") and not name.startswith(NOT_OURS)
    }
)


@pytest.fixture(autouse=True)
def swapped(monkeypatch):
    monkeypatch.setattr(theirs, "LinearDiscriminantAnalysis", LinearDiscriminantAnalysis)


@pytest.fixture
def global_random_seed():
    return 42
