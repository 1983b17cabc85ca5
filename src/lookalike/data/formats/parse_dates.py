"""Cells of text become dates, in whatever common form each is written."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.data.chunk import DateOrder
from lookalike.data.formats.date_patterns import (
    EIGHT_DIGITS,
    FIXED_ORDER,
    MONTH_NUMBERS,
    NUMERIC_DATE_PATTERN,
)
from lookalike.errors import ColumnError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray

STAMP_TYPES = (pa.timestamp("us"), pa.timestamp("us", "UTC"))
FIRST_SHORT_YEAR = 1969  # 69 is 1969 and 68 is 2068, as POSIX has it
MICROSECONDS_PER_UNIT = {"seconds": 10**6, "milliseconds": 10**3}
ORDERED_PARTS = {"dmy": ("day", "month", "year"), "mdy": ("month", "day", "year")}
PLAIN_NUMBER = r"^[+-]?[0-9]{1,15}(?:\.[0-9]+)?$"


def parse_dates(cells: pa.Array, order: DateOrder = "ymd") -> AnyArray:
    """Return the cells as datetime64[us], NaT where a cell is null or not a date.

    Times with an offset become UTC; a time without one stays as it is. `order` says how three
    short numbers are to be read, and what a number is; other forms mean the same in any order.

    Examples
    --------
    >>> cells = pa.array(["03/04/2021", "4 March 2021 7:30 PM", "2021-03-04T10:00+02:00", "soon"])
    >>> for date in parse_dates(cells, "mdy"):
    ...     print(date)
    2021-03-04T00:00:00.000000
    2021-03-04T19:30:00.000000
    2021-03-04T08:00:00.000000
    NaT
    """
    if order in MICROSECONDS_PER_UNIT:
        return _from_epoch(cells, MICROSECONDS_PER_UNIT[order])
    stamps = _iso_stamps(cells)
    return _by_patterns(cells, order) if stamps is None else stamps


def dates_of_values(values: AnyArray, order: DateOrder, name: str, offset: int = 0) -> AnyArray:
    """Return texts, dates and times of Python as datetime64[us]; raise where a value is neither."""
    cells = [None if is_missing(value) else _as_text(value) for value in values.tolist()]
    dates = parse_dates(pa.array(cells, pa.string()), order)
    bad = np.isnat(dates) & np.array([bool(cell and cell.strip()) for cell in cells], bool)
    if bad.any():
        row = int(bad.argmax())
        raise ColumnError(
            f"column {name!r} holds {values[row]!r} at row {offset + row}, where a date is needed. "
            "Give a date such as '2026-01-31', or one written as in the rows of fit."
        )
    return dates


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _iso_stamps(cells: pa.Array) -> AnyArray | None:
    """Return dates of ISO 8601, None where a cell is of another form."""
    for stamp in STAMP_TYPES:
        try:
            values: AnyArray = cells.cast(stamp).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            continue
        return values.astype("datetime64[us]")
    return None


def _by_patterns(cells: pa.Array, order: DateOrder) -> AnyArray:
    dates = np.full(len(cells), np.datetime64("NaT"), "datetime64[us]")
    lower = pc.utf8_lower(pc.utf8_trim_whitespace(cells))
    patterns = (EIGHT_DIGITS,) if order == "yyyymmdd" else (NUMERIC_DATE_PATTERN, *FIXED_ORDER)
    rows = np.flatnonzero(_as_numpy(cells.is_valid()))
    for pattern in patterns:
        if not len(rows):
            break
        parts = pc.extract_regex(lower.take(pa.array(rows)), f"^(?:{pattern})$")
        matches = _as_numpy(parts.is_valid())
        if matches.any():
            dates[rows[matches]] = _dates_of_parts(parts.drop_null(), order)
            rows = rows[~matches]
    return dates


def _dates_of_parts(parts: pa.StructArray, order: DateOrder) -> AnyArray:
    """Return the date of each struct of parts, NaT where there is no such day or time."""
    fields = {parts.type[j].name: parts.field(j) for j in range(parts.type.num_fields)}
    good = np.ones(len(parts), bool)
    if "third" in fields:
        names = ORDERED_PARTS.get(order, ("year", "month", "day"))
        numbers = (fields["first"], fields["middle"], fields["third"])
        fields |= dict(zip(names, numbers, strict=True))
        good &= _as_numpy(pc.equal(fields["separator"], fields["separator_2"]))
        if names[0] == "year":
            good &= _as_numpy(pc.equal(pc.utf8_length(fields["third"]), 2))
    year, month, day = _year(fields["year"]), _month(fields), _integers(fields.get("day"), 1, good)
    good &= (month >= 1) & (month <= 12) & (day >= 1)
    months = ((year - 1970) * 12 + np.where(good, month, 1) - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    good &= days.astype("datetime64[M]") == months
    seconds, valid_time = _seconds(fields, good)
    microseconds = seconds * 10**6 + _fraction(fields, good)
    dates = days.astype("datetime64[us]") + microseconds.astype("timedelta64[us]")
    return np.where(good & valid_time, dates, np.datetime64("NaT", "us"))


def _seconds(fields: dict[str, pa.Array], like: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the time of day less its offset in seconds, and whether it exists."""
    hour, minute = _integers(fields.get("hour"), 0, like), _integers(fields.get("minute"), 0, like)
    second = _integers(fields.get("second"), 0, like)
    valid = (hour < 24) & (minute < 60) & (second < 60)
    if "half" in fields:
        half = fields["half"]
        has_half = _as_numpy(pc.not_equal(half, ""))
        valid &= ~has_half | ((hour >= 1) & (hour <= 12))
        afternoon = _as_numpy(pc.starts_with(half, "p"))
        hour = np.where(has_half, hour % 12 + 12 * afternoon, hour)
    offset = np.zeros(len(like), np.int64)
    if "zone" in fields:
        digits = pc.replace_substring_regex(fields["zone"], r"[^0-9+-]", "")
        minutes = _integers(pc.utf8_slice_codeunits(digits, 3, 5), 0, like)
        offset = _integers(pc.utf8_slice_codeunits(digits, 1, 3), 0, like) * 60 + minutes
        valid &= (minutes < 60) & (offset < 24 * 60)
        offset = np.where(_as_numpy(pc.starts_with(digits, "-")), -offset, offset)
    return ((hour * 60 + minute) - offset) * 60 + second, valid


