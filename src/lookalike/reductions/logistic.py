"""The loss of a logistic output and its gradient, in one pass."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy.special import log_softmax

from lookalike.data.chunk import Chunk
from lookalike.reductions.ridge import OneHotTargets, parts_of
from lookalike.reductions.wrappers import RowMap
from lookalike.typing import Array

# Loss, and its gradient by the weights (K, c) and by the bias (c,).
LossGradient: TypeAlias = tuple[float, Array, Array]


class LogisticGradient:
    r"""The cross-entropy of classes and its gradient.

    .. math:: L = -\sum_n w_n \log p(c_n | x_n), \qquad
              p(c | x) = \frac{e^{h_c(x)}}{\sum_{c'} e^{h_{c'}(x)}}, \qquad h = W^\top z(x) + b

    Parameters
    ----------
    features : RowMap
        z, the features of a row.
    targets : OneOf
        The classes.
    weights, bias : ndarray of shape (K, c), (c,)
        W and b.
    """

    def __init__(
        self, features: RowMap, targets: OneHotTargets, weights: Array, bias: Array
    ) -> None:
        self.features = features
        self.targets = targets
        self.weights = weights
        self.bias = bias

    def init(self, n_features: int) -> LossGradient:  # noqa: ARG002 - the features set the width
        """Return the loss of no rows."""
        return 0.0, np.zeros_like(self.weights), np.zeros_like(self.bias)

    def update(self, state: LossGradient, chunk: Chunk) -> LossGradient:
        """Add the rows of `chunk`, a few at a time."""
        for part, weight in parts_of(chunk, self.features.width):
            z, y = self.features(chunk.X[part]), self.targets(chunk.y[part])  # type: ignore[index]
            logs = log_softmax(z @ self.weights + self.bias, axis=1)
            difference = np.exp(logs) - y
            true_score = (logs * y).sum(axis=1)
            if weight is not None:
                difference *= np.asarray(weight)[:, None]
                true_score = true_score * weight
            state = self.merge(
                state, (-float(true_score.sum()), z.T @ difference, difference.sum(axis=0))
            )
        return state

    def merge(self, left: LossGradient, right: LossGradient) -> LossGradient:
        """Add two groups of rows."""
        return left[0] + right[0], left[1] + right[1], left[2] + right[2]

    def finalize(self, state: LossGradient) -> LossGradient:
        """Return loss and gradient."""
        return state
