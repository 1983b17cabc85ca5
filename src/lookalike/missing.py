"""Which values are missing: one test for single values of any library."""

from __future__ import annotations

import numpy as np


def is_missing(value: object) -> bool:
    """Return whether `value` is a missing one: None, NaN, NaT or pandas' NA.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), np.datetime64("NaT"), 0, "")]
    [True, True, True, False, False]
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, np.datetime64)) and str(value) in ("nan", "NaT")
