"""The leave-one-out loss of softmax-weighted neighbors, over every pair of rows."""

from __future__ import annotations

import numpy as np

from lookalike import _core
from lookalike.typing import AnyArray, Array


def softmax_loss(Z: Array, y: AnyArray, *, classes: bool, threads: int = 0) -> tuple[float, Array]:
    r"""Return the loss, and its derivative by the rows.

    .. math:: p_{ij} = \frac{e^{-\|z_i - z_j\|^2}}{\sum_{k \ne i} e^{-\|z_i - z_k\|^2}}, \qquad
              L = -\sum_i \sum_{j : y_j = y_i} p_{ij} \quad\text{or}\quad
              \sum_i \Big(y_i - \sum_j p_{ij} y_j\Big)^2

    [Goldberger et al. 2004; Weinberger & Tesauro 2007]. Shares below 1e-20 of a row's largest are
    taken for zero. The same bits on any number of threads.

    Examples
    --------
    >>> loss, gradient = softmax_loss(np.array([[0.0], [1.0]]), np.array([5, 5]), classes=True)
    >>> loss, gradient.tolist()
    (-2.0, [[0.0], [0.0]])
    """
    rows, targets = np.ascontiguousarray(Z, np.float64), np.ascontiguousarray(y, np.float64)
    loss, gradient = np.empty(len(rows)), np.empty_like(rows)
    _core.softmax_loss(
        Z=rows, y=targets, classes=classes, threads=threads, loss=loss, gradient=gradient
    )
    return float(loss.sum()), gradient
