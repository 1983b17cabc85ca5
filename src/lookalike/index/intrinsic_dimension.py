"""How much farther neighbors lie one after the other, from which the dimension of rows follows."""

from __future__ import annotations

import numpy as np

from lookalike.typing import Array


def mean_log_ratio(distance: Array) -> Array:
    """Return for every row the mean logarithm of how much farther its last neighbor lies.

    The mean over rows is one over the dimension [Levina & Bickel 2004, MacKay & Ghahramani 2005].
    """
    ratio: Array = np.log(distance[:, -1:] / distance[:, :-1]).mean(axis=1)
    return ratio
