"""Eigenvectors and their signs are determined by the rows alone, not by the solver."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import PCA
from lookalike.models.linalg.eigenvectors import fix_signs, principal_axes

FALLING = np.array([[1.0, -1.0], [-2.0, 2.0], [3.0, -3.0], [0.1, 0.1], [-0.1, -0.1]])


def turned(values, seed):
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))[0]
    return (turn * values) @ turn.T, turn


@pytest.mark.parametrize("n_features", [5, 100])
def test_directions_are_eigenvectors_by_falling_variance(n_features):
    S, turn = turned(np.arange(n_features, 0.0, -1.0), 0)
    for n_axes in (1, 3, n_features):
        variance, axes, rank = principal_axes(S, n_axes)
        np.testing.assert_allclose(variance, np.arange(n_features, 0, -1), rtol=1e-11)
        np.testing.assert_allclose(abs(np.diag(axes @ turn[:, :n_axes])), 1.0, rtol=1e-11)
        assert rank == n_features


@pytest.mark.parametrize("n_features", [6, 90])
def test_equal_variances_take_the_coordinate_axes_projected_in_order(n_features):
    values = np.concatenate([[9.0, 4.0, 4.0, 4.0], np.ones(n_features - 4)])
    S, turn = turned(values, 1)
    _, axes, _ = principal_axes(S, 3)
    space = turn[:, 1:4]
    first = space @ space[0]
    np.testing.assert_allclose(abs(axes[1] @ first) / np.linalg.norm(first), 1.0, rtol=1e-9)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.diag(axes @ S @ axes.T), [9, 4, 4], rtol=1e-10)


def test_the_empty_space_is_described_by_the_first_coordinate_axes():
    S = np.diag([0.0, 2.0, 0.0, 1.0, 0.0])
    variance, axes, rank = principal_axes(S)
    assert rank == 2
    assert variance.tolist() == [2, 1, 0, 0, 0]
    assert axes.tolist() == np.eye(5)[[1, 3, 0, 2, 4]].tolist()


@pytest.mark.parametrize("seed", range(5))
def test_all_directions_are_found_whatever_the_empty_space(seed):
    rng = np.random.default_rng(seed)
    n_features = int(rng.integers(2, 120))
    rank = int(rng.integers(0, n_features + 1))
    S, _ = turned(np.concatenate([1 + rng.random(rank), np.zeros(n_features - rank)]), seed)
    _, axes, found = principal_axes(S)
    assert found == rank
    np.testing.assert_allclose(axes @ axes.T, np.eye(n_features), atol=1e-11)


@pytest.mark.parametrize("solver", ["covariance_eigh", "gram", "full", "auto"])
def test_of_entries_equally_large_the_first_is_positive_on_every_solver(solver):
    half = np.sqrt(0.5)
    for model in (PCA(svd_solver=solver).fit(FALLING), PCA(svd_solver=solver).fit(-FALLING)):
        np.testing.assert_allclose(model.components_, [[half, -half], [half, half]], atol=1e-12)
    parts = PCA().partial_fit(FALLING[:2]).partial_fit(FALLING[2:])
    np.testing.assert_allclose(parts.components_, model.components_, atol=1e-12)
    np.testing.assert_array_equal(model.fit_transform(FALLING), model.transform(FALLING))


def test_rounding_does_not_decide_between_entries_equally_large():
    for last in (0.6, np.nextafter(0.6, 1), np.nextafter(0.6, 0)):
        assert (fix_signs(np.array([[-0.6, last]]))[0] == [0.6, -last]).all()
