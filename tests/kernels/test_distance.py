"""The native distance equals the reference bit for bit, whatever the numbers and their layout."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.kernels.distance import squared_distances

DTYPES = ("float32", "float64", "uint8", "int8", "float16", "int16", "int32", "uint32", "bool")


def some_rows(rng, n, d, dtype):
    if dtype == "bool":
        return rng.random((n, d)) < 0.5
    if np.dtype(dtype).kind in "iu":
        bounds = np.iinfo(dtype)
        return rng.integers(bounds.min, bounds.max, (n, d), endpoint=True).astype(dtype)
    return (rng.standard_normal((n, d)) * 100).astype(dtype)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 70),
    st.integers(1, 9),
    st.sampled_from(DTYPES),
    st.sampled_from(DTYPES),
)
def test_native_keys_are_the_reference(seed, d, n, of_queries, of_rows):
    rng = np.random.default_rng(seed)
    Q, X = some_rows(rng, 3, d, of_queries), some_rows(rng, n, d, of_rows)
    assert np.array_equal(squared_distances(Q, X), oracle.squared_distances(Q, X))


@pytest.mark.parametrize(
    "layout",
    [
        lambda X: X[::2],
        lambda X: X[:, ::2],
        lambda X: X[::-1],
        lambda X: X.T,
        np.asfortranarray,
        lambda X: np.broadcast_to(X[:1], X.shape),
        lambda X: X.astype(X.dtype.newbyteorder()),
    ],
)
def test_every_layout_is_read_right(layout):
    X = layout(np.random.default_rng(0).standard_normal((12, 12)))
    assert np.array_equal(squared_distances(X, X), oracle.squared_distances(X, X))


def test_zero_of_either_sign_is_the_same_place():
    assert squared_distances(np.array([[-0.0]]), np.array([[0.0]])) == 0
