"""Outliers: rows of low local density, by the distances to their neighbors."""

from __future__ import annotations

import numpy as np

from lookalike.typing import Array, Rows

NORMAL_DECILE = 1.2816  # standard deviations between median and upper decile of a normal variable


def outlier_scores(distance: Array, row: Rows) -> Array:
    r"""Return the outlier score of every row by local density, in robust deviations.

    The score of row i is :math:`\ln r_k(i) - \text{median}_{j \in N(i)} \ln r_k(j)`, the
    distance to the k-th neighbor against that of the neighbors [Breunig00]. A deviation is the
    larger one of 1.4826 times the median deviation and of what the upper decile says, so that
    rare categories, whose rows the one-hot encoding puts at a distance, do not count as
    outliers where a tenth of the rows is of such; the root mean square where both are 0.
    """
    reach = distance[:, -1]
    if not reach.any():
        return np.zeros(len(reach))
    size = np.log(np.maximum(reach, reach[reach > 0].min()))  # copies are as near as anything
    score = size - np.median(size[row], axis=1)
    gap: Array = score - np.median(score)
    spread = max(1.4826 * np.median(np.abs(gap)), np.quantile(gap, 0.9) / NORMAL_DECILE)
    return gap / (spread or np.sqrt(np.mean(gap**2)) or 1.0)
