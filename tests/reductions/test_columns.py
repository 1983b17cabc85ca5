"""Count, mean, variance, smallest and largest value of every column."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from laws import assert_close, gather

from lookalike.data.chunk import Chunk
from lookalike.reductions.columns import Columns


def summary(X, weight=None, *, ddof=0):
    reduction = Columns(ddof=ddof)
    return reduction.finalize(gather(reduction, [Chunk(X, weight=weight)], X.shape[1]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.uint8, np.int64, bool])
def test_summary_equals_numpys_for_every_type(dtype):
    X = (np.random.default_rng(0).normal(size=(300, 4)) * 3 + 20).astype(dtype)
    result, exact = summary(X, ddof=1), X.astype(np.float64)
    np.testing.assert_allclose(result.mean, exact.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(result.variance, exact.var(axis=0, ddof=1), rtol=1e-10)
    assert result.least.tolist() == exact.min(axis=0).tolist()
    assert result.most.tolist() == exact.max(axis=0).tolist()


@pytest.mark.parametrize("offset", [1e6, 1e8, 1e12])
def test_a_common_offset_does_no_harm(offset):
    X = np.random.default_rng(0).normal(size=(1000, 3)) + offset
    exact = (X - offset).var(axis=0)
    np.testing.assert_allclose(summary(X).variance, exact, rtol=1e-10)


def test_missing_values_are_left_out_and_an_empty_column_has_nan():
    X = np.array([[1.0, np.nan, np.nan], [3.0, 5.0, np.nan]])
    result = summary(X)
    assert result.count.tolist() == [2.0, 1.0, 0.0]
    np.testing.assert_array_equal(result.mean, [2.0, 5.0, np.nan])
    np.testing.assert_array_equal(result.variance, [1.0, 0.0, np.nan])
    np.testing.assert_array_equal(result.least, [1.0, 5.0, np.nan])


def test_whole_weights_count_as_repeated_rows():
    rng = np.random.default_rng(1)
    X, weight = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    assert_close(summary(X, weight.astype(float)), summary(np.repeat(X, weight, axis=0)))


def test_rows_of_weight_zero_set_neither_least_nor_most():
    result = summary(np.array([[1.0], [99.0], [2.0]]), np.array([1.0, 0.0, 1.0]))
    assert (result.least.item(), result.most.item()) == (1.0, 2.0)


def test_sparse_rows_give_what_dense_rows_give():
    rng = np.random.default_rng(2)
    X = np.where(rng.random((80, 5)) < 0.6, 0.0, rng.normal(size=(80, 5)))
    X[:, 4] = 0.0
    weight = rng.integers(0, 3, 80).astype(float)
    for w in (None, weight):
        assert_close(summary(sp.csr_array(X), w), summary(X, w), rtol=1e-12, atol=1e-13)


def test_fortran_strided_and_read_only_rows_are_read_as_they_are():
    X = np.random.default_rng(3).normal(size=(50, 8))
    X.setflags(write=False)
    for view in (np.asfortranarray(X), X[::-1], X[:, ::2], X.T[:4].T):
        assert_close(summary(view), summary(np.ascontiguousarray(view)), rtol=0, atol=0)
