"""The scatter of the rows times vectors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lookalike.data.chunk import Chunk
from lookalike.reductions.scatter_product import ScatterProduct


@pytest.mark.parametrize(
    ("kind", "dtype"), [("dense", None), ("dense", np.float64), ("sparse", None)]
)
def test_it_is_the_scatter_matrix_times_the_vectors(kind, dtype):
    rng = np.random.default_rng(0)
    X, V, weight = rng.normal(size=(50, 6)) + 0.5, rng.normal(size=(6, 2)), rng.random(50)
    mean = weight @ X / weight.sum()
    reduction = ScatterProduct(V, mean, np.zeros(6), dtype)
    rows = sp.csr_array(X) if kind == "sparse" else X
    result = reduction.finalize(reduction.update(reduction.init(6), Chunk(rows, weight=weight)))
    scatter = (X - mean).T @ ((X - mean) * weight[:, None])
    np.testing.assert_allclose(result, scatter @ V, rtol=1e-12)


def test_a_common_offset_does_no_harm_when_the_mean_is_subtracted():
    rng = np.random.default_rng(1)
    X, V = rng.normal(size=(50, 6)) + 1e8, rng.normal(size=(6, 2))
    mean = (X - 1e8).mean(axis=0)
    reduction = ScatterProduct(V, np.full(6, 1e8), mean, np.float64)
    result = reduction.finalize(reduction.update(reduction.init(6), Chunk(X)))
    centered = X - 1e8 - mean
    np.testing.assert_allclose(result, centered.T @ centered @ V, rtol=1e-11)
