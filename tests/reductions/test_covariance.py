"""Mean and covariance of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from laws import gather

from lookalike.data.chunk import Chunk
from lookalike.reductions.covariance import Covariance


def covariance(X, weight=None, *, ddof=1, rows=None):
    reduction = Covariance(ddof=ddof)
    rows = rows or len(X)
    chunks = [
        Chunk(X[i : i + rows], weight=None if weight is None else weight[i : i + rows], offset=i)
        for i in range(0, len(X), rows)
    ]
    return reduction.finalize(gather(reduction, chunks, X.shape[1]))


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(500, 6)) @ rng.normal(size=(6, 6))


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("chunk_rows", [1, 7, 500])
def test_covariance_equals_numpys_for_any_chunking(rows, ddof, chunk_rows):
    result = covariance(rows, ddof=ddof, rows=chunk_rows)
    np.testing.assert_allclose(result[2], np.cov(rows.T, ddof=ddof), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(result[1], rows.mean(axis=0), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("offset", [1e6, 1e8, 1e12])
@pytest.mark.parametrize("chunk_rows", [1, 64, 500])
def test_a_common_offset_does_no_harm_in_float64(rows, offset, chunk_rows):
    shifted = rows + offset
    exact = np.cov((shifted - offset).T)  # the shift back is exact
    result = covariance(shifted, rows=chunk_rows)
    assert abs(result[2] - exact).max() <= 1e-12 * np.trace(exact)


def test_float32_rows_at_offset_1e6_are_right_to_1e_6_of_the_trace(rows):
    shifted = (50 * rows + 1e6).astype(np.float32)
    exact = np.cov(shifted.astype(np.float64).T - 1e6)
    result = covariance(shifted)
    assert abs(result[2] - exact).max() <= 1e-6 * np.trace(exact)


def test_whole_weights_count_as_repeated_rows(rows):
    weight = np.random.default_rng(1).integers(0, 4, len(rows))
    repeated = covariance(np.repeat(rows, weight, axis=0))
    weighted = covariance(rows, weight.astype(float))
    np.testing.assert_allclose(weighted[2], repeated[2], rtol=1e-12)
    np.testing.assert_allclose(weighted[1], repeated[1], rtol=1e-12)


def test_unsigned_bytes_do_not_wrap():
    X = np.array([[3, 200], [200, 3], [0, 255]], dtype=np.uint8)
    np.testing.assert_allclose(covariance(X)[2], np.cov(X.astype(float).T))


def test_one_row_has_no_covariance():
    result = covariance(np.array([[3.0, 4.0]]))
    assert result[1].tolist() == [3.0, 4.0]
    assert not result[2].any()
