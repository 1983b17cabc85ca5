"""The reference of principal components: the obvious computation, and rows to try it on."""

from __future__ import annotations

import numpy as np

TEN_POINTS = np.array(
    [[2.5, 2.4], [0.5, 0.7], [2.2, 2.9], [1.9, 2.2], [3.1, 3.0],
     [2.3, 2.7], [2.0, 1.6], [1.0, 1.1], [1.5, 1.6], [1.1, 0.9]]
)  # fmt: skip


def reference(X, ddof=1):
    """Mean, variances and directions in the most obvious way."""
    mean = X.mean(axis=0)
    variance, axes = np.linalg.eigh(np.cov(X.T, ddof=ddof))
    axes = axes[:, ::-1].T
    largest = np.take_along_axis(axes, abs(axes).argmax(axis=1)[:, None], axis=1)
    return mean, variance[::-1], axes * np.sign(largest)


def slanted_rows():
    """Return 200 rows that vary in eight directions, each less than the one before."""
    rng = np.random.default_rng(0)
    spread = np.diag([9, 5, 4, 3, 2, 1, 0.5, 0.1])
    return rng.normal(size=(200, 8)) @ spread @ rng.normal(size=(8, 8))
