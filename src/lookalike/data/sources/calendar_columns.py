"""What the calendar and the clock say of a date: month, weekday and hour."""

from __future__ import annotations

import numpy as np

from lookalike.typing import AnyArray, Array

WEEKDAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FIRST_WEEKDAY = 3  # 1970-01-01 was a Thursday
NUMERIC_PARTS = {  # the numbers that each part becomes: December is next to January
    "month": ("month (sin)", "month (cos)"),
    "hour": ("hour (sin)", "hour (cos)"),
    "day": ("day",),  # of the month
}


def calendar_numbers(days: Array, part: str) -> Array:
    """Return a part of dates, given as days since 1970, as one column or as two on a circle.

    The month is the place of the day in its year, the hour the time of day. NaN stays NaN.

    Examples
    --------
    >>> calendar_numbers(np.array([0.0, 182.5]), "month").round(2).tolist()
    [[0.0, 1.0], [0.01, -1.0]]
    """
    known = np.isfinite(days)
    whole = np.floor(np.where(known, days, 0.0)).astype(np.int64)
    if part == "hour":
        return _on_circle(np.where(known, days - np.floor(days), np.nan))
    date = whole.astype("datetime64[D]")
    unit = "datetime64[Y]" if part == "month" else "datetime64[M]"
    start = date.astype(unit)
    elapsed = (date - start.astype("datetime64[D]")).astype(np.float64)
    if part == "day":
        return np.where(known, elapsed + 1.0, np.nan)[:, None]
    length = ((start + 1).astype("datetime64[D]") - start.astype("datetime64[D]")).astype(float)
    return _on_circle(np.where(known, elapsed / length, np.nan))


def weekdays(days: Array) -> AnyArray:
    """Return the names of the weekdays of dates, given as days since 1970; None for NaN.

    Examples
    --------
    >>> weekdays(np.array([0.0, np.nan])).tolist()
    ['Thursday', None]
    """
    known = np.isfinite(days)
    whole = np.floor(np.where(known, days, 0.0)).astype(np.int64)
    names = np.array([*WEEKDAY_NAMES, None], dtype=object)
    return names[np.where(known, (whole + FIRST_WEEKDAY) % 7, 7)]


def _on_circle(share: Array) -> Array:
    angle = 2.0 * np.pi * share
    return np.column_stack([np.sin(angle), np.cos(angle)])
