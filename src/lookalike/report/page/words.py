"""Numbers as a page tells them."""

from __future__ import annotations

from lookalike.studies.results import Interval


def percent(share: float) -> str:
    """Return a share in per cent, with as many digits as say something.

    >>> percent(0.0312), percent(0.314), percent(0.00042), percent(1.0)
    ('3.1 %', '31 %', '0.042 %', '100 %')
    """
    hundredths = 100.0 * share
    if abs(hundredths) >= 10.0 or hundredths == 0.0:
        return f"{hundredths:.0f} %"
    return f"{hundredths:.2g} %"


def amount(measure: str, value: float) -> str:
    """Return an error as a share in per cent, or an RMSE as a number."""
    return percent(value) if measure == "error" else f"{value:.4g}"


def between(measure: str, ends: Interval) -> str:
    """Return an interval.

    >>> between("error", (0.012, 0.034))
    '1.2 % to 3.4 %'
    """
    return f"{amount(measure, ends[0])} to {amount(measure, ends[1])}"


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    >>> count(1, "row"), count(12345, "row")
    ('1 row', '12 345 rows')
    """
    told = f"{number:,}".replace(",", " ")
    return f"{told} {one if number == 1 else many or one + 's'}"
