"""Gaussian basis functions around centers: the hidden layer of an RBF network."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from lookalike.interrupt import interruptible
from lookalike.kernels.distance import squared_distances
from lookalike.kernels.gram import Kernel
from lookalike.kernels.native_arrays import as_dense
from lookalike.typing import AnyArray, Array, is_tensor

CENTER_JITTER = 1e-9  # added to the kernel of a center with itself, which is 1


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

    width: int

    on_gpu = True  # reads tensors as well

    def __init__(
        self,
        centers: Array,
        width: float,
        *,
        normalized: bool = False,
        mix: Array | None = None,
    ) -> None:
        self.centers = centers
        self.basis_width = width
        self.normalized = normalized
        self.mix = mix  # (centers, columns): weighted sums of basis functions, where given
        self.width = len(centers) if mix is None else mix.shape[1]  # columns of what it returns

    def __call__(self, X: object) -> Any:
        """Return the basis functions of the rows of `X`, (n, centers), on the GPU of a tensor."""
        if is_tensor(X):
            from lookalike.kernels.gpu.rbf_features import basis_functions

            return basis_functions(
                X, self.centers, self.basis_width, normalized=self.normalized, mix=self.mix
            )
        rows = as_dense(X)
        if self.normalized:
            basis = self._normalize(rows)
        else:
            gamma = 0.5 / self.basis_width**2
            kernel = Kernel("rbf", gamma=gamma, shift=self.centers.mean(axis=0))
            basis = kernel(rows, self.centers)
        return self.weighted(basis)

    def weighted(self, basis: Array) -> Array:
        """Return the weighted sums of basis functions, or these where there are no weights."""
        return basis if self.mix is None else np.asarray(basis @ self.mix)

    def unmixed(self, weights: Array) -> Array:
        """Return weights of the basis functions for weights of what is returned."""
        return weights if self.mix is None else np.asarray(self.mix @ weights)

    def each(self, X: object) -> Array:
        """Return the same, a row giving the same bits alone and among others."""
        rows = as_dense(X)
        if self.normalized:
            return self._normalize(rows)
        basis = squared_distances(rows, self.centers)
        with np.errstate(over="ignore"):  # in place: there are many more of them than values
            np.sqrt(basis, out=basis)
            basis /= self.basis_width
            np.square(basis, out=basis)
            basis *= -0.5
            return np.asarray(np.exp(basis, out=basis))

    def _normalize(self, rows: AnyArray) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            distance = np.sqrt(squared_distances(rows, self.centers))
            nearest = distance.min(axis=1, keepdims=True)
            difference = (distance - nearest) / self.basis_width
            basis = np.exp(-difference * ((distance + nearest) / self.basis_width) / 2)
        basis = np.where(distance == nearest, 1.0, np.nan_to_num(basis, nan=0.0))
        return np.asarray(basis / basis.sum(axis=1, keepdims=True))


def orthonormal_mix(centers: Array, width: float) -> Array:
    r"""Return the sums of basis functions that are orthonormal functions.

    With the norm of functions that belongs to the Gaussian kernel, :math:`\|f\|^2 = w^\top K w` of
    :math:`f = \sum_j w_j \Phi_j`; so :math:`L^{-\top}` of :math:`K = L L^\top` makes it the sum of
    squared weights, and ridge regression on these sums is kernel ridge regression.
    """
    K = Kernel("rbf", gamma=0.5 / width**2, shift=centers.mean(axis=0))(centers)
    K[np.diag_indices_from(K)] += CENTER_JITTER
    lower = interruptible(np.linalg.cholesky, K)
    return np.asarray(solve_triangular(lower, np.eye(len(K)), lower=True).T)
