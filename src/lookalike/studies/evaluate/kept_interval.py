"""The 95% interval of the error of the model that is kept: the winner fitted again on all rows.

Two things make its error differ from the estimate: the rows that it was estimated on, and the rows
that it was fitted to. The first has Wilson's interval, or Student's of the logarithm of the mean
loss, over rows or groups of them; the second enlarges the variance. The correction for the
selection is itself an estimate: the lower end is that around the middle between the corrected and
the out-of-fold error, the upper end that around the corrected one.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import t

from lookalike.confidence import NORMAL_95_DEVIATIONS, wilson
from lookalike.studies.format import Interval
from lookalike.typing import Array

KEPT_CONFIDENCE = 0.95
# Variance of the error over training sets, as a part of its variance over the rows that it is
# estimated on, by which it is enlarged below and above. Chosen by simulation (seeds 5000 on); what
# it covers on other seeds: benchmarks/results/kept_coverage.txt
TRAINING_VARIANCE_BELOW = 0.6
TRAINING_VARIANCE_ABOVE = 0.85
# Squares of what normal deviations of a group have in common vary by twice their squared mean. As
# many groups of this variance are added to those there are: few groups do not show it.
SHARED_VARIANCE, SHARED_GROUPS = 2.0, 3.0


def kept_share_interval(
    loss: Array, size: Array, share: float, times_fewer: float = 1.0
) -> Interval:
    """Return the interval of an error rate: Wilson's, of as many rows as have its variance.

    Parameters
    ----------
    loss : array of shape (units,)
        Errors of the winner among the rows of every unit: a row, or a group of rows.
    size : array of shape (units,)
        Rows of every unit.
    share : float
        The bias-corrected error rate.
    times_fewer : float
        All training rows by those that the winner was fitted to: training sets of fewer rows vary
        more.
    """
    below, above = _enlarged(times_fewer)
    n_rows = float(size.sum())
    lowest = _between(float(loss.sum()) / n_rows, share)
    low_rows, high_rows = (
        n_rows / _design_effect(loss, size, one) if (size != 1).any() else n_rows
        for one in (lowest, share)
    )
    low, _ = wilson(lowest, low_rows / below)
    _, high = wilson(share, high_rows / above)
    return low if lowest * n_rows >= 1 else 0.0, high  # less than one error may be none


def kept_rate_interval(rate: float, n_rows: int) -> Interval:
    """Return the interval of a rate of the kept model among some rows: a recall, a coverage."""
    return wilson(rate, n_rows / (1 + TRAINING_VARIANCE_ABOVE))


def _design_effect(loss: Array, size: Array, share: float) -> float:
    """Return the variance of an error rate over groups, by that over as many single rows."""
    binomial, design = share * (1 - share) / float(size.sum()), 1.0
    if binomial > 0:
        design = max(variance_over_units(loss, size) / binomial, 1.0)
    return float(design * (_student(len(size)) / NORMAL_95_DEVIATIONS) ** 2)


def kept_mean_interval(loss: Array, size: Array, mean: float, times_fewer: float = 1.0) -> Interval:
    """Return the interval of a mean loss that is not negative: Student's, of its logarithm."""
    n_units, observed = len(size), float(loss.sum() / size.sum())
    if observed == 0:
        return mean, mean
    variance = variance_over_units(loss, size) / observed**2
    if (size != 1).any():
        shared = SHARED_GROUPS * SHARED_VARIANCE / n_units
        variance = (n_units * variance + shared) / (n_units + SHARED_GROUPS)
    reach = _student(n_units) * variance**0.5
    below, above = _enlarged(times_fewer)
    low = _between(observed, mean) * np.exp(-reach * below**0.5)
    high = mean * np.exp(reach * above**0.5)
    return float(low), float(high)


def _enlarged(times_fewer: float) -> tuple[float, float]:
    """Return by how much the variance over rows is enlarged, below and above."""
    return 1 + times_fewer * TRAINING_VARIANCE_BELOW, 1 + times_fewer * TRAINING_VARIANCE_ABOVE


def _between(observed: float, corrected: float) -> float:
    """Return the middle of the out-of-fold and the corrected error, which is not the higher."""
    return (min(observed, corrected) + corrected) / 2


def variance_over_units(loss: Array, size: Array) -> float:
    """Return the variance of a mean loss over rows, or over groups of them."""
    n_units, n_rows = len(size), float(size.sum())
    if n_units < 2:
        return 0.0
    residual = loss - loss.sum() / n_rows * size
    return float(residual @ residual) * n_units / (n_units - 1) / n_rows**2


def _student(n_units: int) -> float:
    """Return the quantile of Student's distribution for this many units."""
    return float(t.ppf((1 + KEPT_CONFIDENCE) / 2, max(n_units - 1, 1)))