def _fraction(fields: dict[str, pa.Array], like: AnyArray) -> AnyArray:
    """Return the part of a second in microseconds; digits beyond are cut."""
    if "fraction" not in fields:
        return np.zeros(len(like), np.int64)
    digits = pc.utf8_slice_codeunits(pc.utf8_rpad(fields["fraction"], 6, "0"), 0, 6)
    return _integers(digits, 0, like)


def _year(cells: pa.Array) -> AnyArray:
    year = _integers(cells, 0, np.empty(len(cells)))
    short = _as_numpy(pc.equal(pc.utf8_length(cells), 2))
    first = FIRST_SHORT_YEAR % 100
    return np.where(short, np.where(year >= first, 1900, 2000) + year, year)


def _month(fields: dict[str, pa.Array]) -> AnyArray:
    """Return the number of each month, 0 where a name is not that of a month."""
    if "name" not in fields:
        return _integers(fields["month"], 0, np.empty(len(fields["month"])))
    names = pc.index_in(fields["name"], pa.array(list(MONTH_NUMBERS)))
    numbers = pa.array([*MONTH_NUMBERS.values(), 0], pa.int64())
    return _as_numpy(numbers.take(pc.fill_null(names, len(MONTH_NUMBERS))))


def _integers(cells: pa.Array | None, default: int, like: AnyArray) -> AnyArray:
    """Return digits as integers, `default` where there are none."""
    if cells is None:
        return np.full(len(like), default, np.int64)
    digits = pc.if_else(pc.equal(cells, ""), str(default), cells)
    return _as_numpy(digits.cast(pa.int64()))


def _from_epoch(cells: pa.Array, microseconds: int) -> AnyArray:
    """Return numbers of seconds or milliseconds since 1970 as dates."""
    trimmed = pc.utf8_trim_whitespace(cells)
    fits = pc.fill_null(pc.match_substring_regex(trimmed, PLAIN_NUMBER), False)
    numbers = _as_numpy(pc.if_else(fits, trimmed, "0").cast(pa.float64()))
    with np.errstate(invalid="ignore"):
        dates = np.round(numbers * microseconds).astype("datetime64[us]")
    good = _as_numpy(fits) & (np.abs(numbers) * microseconds < 2**62)
    return np.where(good, dates, np.datetime64("NaT", "us"))


def _as_numpy(values: pa.Array) -> AnyArray:
    array: AnyArray = values.to_numpy(zero_copy_only=False)
    return array
