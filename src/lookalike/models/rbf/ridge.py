"""Ridge regression on basis functions: one decomposition serves every penalty."""

from __future__ import annotations

import numpy as np

from lookalike.data.batches import gather
from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.engines import Engine
from lookalike.engines.blas import single_threaded_blas
from lookalike.interrupt import interruptible
from lookalike.kernels.gram import row_blocks
from lookalike.kernels.rbf_features import RadialFeatures
from lookalike.reductions.ridge import (
    NormalEquations,
    NumericTargets,
    OneHotTargets,
    RidgeLeaveOneOut,
    RidgePath,
)
from lookalike.typing import Array

KERNEL_PENALTIES_TRIED = 25  # from 1e-12 of the strongest direction up to its strength
MAX_ROWS_DECOMPOSED_FREELY = 100  # rows of which the decomposition costs nothing
MIN_ONE_MINUS_LEVERAGE = 1e-9  # of one minus the leverage of a row
FLOAT64_EPSILON = 2.0**-52


class RidgeSolution:
    """The weights of a network by the penalty of lowest leave-one-out error.

    Parameters
    ----------
    features, targets
        What the rows and their targets become.
    path : RidgePath
        The regressions of every penalty.
    losses : tuple of ndarray
        What :class:`RidgeLeaveOneOut` finds of them.
    dropped : int
        Directions within rounding error of zero, left out of the path.

    Attributes
    ----------
    weights, bias : ndarray of shape (K, q), (q,)
        The weights of the basis functions.
    alpha : float
        The penalty, the only one that `path` keeps.
    error : float
        Leave-one-out mean squared error.
    loss, standard_error : float
        Of classes, the share of wrong ones, else the same; and its standard error.
    condition : float
        Condition number: strongest direction by the weakest that was used.
    curve : dict
        Leave-one-out mean squared error of every penalty tried.
    """

    features: RadialFeatures
    targets: NumericTargets | OneHotTargets
    dropped: int
    alpha: float
    weights: Array
    bias: Array
    error: float
    loss: float

    def __init__(
        self,
        features: RadialFeatures,
        targets: NumericTargets | OneHotTargets,
        path: RidgePath,
        losses: tuple[Array, Array, Array],
        *,
        dropped: int,
    ) -> None:
        errors, loss, standard_error = losses
        best = int(np.argmin(errors))
        self.features, self.targets, self.dropped = features, targets, dropped
        self.path: RidgePath = path._replace(alphas=path.alphas[[best]])
        self.alpha = alpha = float(path.alphas[best])
        weights = path.weights(alpha)
        self.weights, self.bias = features.unmixed(weights), path.target - path.mean @ weights
        self.error, self.loss = float(errors[best]), float(loss[best])
        self.standard_error: float = float(standard_error[best])
        strongest = float(path.strength.max(initial=0.0))
        weakest = float(path.strength.min(initial=strongest))
        ratio = (strongest + alpha) / (weakest + alpha) if strongest else 1.0
        self.condition: float = float(np.sqrt(ratio))
        self.curve: dict[str, Array] = {"alpha": path.alphas, "mse": errors}

    def left_out(self, chunk: Chunk) -> Array:
        """Return the outputs for rows, each by the weights without it, (n, outputs)."""
        path, y = self.path, self.targets(np.asarray(chunk.y))
        shrink = 1 / (path.strength + self.alpha)
        without = np.empty(y.shape)
        with single_threaded_blas():
            for part in row_blocks(len(y), self.features.width):
                u = path.turned(self.features(chunk.X[part]))
                one_minus_leverage = np.maximum(
                    1 - (path.floor + u**2 @ shrink), MIN_ONE_MINUS_LEVERAGE
                )
                outputs = path.target + u @ (path.along * shrink[:, None])
                without[part] = y[part] - (y[part] - outputs) / one_minus_leverage[:, None]
        return without


def solve(
    features: RadialFeatures,
    targets: NumericTargets | OneHotTargets,
    engine: Engine,
    source: Source,
    *,
    n_rows: int,
    alpha: float | None,
    bias: bool,
) -> RidgeSolution:
    """Return the weights of one set of basis functions; None chooses `alpha` by leave-one-out."""
    # penalties that are chosen are so large that squares have digits enough
    few = n_rows <= 2 * features.width and (
        alpha is not None or n_rows <= MAX_ROWS_DECOMPOSED_FREELY
    )
    few = few and features.mix is None  # whose sums are as well determined as can be
    with single_threaded_blas():
        if few:
            path = _path_by_svd(features, targets, source, bias=bias)
        else:
            path = _path_by_normal_equations(features, targets, engine, source, bias=bias)
        strongest = float(path.strength.max(initial=0.0))
        # strengths are squares: those of few rows come from a decomposition of the rows themselves
        rounding = (FLOAT64_EPSILON * n_rows) ** 2 if few else FLOAT64_EPSILON * features.width
        kept = path.strength > rounding * strongest
        assert path.directions is not None
        path = path._replace(
            directions=path.directions[:, kept],
            strength=path.strength[kept],
            along=path.along[kept],
            alphas=penalties(alpha, strongest),
            classes=isinstance(targets, OneHotTargets),
        )
        leave_one_out = RidgeLeaveOneOut(features, targets, path)
        losses = engine.reduce(leave_one_out, source)
        return RidgeSolution(features, targets, path, losses, dropped=int((~kept).sum()))


def penalties(alpha: float | None, strongest: float) -> Array:
    """Return the penalties to try: the one given, or some from very small to very large."""
    if alpha is not None:
        return np.array([alpha])
    return np.geomspace(1e-12, 1.0, KERNEL_PENALTIES_TRIED) * (strongest or 1.0)


def _path_by_normal_equations(
    features: RadialFeatures,
    targets: NumericTargets | OneHotTargets,
    engine: Engine,
    source: Source,
    *,
    bias: bool,
) -> RidgePath:
    """Return the path by the normal equations: one pass, whatever the number of rows."""
    moments = engine.reduce(NormalEquations(features, targets), source)
    k = features.width
    products, mean = moments.scatter, moments.mean
    if not bias:
        products = products + moments.count * np.outer(mean, mean)
        mean = np.zeros_like(mean)
    strength, directions = interruptible(np.linalg.eigh, products[:k, :k])
    strength, directions = np.maximum(strength[::-1], 0.0), directions[:, ::-1]
    along = directions.T @ products[:k, k:]
    floor = 1 / moments.count if bias else 0.0
    return RidgePath(mean[:k], mean[k:], directions, strength, along, np.zeros(1), floor)


def _path_by_svd(
    features: RadialFeatures, targets: NumericTargets | OneHotTargets, source: Source, *, bias: bool
) -> RidgePath:
    """Return the path by a decomposition of the features themselves, to twice the digits."""
    chunk = gather(source)
    z, y = features(chunk.X), targets(chunk.y)  # type: ignore[arg-type]
    w = np.ones(len(z)) if chunk.weight is None else np.asarray(chunk.weight, np.float64)
    mean, target = np.zeros(z.shape[1]), np.zeros(y.shape[1])
    if bias:
        mean, target = w @ z / w.sum(), w @ y / w.sum()
    root = np.sqrt(w)[:, None]
    left, value, right = interruptible(np.linalg.svd, root * (z - mean), full_matrices=False)
    along = value[:, None] * (left.T @ (root * (y - target)))
    return RidgePath(
        mean, target, right.T, value**2, along, np.zeros(1), 1 / w.sum() if bias else 0.0
    )
