"""The leading singular values of sparse matrices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike
from lookalike.errors import MemoryBudgetError
from lookalike.models.linalg import truncated_svd as module
from lookalike.models.linalg.truncated_svd import truncated_svd


def sparse(shape, density=0.05, seed=0):
    return sp.random_array(shape, density=density, rng=np.random.default_rng(seed), format="csr")


def assert_is_the_svd(X, found, rtol=1e-10):
    k = len(found.values)
    values = np.linalg.svd(X.toarray(), compute_uv=False)[:k]
    np.testing.assert_allclose(found.values, values, rtol=rtol, atol=1e-12 * max(values[0], 1))
    np.testing.assert_allclose(found.left.T @ found.left, np.eye(k), atol=1e-10)
    np.testing.assert_allclose(found.right @ found.right.T, np.eye(k), atol=1e-10)
    size = max(values[0], 1e-300)
    forth = np.linalg.norm(X @ found.right.T - found.left * found.values, axis=0).max() / size
    assert forth <= 1e-7
    assert found.residual <= 1e-7


@pytest.mark.parametrize("shape", [(40, 60), (60, 40), (1, 7), (7, 1), (300, 500), (500, 300)])
@pytest.mark.parametrize("k", [1, 5])
def test_both_solvers_find_the_singular_values_of_numpy(shape, k):
    X = sparse(shape, 0.2)
    found = truncated_svd(X, min(k, *shape))
    assert found.solver == ("lanczos" if min(shape) >= 300 else "gram")
    assert_is_the_svd(X, found)


def test_as_many_as_there_are_can_be_asked_for():
    assert_is_the_svd(sparse((80, 50), 0.3), truncated_svd(sparse((80, 50), 0.3), 50), rtol=1e-9)


def test_both_solvers_agree(monkeypatch):
    X = sparse((400, 700))
    lanczos = truncated_svd(X, 10)
    monkeypatch.setattr(module, "SMALL", 1000)
    gram = truncated_svd(X, 10)
    assert (lanczos.solver, gram.solver) == ("lanczos", "gram")
    np.testing.assert_allclose(lanczos.values, gram.values, rtol=1e-12)
    np.testing.assert_allclose(lanczos.right, gram.right, atol=1e-6)


@pytest.mark.parametrize("shape", [(30, 40), (320, 400)])
def test_values_beyond_the_rank_are_zero_and_their_vectors_orthonormal(shape):
    rng = np.random.default_rng(1)
    X = sp.csr_array(rng.integers(0, 3, (shape[0], 2)) @ rng.integers(0, 3, (2, shape[1])) * 1.0)
    found = truncated_svd(X, 5)
    assert np.count_nonzero(found.values) == 2
    assert_is_the_svd(X, found)


def test_a_matrix_of_zeros_has_zeros_for_values():
    found = truncated_svd(sp.csr_array((4, 3)), 3)
    assert found.values.tolist() == [0, 0, 0]
    np.testing.assert_array_equal(found.right @ found.right.T, np.eye(3))


def test_each_right_vector_has_a_positive_largest_entry_and_the_same_call_the_same_bits():
    X = sparse((300, 350))
    first, second = truncated_svd(X, 8), truncated_svd(X, 8)
    largest = np.take_along_axis(first.right, abs(first.right).argmax(axis=1)[:, None], axis=1)
    assert (largest > 0).all()
    for mine, again in zip(first, second, strict=True):
        np.testing.assert_array_equal(mine, again)


def test_a_matrix_too_large_for_all_pairs_is_refused_with_advice():
    X = sparse((600, 700))
    with lookalike.config(memory="1MB"), pytest.raises(MemoryBudgetError, match="fewer than 300"):
        truncated_svd(X, 400)


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_any_small_matrix_is_decomposed(n_rows, n_columns, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    X = sp.csr_array(rng.integers(0, 3, (n_rows, n_columns)).astype(float))
    k = data.draw(st.integers(1, min(n_rows, n_columns)))
    assert_is_the_svd(X, truncated_svd(X, k), rtol=1e-6)
