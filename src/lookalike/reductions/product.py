"""The scatter of the rows times a block of vectors, without the scatter itself."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk
from lookalike.kernels.layout import native_matrix
from lookalike.typing import AnyArray, Array


class ScatterProduct:
    r"""What the scatter matrix makes of some vectors, in one pass over the rows.

    .. math:: S V = \sum_n w_n (x_n - \bar x) \big((x_n - \bar x)^\top V\big)

    The matrix of d x d numbers is never formed. float32 rows are multiplied in float32, chunk by
    chunk, and added in float64.

    Parameters
    ----------
    vectors : ndarray of shape (d, b)
        The block.
    mean, tail : ndarray of shape (d,)
        Mean of the rows, and what it has beyond 53 bits.
    subtract : bool
        Whether the mean is taken out of the rows, which is right at any offset, or out of the
        products alone, which spares a copy of the rows and does for means that are small beside
        the deviations. Sparse rows are never filled.
    """

    def __init__(self, vectors: Array, mean: Array, tail: Array, *, subtract: bool = True) -> None:
        self.vectors = vectors
        self.mean = mean
        self.tail = tail
        self.subtract = subtract

    def init(self, n_features: int) -> Array:  # noqa: ARG002 - the block knows
        """Return the product over no rows."""
        return np.zeros_like(self.vectors)

    def update(self, state: Array, chunk: Chunk) -> Array:
        """Add the rows of `chunk`."""
        X, rest = chunk.X, self.mean + self.tail
        if sp.issparse(X):
            X = X.astype(np.float64)
        else:
            X = native_matrix(X)
            if self.subtract:
                center = self.mean.astype(X.dtype)
                X = X - center
                rest = (self.mean - center) + self.tail  # what the rounded centre leaves
        along = X @ self.vectors.astype(X.dtype) - (rest @ self.vectors).astype(X.dtype)
        if chunk.weight is not None:
            along *= chunk.weight[:, None].astype(X.dtype)
        total: AnyArray = along.sum(axis=0, dtype=np.float64)
        return np.asarray(state + X.T @ along - np.multiply.outer(rest, total))

    def merge(self, left: Array, right: Array) -> Array:
        """Add two groups of rows."""
        return left + right

    def finalize(self, state: Array) -> Array:
        """Return the product."""
        return state
