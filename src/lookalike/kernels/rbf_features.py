"""Gaussian basis functions around centers: the hidden layer of an RBF network."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.distance import squared_distances
from lookalike.kernels.gram import Kernel
from lookalike.kernels.native_arrays import as_dense
from lookalike.typing import AnyArray, Array, is_tensor


class RadialFeatures:
    r"""Gaussian basis functions of one width around centers.

    .. math:: \Phi_j(x) = \phi\Big(\frac{\|x - \mu_j\|}{r}\Big), \qquad \phi(z) = e^{-z^2 / 2}

    [UGR]. With `normalized`, the basis functions of a row are divided by their sum, which is
    never zero: distances are measured from the nearest center, whose basis function is one
    however far off it is.

    Examples
    --------
    >>> RadialFeatures(np.array([[0.0], [2.0]]), 1.0)(np.array([[0.0]])).round(4)
    array([[1.    , 0.1353]])
    >>> RadialFeatures(np.array([[0.0], [2.0]]), 1.0, normalized=True)(np.array([[1e9]]))
    array([[0., 1.]])
    """

    on_card = True  # reads tensors as well

    def __init__(self, centers: Array, width: float, *, normalized: bool = False) -> None:
        self.centers = centers
        self.basis_width = width
        self.normalized = normalized
        self.width = len(centers)  # columns of what it returns

    def __call__(self, X: object) -> Any:
        """Return the basis functions of the rows of `X`, (n, centers), on the card of a tensor."""
        if is_tensor(X):
            from lookalike.kernels.gpu.rbf_features import basis_functions

            return basis_functions(X, self.centers, self.basis_width, normalized=self.normalized)
        rows = as_dense(X)
        if not self.normalized:
            gamma = 0.5 / self.basis_width**2
            return Kernel("rbf", gamma=gamma, shift=self.centers.mean(axis=0))(rows, self.centers)
        return self._normalized(rows)

    def each(self, X: object) -> Array:
        """Return the same, a row giving the same bits alone and among others."""
        rows = as_dense(X)
        if self.normalized:
            return self._normalized(rows)
        with np.errstate(over="ignore"):
            widths = np.sqrt(squared_distances(rows, self.centers)) / self.basis_width
            return np.asarray(np.exp(-(widths**2) / 2))

    def _normalized(self, rows: AnyArray) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            distance = np.sqrt(squared_distances(rows, self.centers))
            nearest = distance.min(axis=1, keepdims=True)
            gap = (distance - nearest) / self.basis_width
            basis = np.exp(-gap * ((distance + nearest) / self.basis_width) / 2)
        basis = np.where(distance == nearest, 1.0, np.nan_to_num(basis, nan=0.0))
        return np.asarray(basis / basis.sum(axis=1, keepdims=True))
