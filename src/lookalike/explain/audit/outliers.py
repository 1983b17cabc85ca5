"""Outliers: rows of low local density, by the distances to their neighbors."""

from __future__ import annotations

import numpy as np

from lookalike.confidence import OF_MEDIAN
from lookalike.typing import Array, Rows

NORMAL_DECILE = 1.2816  # standard deviations between median and upper decile of a normal variable


def outlier_scores(distance: Array, row: Rows, least: float = 0.0) -> Array:
    r"""Return the outlier score of every row by local density, in robust deviations.

    The score of row i is :math:`\ln r_k(i) - \text{median}_{j \in N(i)} \ln r_k(j)`, the
    distance to the k-th neighbor against that of the neighbors [Breunig00]. A deviation is the
    larger one of 1.4826 times the median deviation and of what the upper decile says, so that
    rare categories, whose rows the one-hot encoding puts at a distance, do not count as
    outliers where a tenth of the rows is of such; the root mean square where both are 0.
    Distances count as `least` at least: that of another category, so that a row is not an outlier
    for being the one of its category beside many of another. Nor is a deviation less than what one
    more category that differs adds to a typical distance, :math:`\frac 1 2 \ln (1 + s^2 / r^2)`.
    """
    reach = distance[:, -1]
    if not reach.any():
        return np.zeros(len(reach))
    nearest = reach[reach > 0].min()  # copies are as near as anything
    excess = _gap(np.log(np.maximum(reach, nearest)), row)
    spread = max(OF_MEDIAN * np.median(np.abs(excess)), np.quantile(excess, 0.9) / NORMAL_DECILE)
    spread = spread or np.sqrt(np.mean(excess**2)) or 1.0
    typical = max(float(np.median(reach)), nearest, least)
    spread = max(spread, 0.5 * np.log1p((least / typical) ** 2))
    scores: Array = _gap(np.log(np.maximum(reach, max(nearest, least))), row) / spread
    return scores


def _gap(size: Array, row: Rows) -> Array:
    score = size - np.median(size[row], axis=1)
    excess: Array = score - np.median(score)
    return excess
