"""The scatter of a block, with columns that stand still for a while or altogether."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.kernels.scatter import SCATTER_BLOCK_ROWS, scatter


def images(n_rows, dtype=np.float64):
    """Return rows of which some columns never vary, and some in a few rows alone."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 12)) * (rng.random((n_rows, 12)) < 0.3)
    X[:, [0, 5, 6, 11]] = [0.0, 7.0, -3.0, 0.0]
    X[: n_rows // 2, 3] = 0.0
    X[-1, 11] = 2.0
    return X.astype(dtype)


@pytest.mark.parametrize("n_rows", [1, 2, 65, SCATTER_BLOCK_ROWS, 2 * SCATTER_BLOCK_ROWS + 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_scatter_equals_the_plain_sums_where_columns_stand_still(n_rows, weighted):
    X = images(n_rows)
    weight = np.arange(n_rows) % 3 + 0.5 if weighted else None
    result = scatter(X, weight)
    w = np.ones(n_rows) if weight is None else weight
    mean = w @ X / w.sum()
    np.testing.assert_allclose(result.mean, mean, rtol=1e-13, atol=1e-14)
    expected = (X - mean).T @ (w[:, None] * (X - mean))
    np.testing.assert_allclose(result.scatter, expected, rtol=1e-11, atol=1e-11)
    assert result.count == pytest.approx(w.sum())


def test_a_column_that_never_varies_has_exactly_no_scatter_at_any_offset():
    X = images(3000, np.float32) + np.float32(1e6)
    result = scatter(X)
    still = [0, 5, 6]
    assert not result.scatter[still].any()
    assert not result.scatter[:, still].any()
    assert result.mean[still].tolist() == X[0, still].tolist()


def test_no_rows_have_no_scatter():
    result = scatter(np.empty((0, 3)))
    assert result.count == 0
    assert not result.scatter.any()
