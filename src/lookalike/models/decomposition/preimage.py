"""Rows that have given scores in the space of a kernel: their pre-images."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_solve
from scipy.spatial.distance import cdist

from lookalike.decisions import Decisions
from lookalike.interrupt import interruptible
from lookalike.kernels.gram import Kernel
from lookalike.typing import Array

PREIMAGE_METHODS = ("ridge", "fixed-point", "exact")
MAX_FIXED_POINT_ITERATIONS = 200  # of the fixed point
FIXED_POINT_TOLERANCE = 1e-10  # change of an iteration, in spreads of the rows


def ridge_weights(kernel: Kernel, Z: Array, X: Array, alpha: float, decisions: Decisions) -> Array:
    r"""Learn rows from scores by kernel ridge regression [Bakir04].

    .. math:: W = (K_Z + \alpha I)^{-1} (X - \bar x), \qquad x(z) = \bar x + k_Z(z)^\top W

    `X` is centered already, so that a penalty draws towards the mean and not towards zero.
    """
    gram = kernel(Z)
    gram.flat[:: len(gram) + 1] += alpha
    try:
        weights: Array = cho_solve((interruptible(np.linalg.cholesky, gram), True), X)
    except LinAlgError:
        decisions.add("alpha", "least squares", f"K + {alpha:g} I is not positive definite")
        weights = np.asarray(interruptible(np.linalg.lstsq, gram, X, rcond=None)[0], np.float64)
    return weights


def fixed_point(
    kernel: Kernel, Z: Array, fit_scores: Array, X: Array, *, axes: Array, mean: Array
) -> Array:
    r"""Return the rows whose image under the rbf kernel comes nearest to given scores.

    .. math:: x \leftarrow \frac{\sum_i g_i k(x, x_i) x_i}{\sum_i g_i k(x, x_i)}

    [Mika99, eq. 10], where :math:`g` are the weights of the point in the span of the fitted rows,
    `Z` times `axes` and `mean`. The start is the fitted row with the nearest scores. Where the
    denominator vanishes, a row stays as it is.
    """
    g = Z @ axes.T + mean
    rows: Array = X[cdist(Z, fit_scores, "sqeuclidean").argmin(axis=1)]
    spread = float(np.abs(X - X.mean(axis=0)).max(initial=0.0))
    moving = np.arange(len(rows))
    for _ in range(MAX_FIXED_POINT_ITERATIONS):
        pull = g[moving] * kernel(rows[moving], X)
        total = pull.sum(axis=1)
        defined = total > np.finfo(float).tiny
        moving, pull, total = moving[defined], pull[defined], total[defined]
        moved = (pull / total[:, None]) @ X
        step = np.abs(moved - rows[moving]).max(axis=1, initial=0.0)
        rows[moving] = moved
        moving = moving[step > FIXED_POINT_TOLERANCE * spread]
        if not len(moving):
            break
    return rows
