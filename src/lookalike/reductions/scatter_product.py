"""The scatter of the rows times a block of vectors, without the scatter itself."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk
from lookalike.kernels.native_arrays import native_matrix
from lookalike.typing import AnyArray, Array

# Sums over rows: projections times the rows minus the center (b, d), and projections (b,).
Products: TypeAlias = tuple[Array, Array]


class ScatterProduct:
    r"""The scatter matrix times some vectors, in one pass over the rows.

    .. math:: S V = \sum_n w_n (x_n - \bar x) \big((x_n - \bar x)^\top V\big)

    The matrix of d x d numbers is never formed. float32 rows are multiplied in float32, chunk by
    chunk, and added in float64.

    Parameters
    ----------
    vectors : ndarray of shape (d, b)
        The block.
    mean, tail : ndarray of shape (d,)
        Mean of the rows, and its part beyond 53 bits.
    dtype : dtype, optional
        Of the rows, as the kernels take them. The mean, rounded to it, is taken out of the rows,
        which is right at any offset. Where None, it is taken out of the products alone, which
        spares a copy of the rows, and does for sparse ones and for means that are small compared
        with the deviations.
    """

    def __init__(self, vectors: Array, mean: Array, tail: Array, dtype: Any = None) -> None:
        self.vectors = vectors
        self.center: AnyArray | None = None if dtype is None else mean.astype(dtype)
        self.rest: Array = mean + tail if self.center is None else (mean - self.center) + tail

    def init(self, n_features: int) -> Products:
        """Return the sums over no rows."""
        width = self.vectors.shape[1]
        return np.zeros((width, n_features)), np.zeros(width)

    def update(self, state: Products, chunk: Chunk) -> Products:
        """Add the rows of `chunk`."""
        X = chunk.X.astype(np.float64) if sp.issparse(chunk.X) else native_matrix(chunk.X)
        if self.center is not None:
            X = X - self.center.astype(X.dtype, copy=False)
        along = X @ self.vectors.astype(X.dtype) - (self.rest @ self.vectors).astype(X.dtype)
        if chunk.weight is not None:
            along *= chunk.weight[:, None].astype(X.dtype)
        total = along.sum(axis=0, dtype=np.float64)
        return state[0] + along.T @ X, state[1] + total

    def merge(self, left: Products, right: Products) -> Products:
        """Add two groups of rows."""
        return left[0] + right[0], left[1] + right[1]

    def finalize(self, state: Products) -> Array:
        """Return the product, less what the rest of the mean adds to it."""
        product, along = state
        return (product - np.multiply.outer(along, self.rest)).T
