"""Which parts of dates neighbors are found by: those that lower the leave-one-out error."""

from __future__ import annotations

from collections.abc import Callable, Sequence

MIN_RELATIVE_GAIN = 0.01  # of the loss, for a part to be worth its column


def choose_date_parts(
    parts: Sequence[str], loss: Callable[[tuple[str, ...]], float]
) -> tuple[str, ...]:
    """Return the parts that lower the loss, added to the position in time one by one.

    Examples
    --------
    >>> losses = {(): 2.0, ("month",): 2.1, ("weekday",): 1.0, ("weekday", "month"): 1.0}
    >>> choose_date_parts(["month", "weekday"], losses.__getitem__)
    ('weekday',)
    """
    chosen: tuple[str, ...] = ()
    lowest = loss(chosen)
    rest = list(parts)
    while rest:
        tried = {(*chosen, part): loss((*chosen, part)) for part in rest}
        best = min(tried, key=tried.__getitem__)
        if tried[best] >= (1.0 - MIN_RELATIVE_GAIN) * lowest:
            break
        chosen, lowest = best, tried[best]
        rest.remove(best[-1])
    return chosen


def describe_date_parts(parts: Sequence[str]) -> str:
    """Return what a date becomes, in words.

    Examples
    --------
    >>> describe_date_parts(("weekday", "hour"))
    'position in time, weekday, hour'
    """
    return ", ".join(("position in time", *parts))
