"""Kernel ridge regression with a basis function around every row: one decomposition solves it."""

from __future__ import annotations

import numpy as np

from lookalike.data.batches import gather
from lookalike.data.source import Source
from lookalike.engines.blas import single_threaded_blas
from lookalike.interrupt import interruptible
from lookalike.kernels.gram import Kernel
from lookalike.kernels.rbf_features import RadialFeatures
from lookalike.models.rbf.ridge import FLOAT64_EPSILON, RidgeSolution, penalties
from lookalike.reductions.ridge import (
    NumericTargets,
    OneHotTargets,
    RidgeLeaveOneOut,
    RidgePath,
)
from lookalike.typing import Array


def solve_full_kernel(
    rows: Array,
    width: float,
    targets: NumericTargets | OneHotTargets,
    y: Array,
    *,
    alpha: float | None,
    bias: bool,
) -> RidgeSolution:
    r"""Return sums of basis functions that are orthonormal and uncorrelated, and their weights.

    The kernel of the rows with each other, centered with a bias, is :math:`V S V^\top`. The sums
    of basis functions with weights :math:`V S^{-1/2}` are orthonormal functions, so that the norm
    penalty is the sum of their squared weights; at the rows they are :math:`V S^{1/2}`, so that
    the normal equations are diagonal. With a bias the weights of every sum add up to 0: what is
    common to all basis functions, nearly all of it where they are wide, is the bias.

    Parameters
    ----------
    rows : ndarray of shape (n, features)
        The rows, no two of them equal.
    width : float
        Of the basis functions.
    targets, y
        The targets of the rows, and what makes columns of them.
    alpha : float, optional
        The penalty; the one of lowest leave-one-out error when None.
    bias : bool
        Whether there is one.
    """
    n_rows, outputs = len(rows), targets(y)
    mean, target = np.zeros(n_rows), np.zeros(outputs.shape[1])
    with single_threaded_blas():
        K = Kernel("rbf", gamma=0.5 / width**2, shift=rows.mean(axis=0))(rows)
        if bias:
            mean, target = K.mean(axis=0), outputs.mean(axis=0)
            K -= mean
            K -= K.mean(axis=1)[:, None]
        strength, V = interruptible(np.linalg.eigh, K)
        strongest = float(strength.max(initial=0.0))
        rounding = FLOAT64_EPSILON * n_rows * max(strongest, 1.0)  # of kernels, which are 1 at most
        kept = np.flatnonzero(strength > rounding)[::-1]
        strength, V = strength[kept], V[:, kept]
        if bias:
            V -= V.mean(axis=0)  # a sum other than 0 is rounding, which weak directions enlarge
        root = np.sqrt(strength)
        features = RadialFeatures(rows, width, mix=V / root)
        path = RidgePath(
            features.weighted(mean),
            target,
            None,
            strength,
            root[:, None] * (V.T @ (outputs - target)),
            penalties(alpha, strongest),
            1 / n_rows if bias else 0.0,
            isinstance(targets, OneHotTargets),
        )
        leave_one_out = RidgeLeaveOneOut(features, targets, path)
        losses = leave_one_out.losses(V * root + path.mean, outputs, np.ones(n_rows))
        losses_by_penalty = leave_one_out.finalize(losses)
        return RidgeSolution(features, targets, path, losses_by_penalty, dropped=n_rows - len(kept))


def unweighted_targets(source: Source) -> Array | None:
    """Return the targets of the rows, None where rows have weights."""
    chunk = gather(source)
    return None if chunk.weight is not None or chunk.y is None else np.asarray(chunk.y)
