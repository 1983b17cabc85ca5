"""Which candidates are equal to the winner within noise: paired tests on the same rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.studies.evaluate.bias_correction import OutOfFoldLosses
from lookalike.studies.format import Interval
from lookalike.typing import Array

EQUALITY_LEVEL = 0.05
MAX_T_DRAWS = 4000
TRAINING_VARIANCE = 0.5  # of a difference over training sets, as a part of that over rows
SAME_LOSSES = 1e-12  # of the variances: two candidates that differ by rounding alone


class PairedComparison(NamedTuple):
    """The mean loss of a candidate less that of the winner, on the same rows.

    p-value and 95% interval are adjusted for the number of candidates and for the winner being the
    one with the smallest loss. `equal` is equal within noise: the difference is not significant.
    """

    difference: float
    interval: Interval
    p_value: float
    equal: bool


def equal_within_noise(
    losses: OutOfFoldLosses, winner: str, *, seed: int = 0
) -> dict[str, PairedComparison]:
    """Compare every candidate with the winner on the same rows.

    Losses are averaged over repeats and summed over groups. The winner is the best of all on these
    very rows, so that each difference from it is compared with the largest difference between any
    two candidates that are not distinguished yet: step-down max-T [Romano05], as in model
    confidence sets [Hansen11]. Variances are enlarged for the variation over training sets.

    Returns
    -------
    dict
        The comparison of every candidate but the winner, in the order of `losses.names`.
    """
    loss, size = losses.units()
    winner_index = losses.names.index(winner)
    if len(size) < 2 or len(loss) < 2:
        return {}
    difference = (loss - loss[winner_index]).sum(axis=1) / size.sum()
    covariance = _covariance(loss, size)
    error = _standard_errors(covariance)
    ratio = _ratios(difference, error[winner_index])
    ranked = np.argsort(-ratio, kind="stable")  # the largest difference first
    order = np.append(ranked[ranked != winner_index], winner_index)
    largest = _largest_ratios(covariance[np.ix_(order, order)], len(size) - 1, seed)
    comparisons, p_value, critical = {}, 0.0, np.inf
    for step, index in enumerate(order[:-1]):
        if p_value < EQUALITY_LEVEL:  # all before are significant: a smaller family is left
            critical = float(np.quantile(largest[:, step], 1 - EQUALITY_LEVEL))
        beyond = int((largest[:, step] >= ratio[index]).sum())
        p_value = max(p_value, (1 + beyond) / (1 + MAX_T_DRAWS))
        middle, reach = float(difference[index]), critical * float(error[winner_index, index])
        equal = p_value >= EQUALITY_LEVEL
        ends = (middle - reach, middle + reach)
        comparisons[losses.names[index]] = PairedComparison(middle, ends, p_value, equal)
    return {name: comparisons[name] for name in losses.names if name in comparisons}


def _covariance(loss: Array, size: Array) -> Array:
    """Return the covariance of the mean losses of candidates, over units and training sets."""
    n_units, n_rows = len(size), size.sum()
    centered = loss - np.outer(loss.sum(axis=1) / n_rows, size)
    over_units: Array = centered @ centered.T * n_units / (n_units - 1) / n_rows**2
    return (1 + TRAINING_VARIANCE) * over_units


def _standard_errors(covariance: Array) -> Array:
    """Return the standard error of the difference of every two candidates."""
    variance = np.diag(covariance)
    total = variance[:, None] + variance
    squared = total - 2 * covariance
    errors: Array = np.sqrt(np.where(squared > SAME_LOSSES * total, squared, 0.0))
    return errors


def _ratios(difference: Array, error: Array) -> Array:
    """Return differences by their standard errors; 0 where two candidates are the same."""
    shape = np.broadcast_shapes(difference.shape, error.shape)
    return np.divide(difference, error, out=np.zeros(shape), where=error > 0)


def _largest_ratios(covariance: Array, degrees: int, seed: int) -> Array:
    """Return draws of the largest ratio of any two candidates from each place on, if all are equal.

    Mean losses are drawn from a normal distribution of that covariance, and divided by a common
    estimate of their spread with this many degrees of freedom.
    """
    rng = np.random.default_rng(seed)
    values, axes = np.linalg.eigh(covariance)
    normal = rng.normal(size=(MAX_T_DRAWS, len(values)))
    means = normal * np.sqrt(np.maximum(values, 0.0)) @ axes.T
    means /= np.sqrt(rng.chisquare(degrees, size=(MAX_T_DRAWS, 1)) / degrees)
    error = _standard_errors(covariance)
    apart = []
    for step in range(len(values) - 1):
        distance = np.abs(means[:, [step]] - means[:, step + 1 :])
        apart.append(_ratios(distance, error[step, step + 1 :]).max(axis=1))
    return np.maximum.accumulate(np.stack(apart, axis=1)[:, ::-1], axis=1)[:, ::-1]
