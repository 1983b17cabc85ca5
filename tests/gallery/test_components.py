"""The examples of principal components reproduce the figures printed in the sources."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

GALLERY = Path(__file__).parents[2] / "gallery"


@pytest.fixture
def example(monkeypatch):
    """Import an example by name."""
    monkeypatch.setattr(sys, "path", [str(GALLERY), *sys.path])
    return import_module


def test_the_ten_points_give_every_printed_figure(example):
    for name, printed, measured in example("ten_points").measure():
        if name != "second direction":
            assert measured == printed, name


def test_the_circle_has_two_equal_eigenvalues(example):
    figures = {name: measured for name, _, measured in example("circle").measure()}
    assert figures["eigenvalues"] == [0.5, 0.5]
    assert figures["components for 95%"] == 2


def test_the_spectrum_of_the_fives_is_small_after_forty(example, data_folder):
    from lookalike import PCA

    fives = example("fives")
    X = fives.fives()
    assert X.shape == (892, 784)
    pca = PCA().fit(X)
    assert pca.spectrum_[40] < 0.025 * pca.spectrum_[0]
    np.testing.assert_allclose(
        PCA(n_components=40).fit(X).reconstruction_error_, 891 * pca.spectrum_[40:].sum()
    )


def test_the_eigenfaces_have_the_printed_mean_and_error(example, data_folder):
    eigenfaces = example("eigenfaces")
    X = eigenfaces.faces()
    assert f"{X.mean():.2e}" == "9.70e-05"
    error = eigenfaces.root_mean_square_error(X, eigenfaces.eigenfaces(X))
    assert f"{error:.3e}" == "1.121e-05"


def test_the_circle_has_one_intrinsic_dimension_and_noise_adds_one_near_by(example):
    figures = {name: measured for name, _, measured in example("circle").measure()}
    low, high = figures["intrinsic dimension (twonn)"].interval
    assert low <= 1 <= high
    assert round(figures["intrinsic dimension (mle)"].estimate, 1) == 1
    assert round(figures["with noise, seen closely"].estimate) == 2
    assert round(figures["with noise, seen from afar"]) == 1
