"""The space of a kernel as some of the rows, the landmarks, span it [Williams01]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.decisions import Decisions
from lookalike.interrupt import interruptible
from lookalike.kernels.gram import Kernel, row_blocks
from lookalike.models.decomposition.gram_spectrum import ZERO_EIGENVALUE_SHARE
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix


class LandmarkFeatures:
    r"""Coordinates of rows in the span of the landmarks, and what of them lies outside.

    .. math:: \phi(x) = K_{mm}^{-1/2} k_m(x), \qquad
              r(x) = k(x, x) - \|\phi(x)\|^2 \ge 0

    The dot product of :math:`\phi(x)` and :math:`\phi(y)` is the Nyström approximation of
    :math:`k(x, y)`, and the sum of :math:`r` over the rows is its error in the trace norm, exactly.

    Parameters
    ----------
    kernel : Kernel
        Of the rows.
    landmarks : rows
        Some of them.
    decisions : Decisions
        Receives the directions that the landmarks do not span or that are negative.
    """

    root: Array
    width: int

    def __init__(self, kernel: Kernel, landmarks: object, decisions: Decisions) -> None:
        self.kernel = kernel
        self.landmarks = landmarks
        value, vector = interruptible(np.linalg.eigh, kernel(landmarks))
        largest = float(value[-1])
        kept = value > max(10 * ZERO_EIGENVALUE_SHARE * largest, 0.0)
        if (value < -ZERO_EIGENVALUE_SHARE * abs(largest)).any():
            decisions.add(
                "landmarks",
                f"{int((value < 0).sum())} of {len(value)} directions left out",
                f"the kernel is negative along them, the least {value[0]:.3g}",
            )
        self.root = vector[:, kept] / np.sqrt(value[kept])  # (m, r), root root' = inverse of K
        self.back: AnyArray = vector[:, kept] * np.sqrt(value[kept])  # (m, r), k_m(x) = back phi(x)
        self.width = self.root.shape[1] + 1

    def __call__(self, X: Matrix) -> Array:
        """Return the coordinates of the rows, and in the last column what lies outside."""
        inside = np.empty((X.shape[0], self.root.shape[1]))
        for part in row_blocks(X.shape[0], len(self.root)):
            inside[part] = self.kernel(X[part], self.landmarks) @ self.root
        outside = self.kernel.diagonal(X) - np.einsum("ij,ij->i", inside, inside)
        return np.column_stack([inside, np.maximum(outside, 0.0)])
