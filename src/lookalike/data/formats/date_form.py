"""Whether a column of text holds dates, and whether the day or the month comes first in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.data.chunk import DateOrder
from lookalike.data.column_names import type_advice
from lookalike.data.column_types import SAMPLE_ROWS
from lookalike.data.formats.parse_dates import parse_dates
from lookalike.typing import AnyArray

MIN_SHARE_OF_DATES = 0.95  # of the filled cells of a column that is one of dates
MIN_SHARE_IN_TIME_ORDER = 0.99  # of neighboring rows whose dates do not fall
PROBE_CELLS = 100  # where fewer than half of these are dates, the column is not looked at further
TIME_NAME = re.compile(
    r"(?:^|[\W_])(?:date|datetime|time|timestamp|ts|created|updated|modified|epoch|unix|at|day|"
    r"datum|fecha|zeit)(?:$|[\W_\d])"
)
EPOCH_RANGES: dict[DateOrder, tuple[float, float]] = {  # 1990 to 2050
    "seconds": (631_152_000.0, 2_524_608_000.0),
    "milliseconds": (631_152_000_000.0, 2_524_608_000_000.0),
}
TEXT_ORDERS: tuple[DateOrder, ...] = ("mdy", "dmy", "ymd")
ORDER_WORDS: dict[DateOrder, str] = {
    "dmy": "day before month",
    "mdy": "month before day",
    "ymd": "year before month and day",
    "yyyymmdd": "year, month and day in eight digits",
    "seconds": "seconds since 1970",
    "milliseconds": "milliseconds since 1970",
}
NUMERIC_DATE = (
    r"^(?P<first>[0-9]{1,2})(?P<separator>[-./])\s?[0-9]{1,2}[-./]\s?(?P<last>[0-9]{2,4})"
)
WITH_OFFSET = r":[0-9]{2}(?:[.,][0-9]+)?\s*(?:[ap]\.?m\.?)?\s*(?:z|utc|gmt|[+-][0-9]{2}:?[0-9]{2})$"
DIGITS_ONLY = r"^[0-9]+(?:\.[0-9]+)?$"
MIN_STEPS_IN_TIME = 10  # rows whose order in time is evidence
MIN_DISTINCT_DAYS = 25  # of short numbers that are days and not years, of numbers that are dates
FIRST_YEAR, LAST_YEAR = 1900, 2100  # of a date in eight digits
EIGHT_DIGIT_DAYS = (19_000_101, 21_001_231)


class DateForm(NamedTuple):
    """How the dates of a column are written, what the reader decided on it, and why."""

    order: DateOrder
    choice: str
    reason: str


class NumericStyle(NamedTuple):
    """How dates of three numbers are written, such as 03/14/2021."""

    separator: str
    long_years: bool  # mostly
    last_is_day: bool  # the last of three short numbers varies as days do, the first does not
    has_short_years: bool


def recognize_dates(cells: pa.Array, name: str = "", *, given: bool = False) -> DateForm | None:
    """Return the form of a column whose first cells these are, None where they are not dates.

    Numbers are dates in a column whose `name` says so, or where each is a day in eight digits.
    Where it is `given` that the column holds dates, the answer is the form that fits most cells.

    Examples
    --------
    >>> form = recognize_dates(pa.array(["03/04/2021", "28/02/2021"]), "sold")
    >>> form.order, form.choice
    ('dmy', 'dates, day before month')
    >>> recognize_dates(pa.array(["red", "green"])) is None
    True
    """
    present = pc.utf8_trim_whitespace(cells[:SAMPLE_ROWS].drop_null())
    present = present.filter(pc.not_equal(present, ""))
    if not len(present):
        return DateForm("ymd", "dates", "as given") if given else None
    probe = present[:PROBE_CELLS]
    if pc.mean(pc.match_substring_regex(probe, DIGITS_ONLY)).as_py() >= 0.5:
        return _form_of_numbers(present, name, given=given)
    return _form_of_text(present, name, given=given) if given or _may_be_dates(probe) else None


def _may_be_dates(probe: pa.Array) -> bool:
    """Return whether half of the cells are dates in some order."""
    if pc.mean(pc.match_substring_regex(probe, "[0-9]")).as_py() < 0.5:
        return False
    return max(_share(parse_dates(probe, order)) for order in TEXT_ORDERS) >= 0.5


def _form_of_text(present: pa.Array, name: str, *, given: bool) -> DateForm | None:
    dates = {order: parse_dates(present, order) for order in TEXT_ORDERS}
    shares = {order: _share(values) for order, values in dates.items()}
    best = max(shares.values())
    if best == 0.0 or (best < MIN_SHARE_OF_DATES and not given):
        return DateForm("ymd", "dates", "as given") if given else None
    candidates = [order for order in TEXT_ORDERS if shares[order] == best]
    if np.array_equal(dates["mdy"], dates["dmy"], equal_nan=True):
        order = candidates[-1] if len(candidates) != 2 else "dmy"
        return _form(order, present, dates[order], plain=len(candidates) > 1)
    style = _numeric_style(present)
    if "ymd" in candidates and (len(candidates) == 1 or style.last_is_day):
        return _form("ymd", present, dates["ymd"])
    candidates = [order for order in candidates if order != "ymd"]
    if len(candidates) == 1:
        other = dates["mdy" if candidates == ["dmy"] else "dmy"]
        return _form(candidates[0], present, dates[candidates[0]], other=other)
    return _form_of_ambiguous(present, name, dates, style, given=given)


def _form_of_ambiguous(
    present: pa.Array,
    name: str,
    dates: Mapping[DateOrder, AnyArray],
    style: NumericStyle,
    *,
    given: bool,
) -> DateForm | None:
    """Return the form of dates that are dates with the day and with the month first."""
    ordered = [order for order in TEXT_ORDERS if _in_time_order(dates[order])]
    if len(ordered) == 1:
        reason = "so read, the dates of the rows follow each other in time"
        return _form(ordered[0], present, dates[ordered[0]], reason)
    if style.separator != "/" and not style.long_years and not given:
        return None  # 01.02.03 may be a version, 01-02-03 a code
    order, other = TEXT_ORDERS[:2] if style.separator == "/" else TEXT_ORDERS[1::-1]
    advice = type_advice(name or "COLUMN", f"date:{other}")
    reason = f"no cell decides between day and month; {ORDER_WORDS[other]}: {advice}"
    return _form(order, present, dates[order], reason)


def _form_of_numbers(present: pa.Array, name: str, *, given: bool) -> DateForm | None:
    """Return the form of numbers that are dates, in a column whose name says so.

    Many distinct numbers of eight digits, each of them a day, need no name: one in a thousand is.
    """
    named = given or names_a_time(name)
    reason = "as given" if given else f"the column is named {name!r}"
    dates = parse_dates(present, "yyyymmdd")
    years = dates[~np.isnat(dates)].astype("datetime64[Y]").astype(np.int64) + 1970
    plausible = np.count_nonzero((years >= FIRST_YEAR) & (years <= LAST_YEAR))
    if plausible >= MIN_SHARE_OF_DATES * len(present):
        evident = plausible == len(present) and len(np.unique(dates)) >= MIN_DISTINCT_DAYS
        if named or evident:
            advice = f"every number is a day; {type_advice(name, 'number')} reads it otherwise"
            return _form("yyyymmdd", present, dates, reason if named else advice)
    if not named:
        return None
    fits = pc.match_substring_regex(present, DIGITS_ONLY)
    numbers = present.filter(fits).cast(pa.float64()).to_numpy()
    for order, (low, high) in EPOCH_RANGES.items():
        inside = np.count_nonzero((numbers >= low) & (numbers <= high))
        if inside >= MIN_SHARE_OF_DATES * len(present):
            return _form(order, present, parse_dates(present, order), reason)
    if not given:
        return None
    order = "seconds" if np.median(numbers) < EPOCH_RANGES["milliseconds"][0] else "milliseconds"
    return _form(order, present, parse_dates(present, order), reason)


def names_a_time(name: str) -> bool:
    """Return whether the name of a column says that it holds dates or times.

    Examples
    --------
    >>> [names_a_time(name) for name in ("created_at", "eventTime", "dateOfSale", "estimated")]
    [True, True, True, False]
    """
    words = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    return TIME_NAME.search(words) is not None


def may_be_days(numbers: AnyArray) -> bool:
    """Return whether all numbers lie where days of eight digits do, such as 20210314."""
    low, high = EIGHT_DIGIT_DAYS
    return len(numbers) > 0 and bool(numbers.min() >= low and numbers.max() <= high)


def _form(
    order: DateOrder,
    present: pa.Array,
    dates: AnyArray,
    evidence: str = "",
    *,
    other: AnyArray | None = None,
    plain: bool = False,
) -> DateForm:
    """Return the form with an example: where there is one, a cell that is not a date in `other`."""
    valid = ~np.isnat(dates)
    decisive = valid & np.isnat(other) if other is not None else np.zeros(len(dates), bool)
    index = int((decisive if decisive.any() else valid).argmax())
    moment = dates[index].astype("datetime64[s]").item().isoformat(" ").removesuffix(" 00:00:00")
    reasons = [f"{present[index].as_py()!r} is {moment}"]
    if decisive.any():
        reasons[0] += ", and no date in the other order"
    if evidence:
        reasons.append(evidence)
    if order in TEXT_ORDERS and _numeric_style(present).has_short_years:
        reasons.append("two-digit years are 1969 to 2068")
    if pc.any(pc.match_substring_regex(pc.utf8_lower(present), WITH_OFFSET)).as_py():
        reasons.append("times with an offset become UTC")
    choice = "dates" if plain else f"dates, {ORDER_WORDS[order]}"
    return DateForm(order, choice, "; ".join(reasons))


def _numeric_style(present: pa.Array) -> NumericStyle:
    parts = pc.extract_regex(present, NUMERIC_DATE).drop_null()
    if not len(parts):
        return NumericStyle("", long_years=False, last_is_day=False, has_short_years=False)
    first, last = parts.field("first"), parts.field("last")
    counts = pc.value_counts(parts.field("separator")).to_pylist()
    separator = max(counts, key=lambda item: item["counts"])["values"]
    short = pc.mean(pc.equal(pc.utf8_length(last), 2)).as_py()
    distinct = [pc.count_distinct(part).as_py() for part in (first, last)]
    last_is_day = distinct[1] > max(MIN_DISTINCT_DAYS, 2 * distinct[0])
    return NumericStyle(separator, short < 0.5, last_is_day, short > 0)


def _in_time_order(dates: AnyArray) -> bool:
    """Return whether dates rise, or fall, from row to row."""
    steps = np.diff(dates[~np.isnat(dates)]).astype(np.int64)
    steps = steps[steps != 0]
    if len(steps) < MIN_STEPS_IN_TIME:
        return False
    rising = np.count_nonzero(steps > 0) / len(steps)
    return bool(max(rising, 1 - rising) >= MIN_SHARE_IN_TIME_ORDER)


def _share(dates: AnyArray) -> float:
    return float(np.mean(~np.isnat(dates)))
