"""The weights of the members of an ensemble, chosen on what they predict out of fold.

Two rules are tried: the mean of all members whose error is near the best one's, and greedy
selection with replacement [Caruana04]. Each is fitted on one half of the rows and scored on the
other; the better one is then fitted on all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.typing import AnyArray, Array, Rows

NEAR_BEST_ERROR = 1.25  # times the lowest error, up to which a member is in the mean
GREEDY_STEPS = 25  # members that greedy selection adds, each as often as it helps
LEAST_WEIGHT = 0.03  # below which a member is not worth its prediction
LEAST_GAIN = 1e-12  # of the mean loss, below which a step is rounding


class MemberTable(NamedTuple):
    """What every member predicts for the same rows, none of which it was fitted to.

    Attributes
    ----------
    values : ndarray of shape (members, rows)
        The predicted numbers; of classes, the probability of each row's own class.
    error : ndarray of shape (members, rows)
        0 or 1, or the squared error.
    y : ndarray of shape (rows,), or None
        The targets; None of classes.
    """

    values: Array
    error: Array
    y: Array | None = None

    def take(self, rows: Rows | AnyArray) -> MemberTable:
        """Return some of the rows."""
        y = None if self.y is None else self.y[rows]
        return MemberTable(self.values[:, rows], self.error[:, rows], y)

    def loss(self, mixture: Array, n_rows: int | None = None) -> Array:
        """Return the squared errors of mixed predictions, or minus the log of probabilities.

        A probability counts as no less than one half in `n_rows`, as many as there are when None.
        """
        if self.y is not None:
            squared: Array = (mixture - self.y) ** 2
            return squared
        floor = 0.5 / (n_rows or max(self.values.shape[1], 1))
        loss: Array = -np.log(np.maximum(mixture, floor))
        return loss


def near_best_weights(table: MemberTable) -> Array:
    """Return equal weights of the members whose error is near the lowest."""
    mean = table.error.mean(axis=1)
    factor = NEAR_BEST_ERROR if table.y is None else NEAR_BEST_ERROR**2  # of squared errors
    near = mean <= factor * mean.min()
    return np.asarray(near / near.sum())


def greedy_weights(table: MemberTable) -> Array:
    """Return the weights of greedy selection with replacement: one member more at every step.

    Examples
    --------
    >>> values, y = np.array([[0.0, 2.0], [2.0, 0.0], [9.0, 9.0]]), np.array([1.0, 1.0])
    >>> greedy_weights(MemberTable(values, (values - y) ** 2, y)).tolist()
    [0.5, 0.5, 0.0]
    """
    total, count = np.zeros(table.values.shape[1]), np.zeros(len(table.values))
    lowest, best = np.inf, count
    for step in range(1, GREEDY_STEPS + 1):
        loss = [float(table.loss((total + values) / step).mean()) for values in table.values]
        chosen = int(np.argmin(loss))
        total, count = total + table.values[chosen], count.copy()
        count[chosen] += 1
        if loss[chosen] < lowest - LEAST_GAIN:
            lowest, best = loss[chosen], count
    return np.asarray(best / best.sum())


def choose_weights(table: MemberTable, half: AnyArray) -> Array:
    """Return the weights by the rule that does better on the half it was not fitted to.

    `half` tells for every row whether it is in the first half.
    """
    rules = near_best_weights, greedy_weights
    losses = np.zeros(len(rules))
    for fitted_on in (half, ~half) if half.any() and not half.all() else ():
        inner, outer = table.take(fitted_on), table.take(~fitted_on)
        n_rows = inner.values.shape[1]
        for index, rule in enumerate(rules):
            losses[index] += outer.loss(rule(inner) @ outer.values, n_rows).sum()
    return without_small(rules[int(losses.argmin())](table))


def cross_fitted_weights(table: MemberTable, part: Rows) -> Array:
    """Return for every part of the rows the weights chosen on the others, (parts, members)."""
    numbers = np.arange(int(part.max()) + 1)
    return np.stack(
        [choose_weights(table.take(part != one), part[part != one] % 2 == 0) for one in numbers]
    )


def without_small(weights: Array) -> Array:
    """Return the weights without those that are not worth a prediction; they sum to 1.

    Examples
    --------
    >>> without_small(np.array([0.5, 0.48, 0.02])).round(3).tolist()
    [0.51, 0.49, 0.0]
    """
    kept = np.where(weights >= min(LEAST_WEIGHT, weights.max()), weights, 0.0)
    total: Array = kept / kept.sum()
    return total
