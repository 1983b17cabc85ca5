"""The 95% interval of the error of the model that is kept: the winner fitted again on all rows.

Two things make its error differ from the estimate: the rows that it was estimated on, and the rows
that it was fitted to. The first has Wilson's interval, or Student's of the logarithm of the mean
loss, over rows or groups of them; the second enlarges the variance. It does so more below than
above: the models of the folds are fitted to fewer rows than the kept one, whose error is therefore
lower rather than higher.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import t

from lookalike.confidence import NORMAL_95_DEVIATIONS, wilson
from lookalike.studies.format import Interval
from lookalike.typing import Array

KEPT_CONFIDENCE = 0.95
# Variance of the error over training sets, as a part of its variance over the rows that it is
# estimated on, by which it is enlarged below and above. Chosen by simulation; what it covers on
# other seeds, and that 100 rows are too few for some problems: benchmarks/results/kept_coverage.txt
TRAINING_VARIANCE_BELOW = 1.0
TRAINING_VARIANCE_ABOVE = 0.7


def kept_share_interval(loss: Array, size: Array, share: float) -> Interval:
    """Return the interval of an error rate: Wilson's, of as many rows as have its variance.

    Parameters
    ----------
    loss : array of shape (units,)
        Errors of the winner among the rows of every unit: a row, or a group of rows.
    size : array of shape (units,)
        Rows of every unit.
    share : float
        The bias-corrected error rate.
    """
    n_rows = float(size.sum())
    design = 1.0  # variance over groups by that over as many rows
    if (size != 1).any():
        binomial = share * (1 - share) / n_rows
        if binomial > 0:
            design *= max(variance_over_units(loss, size) / binomial, 1.0)
        design *= (_student(len(size)) / NORMAL_95_DEVIATIONS) ** 2
    low, _ = wilson(share, n_rows / (design * (1 + TRAINING_VARIANCE_BELOW)))
    _, high = wilson(share, n_rows / (design * (1 + TRAINING_VARIANCE_ABOVE)))
    return low, high


def kept_mean_interval(loss: Array, size: Array, mean: float) -> Interval:
    """Return the interval of a mean loss that is not negative: Student's, of its logarithm."""
    observed = float(loss.sum() / size.sum())
    if observed == 0:
        return mean, mean
    reach = _student(len(size)) * variance_over_units(loss, size) ** 0.5 / observed
    below, above = (1 + TRAINING_VARIANCE_BELOW) ** 0.5, (1 + TRAINING_VARIANCE_ABOVE) ** 0.5
    return float(mean * np.exp(-reach * below)), float(mean * np.exp(reach * above))


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
