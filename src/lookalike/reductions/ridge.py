"""Ridge regression on features of the rows: normal equations and leave-one-out errors."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.errors import ShapeError
from lookalike.kernels.gram import row_blocks
from lookalike.kernels.scatter import Moments, scatter
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.wrappers import RowMap
from lookalike.typing import AnyArray, Array, is_tensor


class NumericTargets:
    """Targets as they are, a column each."""

    def __init__(self, n_outputs: int = 1) -> None:
        self.n_outputs = n_outputs

    def __call__(self, y: AnyArray) -> Array:
        """Return the targets as (n, outputs)."""
        return np.asarray(y, dtype=np.float64).reshape(len(y), self.n_outputs)


class OneHotTargets:
    """Classes as columns of zeros and ones."""

    def __init__(self, classes: AnyArray) -> None:
        self.classes = classes
        self.n_outputs: int = len(classes)

    def __call__(self, y: AnyArray) -> Array:
        """Return a one where a row is of the class."""
        return np.asarray(np.asarray(y)[:, None] == self.classes, dtype=np.float64)


class NormalEquations:
    r"""Weight, means and products of the features and targets of the rows.

    .. math:: \bar z, \quad \bar y, \quad \sum_n w_n \begin{pmatrix} z_n - \bar z \\ y_n - \bar y
              \end{pmatrix} \begin{pmatrix} z_n - \bar z \\ y_n - \bar y \end{pmatrix}^\top

    All that least squares needs [UGR]; only a block of rows is ever turned into features.

    Parameters
    ----------
    features : RowMap
        The features of a row.
    targets : NumericTargets or OneHotTargets
        The columns of a target.
    """

    def __init__(self, features: RowMap, targets: NumericTargets | OneHotTargets) -> None:
        self.features = features
        self.targets = targets
        self.on_gpu: bool = getattr(features, "on_gpu", False)

    def init(self, n_features: int) -> Moments:  # noqa: ARG002 - the features set the width
        """Return the moments of no rows."""
        return Covariance().init(self.features.width + self.targets.n_outputs)

    def update(self, state: Moments, chunk: Chunk) -> Moments:
        """Join the rows of `chunk`, a few at a time."""
        for part, weight in parts_of(chunk, self.features.width):
            z, y = self.features(chunk.X[part]), self.targets(chunk.y[part])  # type: ignore[index]
            state = self.merge(state, scatter(_with_targets(z, y), weight))
        return state

    def merge(self, left: Moments, right: Moments) -> Moments:
        """Join two groups of rows."""
        return Covariance().merge(left, right)

    def finalize(self, state: Moments) -> Moments:
        """Return the moments."""
        return state


class RidgePath(NamedTuple):
    """Ridge regressions of every penalty at once, in the directions of the features."""

    mean: Array  # (K,), of the features; zero without a bias
    target: Array  # (q,), the mean of the targets; zero without a bias
    directions: Array | None  # (K, m); None where the features are these themselves
    strength: Array  # (m,), sum of squares of the features along each
    along: Array  # (m, q), products of the features along each with the targets
    alphas: Array  # (a,)
    floor: float  # leverage of a row without any feature: 1 / N with a bias
    classes: bool = False  # whether targets are those of classes: the largest output is predicted

    def turned(self, z: Array) -> Array:
        """Return features of rows along the directions, (n, m)."""
        centered = z - self.mean
        return centered if self.directions is None else np.asarray(centered @ self.directions)

    def weights(self, alpha: float) -> Array:
        """Return the weights of the features with a penalty, (K, q)."""
        along = self.along / (self.strength[:, None] + alpha)
        return along if self.directions is None else np.asarray(self.directions @ along)


LossSums: TypeAlias = tuple[float, Array]  # weight of the rows, and sums of their losses (3, a)


class RidgeLeaveOneOut:
    r"""Leave-one-out errors for every penalty, in one pass.

    .. math:: e_n = \frac{y_n - h(x_n)}{1 - H_{nn}}, \qquad
              H_{nn} = \frac1N + \sum_k \frac{u_{nk}^2}{s_k + \alpha}

    with :math:`u` the features of a row along the directions and :math:`s` their strengths. A row
    of weight two is two rows, of which one is left out.

    Parameters
    ----------
    features, targets
        As in :class:`NormalEquations`.
    path : RidgePath
        The solved regressions.
    """

    def __init__(
        self, features: RowMap, targets: NumericTargets | OneHotTargets, path: RidgePath
    ) -> None:
        self.features = features
        self.targets = targets
        self.path = path
        self.on_gpu: bool = getattr(features, "on_gpu", False)

    def init(self, n_features: int) -> LossSums:  # noqa: ARG002
        """Return no errors."""
        return 0.0, np.zeros((3, len(self.path.alphas)))

    def update(self, state: LossSums, chunk: Chunk) -> LossSums:
        """Add the errors of the rows of `chunk`."""
        for part, weight in parts_of(chunk, self.features.width):
            z, y = self.features(chunk.X[part]), self.targets(chunk.y[part])  # type: ignore[index]
            w = np.ones(len(z)) if weight is None else np.asarray(weight, np.float64)
            state = self.merge(state, self.losses(z, y, w))
        return state

    def losses(self, z: Any, y: Array, weight: Array) -> LossSums:
        """Return the errors of rows by their features and targets."""
        if is_tensor(z):
            from lookalike.kernels.gpu.rbf_features import leave_one_out_sums

            sums = leave_one_out_sums(z, y - self.path.target, weight, self.path)
        else:
            sums = _loss_sums(self.path.turned(z), y - self.path.target, weight, self.path)
        return float(weight.sum()), sums

    def merge(self, left: LossSums, right: LossSums) -> LossSums:
        """Add two groups of rows."""
        return left[0] + right[0], left[1] + right[1]

    def finalize(self, state: LossSums) -> tuple[Array, Array, Array]:
        """Return of every penalty the mean squared error, the mean loss, and its standard error.

        The loss of classes is the share of rows predicted wrong, of numbers the squared error.
        """
        weight, (squares, losses, squared) = state
        with np.errstate(invalid="ignore"):
            loss = losses / weight
            variance = np.maximum(squared / weight - loss**2, 0.0)
        mse = squares / (weight * self.targets.n_outputs)
        return mse, loss, np.sqrt(variance / weight)


def _loss_sums(u: Array, y: Array, weight: Array, path: RidgePath) -> Array:
    """Return sums over rows for every penalty: squared errors, losses, squared losses, (3, a)."""
    shrink = 1 / (path.strength[:, None] + path.alphas)  # (m, a)
    one_minus_leverage = 1 - (path.floor + u**2 @ shrink)
    one_minus_leverage = np.where(
        one_minus_leverage > 1e-9, one_minus_leverage, np.nan
    )  # leverage 1: no prediction without the row
    square, best = np.zeros_like(one_minus_leverage), np.full_like(one_minus_leverage, -np.inf)
    chosen = np.full(one_minus_leverage.shape, -1)
    for output, along in enumerate(path.along.T):
        error = (y[:, [output]] - u @ (along[:, None] * shrink)) / one_minus_leverage
        square += np.nan_to_num(error**2, nan=np.inf)
        if path.classes:
            predicted = y[:, [output]] - error + path.target[output]
            larger = predicted > best
            chosen[larger], best[larger] = output, predicted[larger]
    loss = square / len(path.target)
    if path.classes:
        loss = (chosen != (y + path.target).argmax(axis=1)[:, None]).astype(np.float64)
    if not (weight > 0).all():  # errors of rows without weight may be infinite
        square, loss = (np.where(weight[:, None] > 0, values, 0.0) for values in (square, loss))
    return np.stack([weight @ values for values in (square, loss, loss**2)])


def _with_targets(z: Any, y: Array) -> object:
    """Return features and targets as columns of one matrix."""
    if is_tensor(z):
        from lookalike.kernels.gpu.rbf_features import with_targets

        return with_targets(z, y)
    return np.hstack([z, y])


def parts_of(chunk: Chunk, width: int) -> list[tuple[slice, Array | None]]:
    """Return slices of the rows for `width` features each, with their weights."""
    if chunk.y is None:
        raise ShapeError("A network needs a target for every row. Give y.")
    slices = row_blocks(chunk.X.shape[0], width)
    return [(part, None if chunk.weight is None else chunk.weight[part]) for part in slices]
