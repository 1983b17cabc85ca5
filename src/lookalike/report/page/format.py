"""Numbers as a page tells them."""

from __future__ import annotations

from lookalike.studies.analysis_results import Interval
from lookalike.studies.summary import amount


def percent(share: float) -> str:
    """Return a share in per cent, as the verdict tells it.

    >>> percent(0.0312), percent(1.0)
    ('3.1%', '100.0%')
    """
    return f"{share:.1%}"


def between(measure: str, ends: Interval) -> str:
    """Return an interval.

    >>> between("error", (0.012, 0.034))
    '1.2% to 3.4%'
    """
    return f"{amount(measure, ends[0])} to {amount(measure, ends[1])}"


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    >>> count(1, "row"), count(12345, "row")
    ('1 row', '12 345 rows')
    """
    return f"{spaced(number)} {one if number == 1 else many or one + 's'}"


def spaced(number: float) -> str:
    """Return a whole number with its thousands apart.

    >>> spaced(12345)
    '12 345'
    """
    return f"{number:,.0f}".replace(",", " ")
