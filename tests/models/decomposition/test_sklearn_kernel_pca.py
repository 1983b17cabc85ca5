"""scikit-learn's own tests of KernelPCA, with ours in its place."""

from __future__ import annotations

import pytest
from sklearn.decomposition.tests import test_kernel_pca as theirs

from lookalike import KernelPCA

EXCEPTIONS = {
    "test_precomputed_kernel_not_psd": (
        "it wants an error for an indefinite kernel; ours clips negative eigenvalues to zero, "
        "warns, and records it: test_kernel_pca.py, test_negative_eigenvalues_are_clipped…"
    ),
}

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

globals().update(
    {
        name: test
        for name, test in vars(theirs).items()
        if name.startswith("test_") and name not in EXCEPTIONS
    }
)


@pytest.fixture(autouse=True)
def swapped(monkeypatch):
    monkeypatch.setattr(theirs, "KernelPCA", KernelPCA)


@pytest.fixture
def global_random_seed():
    return 42


def test_every_exception_is_still_a_test_of_theirs():
    assert set(EXCEPTIONS) <= set(vars(theirs))
