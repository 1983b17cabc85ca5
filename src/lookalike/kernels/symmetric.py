"""Eigenvalues of a symmetric matrix, all of them, and eigenvectors of the largest few alone."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from lookalike.errors import ConvergenceError
from lookalike.interrupt import interruptible
from lookalike.kernels.lapack import tridiagonal, tridiagonal_values, tridiagonal_vectors
from lookalike.typing import Array

MAX_COLUMNS_SOLVED_AT_ONCE = 64  # likewise for more than a third of the vectors
REFLECTIONS_PER_BLOCK = 64  # that LAPACK applies at once, given the room
TRIANGLE_WORKSPACE = REFLECTIONS_PER_BLOCK * (REFLECTIONS_PER_BLOCK + 1)  # and for what joins them


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
        if size < MAX_COLUMNS_SOLVED_AT_ONCE:
            self._solve()
            return
        self._reflectors, self._diagonal, self._off_diagonal, self._tau = interruptible(
            tridiagonal, matrix
        )
        try:
            rising = interruptible(tridiagonal_values, self._diagonal, self._off_diagonal)
        except ConvergenceError:
            self._solve()
        else:
            self.values = rising[::-1].copy()

    def vectors(self, n_vectors: int) -> Array:
        """Return the eigenvectors of the `n_vectors` largest eigenvalues, one per row."""
        if self._vectors is None and 3 * n_vectors > len(self._matrix):
            self._solve()
        if self._vectors is not None:
            return self._vectors[:n_vectors]
        return self._few(n_vectors) if n_vectors else np.empty((0, len(self._matrix)))

    def _solve(self) -> None:
        values, vectors = interruptible(np.linalg.eigh, self._matrix)
        self.values, self._vectors = values[::-1].copy(), vectors[:, ::-1].T

    def _few(self, n_vectors: int) -> Array:
        size = len(self._matrix)
        wanted = (size - n_vectors, size - 1)
        try:
            turned = interruptible(tridiagonal_vectors, self._diagonal, self._off_diagonal, *wanted)
        except ConvergenceError:
            self._solve()
            return self.vectors(n_vectors)
        reflectors = np.asfortranarray(self._reflectors[1:, :-1])
        turned[1:], _, _ = interruptible(
            lapack.dormqr,
            "L",
            "N",
            reflectors,
            self._tau,
            np.asfortranarray(turned[1:]),
            REFLECTIONS_PER_BLOCK * n_vectors + TRIANGLE_WORKSPACE,
        )
        return np.ascontiguousarray(turned.T[::-1])
