"""Fourth moments of the rows around known centers: how uncertain a covariance is."""

from __future__ import annotations

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.kernels.native_arrays import as_dense, native_matrix
from lookalike.reductions.by_class import labels_of
from lookalike.typing import AnyArray, Array


class FourthMoments:
    r"""Sum of the fourth powers of the lengths of the rows, for every class and for all rows.

    .. math:: q_c = \sum_{n \in c} w_n \Big(\sum_j \frac{(x_{nj} - m_{cj})^2}{s_{cj}^2}\Big)^2

    It is what the shrinkage of [Ledoit04] needs in addition to the covariance. Centers and
    scales come from a first pass.

    Parameters
    ----------
    classes : ndarray of shape (c,)
        Labels in sorted order; rows of others are left out of all but the last sum.
    center, scale : ndarray of shape (c + 1, d)
        Those of every class, and last those of all rows.
    """

    def __init__(self, classes: AnyArray, center: Array, scale: Array) -> None:
        self.classes = classes
        self.center = center
        self.scale = scale

    def init(self, n_features: int) -> Array:  # noqa: ARG002 - a sum has no width
        """Return the sums over no rows."""
        return np.zeros(len(self.center))

    def update(self, state: Array, chunk: Chunk) -> Array:
        """Add the rows of `chunk`."""
        y = labels_of(chunk)
        X = as_dense(chunk.X)
        X = native_matrix(X)
        weight = np.ones(len(X)) if chunk.weight is None else chunk.weight
        sums = state.copy()
        for number, label in enumerate(self.classes):
            in_class = y == label
            sums[number] += weight[in_class] @ self._square(X[in_class], number) ** 2
        sums[-1] += weight @ self._square(X, -1) ** 2
        return sums

    def merge(self, left: Array, right: Array) -> Array:
        """Add the sums over two groups of rows."""
        return left + right

    def finalize(self, state: Array) -> Array:
        """Return the sums, of shape (c + 1,)."""
        return state

    def _square(self, X: AnyArray, number: int) -> Array:
        scaled = (X - self.center[number]) / self.scale[number]
        return np.asarray(np.einsum("ij,ij->i", scaled, scaled))
