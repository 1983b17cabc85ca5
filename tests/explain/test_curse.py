"""The tables of the sources, and the same measured on rows whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import NearestNeighbors
from lookalike.errors import ParameterTypeError
from lookalike.explain import dimensionality_report
from lookalike.explain.curse import (
    empty_fraction,
    inner_fraction,
    points_per_bin,
    shell_fraction,
)

DIMENSIONS = (1, 2, 10, 50, 400, 784)


def printed_as(value, text):
    """Whether `value` rounded, or cut off as 0.9996 is to 0.999, reads `text`."""
    unit = 10.0 ** -len(text.partition(".")[2])
    return -0.5 * unit <= value - float(text) < unit


@pytest.mark.parametrize(
    ("epsilon", "shell", "inner"),
    [  # [LUMS], as printed
        (0.1, "0.1 0.19 0.65 0.995 1.000 1.000", "0.9 0.81 0.35 0.005 0.000 0.000"),
        (0.01, "0.01 0.02 0.096 0.395 0.982 0.999", "0.99 0.98 0.904 0.605 0.018 0.0004"),
    ],
)
def test_shells_are_those_of_the_source(epsilon, shell, inner):
    for d, outer, inside in zip(DIMENSIONS, shell.split(), inner.split(), strict=True):
        assert printed_as(shell_fraction(epsilon, d), outer)
        assert printed_as(inner_fraction(epsilon, d), inside)


def test_the_inner_ball_of_four_hundred_dimensions_keeps_its_digits():
    assert f"{inner_fraction(0.1, 400):.4e}" == "4.9774e-19"


def test_bins_are_those_of_the_source():
    assert [points_per_bin(100, 10, d) for d in (1, 2, 3)] == [10.0, 1.0, 0.1]
    assert round(empty_fraction(100, 10, 3), 1) == 0.9
    assert empty_fraction(100, 1, 3) == 0.0


def test_rows_that_fill_a_ball_have_the_shell_of_theory():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 10))
    X *= rng.random((2000, 1)) ** 0.1 / np.linalg.norm(X, axis=1, keepdims=True)
    X = np.concatenate([X, -X])
    report = dimensionality_report(X, search=NearestNeighbors(algorithm="exact"))
    for epsilon, measured in report.shells.items():
        assert measured == pytest.approx(shell_fraction(epsilon, 10), abs=0.03)


def test_even_rows_leave_as_many_cells_empty_as_expected():
    X = np.random.default_rng(0).random((1000, 3))
    for d, measured in dimensionality_report(X).empty_bins.items():
        assert measured == pytest.approx(empty_fraction(1000, 10, d), abs=0.03)


def test_distances_concentrate_and_hubs_appear_with_dimensions():
    rng = np.random.default_rng(0)
    low, high = (dimensionality_report(rng.normal(size=(400, d))) for d in (2, 100))
    assert high.distance_spread < 0.2 * low.distance_spread
    assert high.radius_spread < 0.2 * low.radius_spread
    assert 1 < high.distance_contrast < 1.5 < low.distance_contrast
    assert high.hubness > low.hubness + 1
    assert high.occurrences.sum() == 4000


def test_a_plane_in_many_dimensions_is_a_plane():
    rng = np.random.default_rng(0)
    X = rng.random((2000, 2)) @ rng.normal(size=(2, 30))
    report = dimensionality_report(X)
    assert report.n_features == 30
    assert report.dimension == pytest.approx(2.0, abs=0.15)
    assert report.dimension_interval[0] < 2.0 < report.dimension_interval[1]


def test_a_sample_is_said_and_seeded():
    X = np.random.default_rng(0).random((1200, 3))
    first, second = dimensionality_report(X), dimensionality_report(X)
    assert first.distance_spread == second.distance_spread
    assert first.decisions.about("concentration")


def test_copies_only_have_no_dimension_and_no_spread():
    report = dimensionality_report(np.ones((20, 2)), k=3)
    assert np.isnan(report.dimension)
    assert report.distance_spread == 0.0


def test_sparse_rows_have_no_bins():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ParameterTypeError, match="dense"):
        dimensionality_report(sparse.csr_matrix(np.eye(20)), k=3)
