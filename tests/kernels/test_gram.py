"""Gram matrices against scikit-learn's, and where those lose their digits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import pairwise_kernels

from lookalike.kernels.gram import Kernel

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(30, 4)), rng.normal(size=(12, 4))
NAMES = ("linear", "poly", "rbf", "sigmoid", "cosine")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_gram_matrix_is_that_of_scikit_learn(name, kind):
    kernel = Kernel(name, gamma=0.3, degree=2, coef0=0.5)
    settings = {"gamma": 0.3, "degree": 2, "coef0": 0.5}
    expected = pairwise_kernels(X, Y, metric=name, filter_params=True, **settings)
    np.testing.assert_allclose(kernel(kind(X), kind(Y)), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_the_diagonal_is_that_of_the_gram_matrix(name):
    kernel = Kernel(name, gamma=0.3, degree=2, coef0=0.5)
    np.testing.assert_allclose(kernel.diagonal(X), kernel(X).diagonal(), rtol=1e-13)
    np.testing.assert_allclose(kernel.diagonal(sp.csr_array(X)), kernel(X).diagonal(), rtol=1e-13)


def test_an_offset_does_no_harm_to_the_rbf_kernel():
    far = X + 1e8
    expected = np.exp(-0.5 * cdist(far, far, "sqeuclidean"))
    shifted = Kernel("rbf", gamma=0.5, shift=far.mean(axis=0))(far)
    np.testing.assert_allclose(shifted, expected, rtol=1e-12)


def test_groups_far_apart_keep_the_digits_within_each():
    groups = np.vstack([X, X + 1e8])
    gram = Kernel("rbf", gamma=0.5, shift=groups.mean(axis=0))(groups)
    expected = np.exp(-0.5 * cdist(groups, groups, "sqeuclidean"))
    np.testing.assert_allclose(gram, expected, rtol=1e-6, atol=1e-12)


def test_an_infinite_gamma_tells_equal_rows_from_others():
    rows = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0 + 1e-12]])
    assert Kernel("rbf", gamma=np.inf)(rows).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_a_row_of_zeros_has_no_cosine():
    assert Kernel("cosine")(np.array([[0.0, 0.0], [3.0, 4.0]])).tolist() == [[0, 0], [0, 1]]


def test_a_function_of_two_rows_is_a_kernel():
    def common(x, y, power):
        return np.minimum(x, y).sum() ** power

    gram = Kernel(common, parameters={"power": 2})(np.abs(X[:3]), np.abs(Y[:2]))
    assert gram[2, 1] == pytest.approx(common(np.abs(X[2]), np.abs(Y[1]), 2))
