"""The leading eigenvalues of a matrix known by its products."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.models.linalg.krylov import leading_pairs


def matrix(values, seed=0):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    return (turn * values) @ turn.T, turn


@pytest.mark.parametrize("decay", [0.5, 0.9, 0.99])
def test_it_finds_the_largest_pairs_to_the_residual_it_states(decay):
    values = 10.0 * decay ** np.arange(300)
    A, turn = matrix(values)
    start = np.random.default_rng(1).normal(size=(300, 8))
    value, vector, residual, _ = leading_pairs(
        lambda V: A @ V, start, 5, tolerance=1e-11, passes=200
    )
    assert residual <= 1e-11
    np.testing.assert_allclose(value, values[:5], rtol=1e-12)
    np.testing.assert_allclose(abs(np.diag(vector @ turn[:, :5])), 1.0, rtol=1e-10)
    apart = np.linalg.norm(A @ vector.T - vector.T * value, axis=0).max()
    assert apart / values[0] <= residual * (1 + 1e-6) + 1e-14


def test_a_tight_cluster_of_values_is_found_whole():
    values = np.concatenate([[5.0, 5.0, 5.0], np.linspace(1, 0, 97)])
    A, turn = matrix(values)
    start = np.random.default_rng(2).normal(size=(100, 6))
    value, vector, _, _ = leading_pairs(lambda V: A @ V, start, 3, tolerance=1e-10, passes=100)
    np.testing.assert_allclose(value, [5, 5, 5], rtol=1e-12)
    np.testing.assert_allclose(np.linalg.svd(vector @ turn[:, :3])[1], 1.0, rtol=1e-9)


def test_a_matrix_of_low_rank_ends_the_search_early():
    A, _ = matrix(np.concatenate([[3.0, 2.0], np.zeros(48)]))
    start = np.random.default_rng(3).normal(size=(50, 8))
    value, _, _, passes = leading_pairs(lambda V: A @ V, start, 5, tolerance=1e-12, passes=100)
    np.testing.assert_allclose(value, [3, 2, 0, 0, 0], atol=1e-12)
    assert passes <= 3


def test_no_more_passes_than_allowed_are_made():
    A, _ = matrix(1.0 - 1e-4 * np.arange(200))
    start = np.random.default_rng(4).normal(size=(200, 4))
    _, _, residual, passes = leading_pairs(lambda V: A @ V, start, 2, tolerance=1e-14, passes=7)
    assert passes == 7
    assert residual > 1e-14
