"""Eigenvalues of a symmetric matrix, all of them, and eigenvectors of the largest few alone."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from lookalike.typing import Array

SMALL = 64  # below it, and for more than a third of the vectors, everything is computed at once
BLOCK = 64  # reflections that LAPACK applies at once where it is given room for them
TRIANGLE = BLOCK * (BLOCK + 1)  # and for what joins them


class Symmetric:
    """A symmetric matrix reduced to three diagonals once; eigenvectors are computed as needed.

    All eigenvalues cost little more than the reduction, and each eigenvector little more than
    its length times that of the matrix, so that a few of many are cheap.

    Examples
    --------
    >>> eigen = Symmetric(np.diag([1.0, 3.0, 2.0]))
    >>> eigen.values, abs(eigen.vectors(1))
    (array([3., 2., 1.]), array([[0., 1., 0.]]))
    """

    values: Array  # falling

    def __init__(self, matrix: Array) -> None:
        self._matrix = matrix
        self._vectors: Array | None = None
        size = len(matrix)
        if size < SMALL:
            self._solve()
            return
        work, _ = lapack.dsytrd_lwork(size, lower=1)
        self._reflectors, self._diagonal, self._off_diagonal, self._tau, _ = lapack.dsytrd(
            matrix, lower=1, lwork=int(work)
        )
        rising, info = lapack.dsterf(self._diagonal, self._off_diagonal)
        if info != 0:  # the iteration for one eigenvalue gave up
            self._solve()
            return
        self.values = rising[::-1].copy()

    def vectors(self, n_vectors: int) -> Array:
        """Return the eigenvectors of the `n_vectors` largest eigenvalues, one a row."""
        if self._vectors is None and 3 * n_vectors > len(self._matrix):
            self._solve()
        if self._vectors is not None:
            return self._vectors[:n_vectors]
        return self._few(n_vectors) if n_vectors else np.empty((0, len(self._matrix)))

    def _solve(self) -> None:
        values, vectors = np.linalg.eigh(self._matrix)
        self.values, self._vectors = values[::-1].copy(), vectors[:, ::-1].T

    def _few(self, n_vectors: int) -> Array:
        size = len(self._matrix)
        off_diagonal = np.append(self._off_diagonal, 0.0)
        by_index = 2
        n_found, _, vectors, info = lapack.dstemr(
            self._diagonal, off_diagonal, by_index, 0.0, 0.0, size - n_vectors + 1, size
        )
        if info != 0 or n_found != n_vectors:
            self._solve()
            return self.vectors(n_vectors)
        turned = np.array(vectors[:, :n_vectors], order="F")
        reflectors = np.asfortranarray(self._reflectors[1:, :-1])
        turned[1:], _, _ = lapack.dormqr(
            "L",
            "N",
            reflectors,
            self._tau,
            np.asfortranarray(turned[1:]),
            BLOCK * n_vectors + TRIANGLE,
        )
        return np.ascontiguousarray(turned.T[::-1])
