"""Eigenvalues and a few eigenvectors of symmetric matrices."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.kernels.symmetric import Symmetric


def matrix(size, rank=None):
    X = np.random.default_rng(size).normal(size=(rank or 2 * size, size))
    return X.T @ X


@pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 200])
def test_values_and_vectors_equal_numpys(size):
    A = matrix(size)
    result = Symmetric(A)
    values, vectors = np.linalg.eigh(A)
    np.testing.assert_allclose(result.values, values[::-1], rtol=1e-9, atol=1e-12 * values[-1])
    for n_vectors in {1, size // 5, size // 2, size} - {0}:
        mine = result.vectors(n_vectors)
        assert mine.shape == (n_vectors, size)
        np.testing.assert_allclose(mine @ mine.T, np.eye(n_vectors), atol=1e-11)
        theirs = vectors[:, ::-1][:, :n_vectors].T
        np.testing.assert_allclose(abs((mine * theirs).sum(axis=1)), 1.0, rtol=1e-8)


def test_equal_values_have_orthonormal_vectors():
    A = np.eye(100)
    A[0, 0] = 3.0
    result = Symmetric(A)
    np.testing.assert_allclose(result.values[:3], [3, 1, 1])
    vectors = result.vectors(20)
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(20), atol=1e-12)
    np.testing.assert_allclose(A @ vectors.T, vectors.T * result.values[:20], atol=1e-12)


def test_the_matrix_given_is_not_changed():
    A = matrix(80)
    before = A.copy()
    Symmetric(A).vectors(3)
    np.testing.assert_array_equal(A, before)


def test_no_vectors_may_be_asked_for():
    assert Symmetric(matrix(70)).vectors(0).shape == (0, 70)
