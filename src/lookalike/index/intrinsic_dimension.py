"""The dimension that rows have near each other, from a sample: what boxes of a KD-tree feel."""

from __future__ import annotations

import numpy as np

from lookalike.index.exact import ExactIndex
from lookalike.typing import AnyArray, Array

SAMPLE_ROWS, SAMPLE_QUERIES = 4000, 256
NEAR = 10  # neighbors whose distances are compared


def sampled_dimension(X: AnyArray) -> float:
    """Return the maximum-likelihood dimension [Levina & Bickel 2004] of evenly spaced rows.

    Infinite where the rows are too few or too often the same to tell.

    Examples
    --------
    >>> import numpy as np
    >>> turn = np.linspace(0, 6, 3000)
    >>> curve = np.stack([np.cos(turn), np.sin(turn), turn], axis=1)
    >>> round(sampled_dimension(curve))
    1
    """
    sample = np.ascontiguousarray(X[:: max(1, len(X) // SAMPLE_ROWS)][:SAMPLE_ROWS])
    if len(sample) < 5 * NEAR or not np.isfinite(sample).all():
        return float("inf")
    place = np.linspace(0, len(sample) - 1, min(SAMPLE_QUERIES, len(sample))).astype(np.int64)
    distance, _ = ExactIndex(sample).query(sample[place], NEAR, exclude=place)
    apart = distance[distance[:, 0] > 0]
    if len(apart) < len(place) / 4:
        return float("inf")
    return float(1 / max(mean_log_ratio(apart).mean(), 1e-9))


def mean_log_ratio(distance: Array) -> Array:
    """Return for every row the mean logarithm of how much farther its last neighbor lies.

    The mean over rows is one over the dimension [Levina & Bickel 2004, MacKay & Ghahramani 2005].
    """
    ratio: Array = np.log(distance[:, -1:] / distance[:, :-1]).mean(axis=1)
    return ratio
