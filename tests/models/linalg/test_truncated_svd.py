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
    values, right, projected, solver = found
    k = len(values)
    expected = np.linalg.svd(X.toarray(), compute_uv=False)[:k]
    size = max(expected[0], 1e-300)
    np.testing.assert_allclose(values, expected, rtol=rtol, atol=1e-12 * max(size, 1))
    np.testing.assert_allclose(right @ right.T, np.eye(k), atol=1e-10)
    np.testing.assert_array_equal(projected, X @ right.T)
    left = projected[:, values > 0] / values[values > 0]
    np.testing.assert_allclose(left.T @ left, np.eye(left.shape[1]), atol=1e-10)
    back = X.T @ left - right[values > 0].T * values[values > 0]
    assert np.linalg.norm(back, axis=0).max(initial=0.0) / size <= 1e-7
    assert float(solver.reason.split()[1]) <= 1e-7


@pytest.mark.parametrize("shape", [(40, 60), (60, 40), (1, 7), (7, 1), (300, 500), (500, 300)])
@pytest.mark.parametrize("k", [1, 5])
def test_both_solvers_find_the_singular_values_of_numpy(shape, k):
    X = sparse(shape, 0.2)
    found = truncated_svd(X, min(k, *shape))
    assert found[3].choice == ("lanczos" if min(shape) >= 300 else "gram")
    assert_is_the_svd(X, found)


def test_as_many_as_there_are_can_be_asked_for():
    assert_is_the_svd(sparse((80, 50), 0.3), truncated_svd(sparse((80, 50), 0.3), 50), rtol=1e-9)


def test_both_solvers_agree(monkeypatch):
    X = sparse((400, 700))
    values, right, _, lanczos = truncated_svd(X, 10)
    monkeypatch.setattr(module, "MAX_SIDE_ALWAYS_GRAM", 1000)
    other_values, other_right, _, gram = truncated_svd(X, 10)
    assert (lanczos.choice, gram.choice) == ("lanczos", "gram")
    np.testing.assert_allclose(values, other_values, rtol=1e-12)
    np.testing.assert_allclose(right, other_right, atol=1e-6)


@pytest.mark.parametrize("shape", [(30, 40), (320, 400)])
def test_values_beyond_the_rank_are_zero_and_their_vectors_orthonormal(shape):
    rng = np.random.default_rng(1)
    X = sp.csr_array(rng.integers(0, 3, (shape[0], 2)) @ rng.integers(0, 3, (2, shape[1])) * 1.0)
    found = truncated_svd(X, 5)
    assert np.count_nonzero(found[0]) == 2
    assert_is_the_svd(X, found)


def test_a_matrix_of_zeros_has_zeros_for_values():
    values, right, *_ = truncated_svd(sp.csr_array((4, 3)), 3)
    assert values.tolist() == [0, 0, 0]
    np.testing.assert_array_equal(right @ right.T, np.eye(3))


def test_each_right_vector_has_a_positive_largest_entry_and_the_same_call_the_same_bits():
    X = sparse((300, 350))
    first, second = truncated_svd(X, 8), truncated_svd(X, 8)
    right = first[1]
    largest = np.take_along_axis(right, abs(right).argmax(axis=1)[:, None], axis=1)
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
