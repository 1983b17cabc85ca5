"""Cells of text become columns of numbers, booleans, dates or strings, or an error."""

from __future__ import annotations

import re
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.data.chunk import Dialect, Kind
from lookalike.data.column_types import SAMPLE_ROWS, kind_of_strings
from lookalike.typing import AnyArray

TRIED: tuple[Kind, ...] = ("number", "boolean", "date")
STAMPS = (pa.timestamp("us"), pa.timestamp("us", "UTC"))
ALMOST_NUMBER = re.compile(
    r"[+-]?(0x[0-9a-f]+|[0-9.,][0-9_.,' ]*(e[+-]?[0-9]+)?|inf(inity)?|nan)", re.IGNORECASE
)
WITH_POINTS = re.compile(r"[0-9]+(\.[0-9]+){2,}")  # a date, a version, an address …
THOUSANDS = re.compile(r"[0-9]{1,3}(\.[0-9]{3})+")  # … unless the points part thousands
DAY_FIRST = r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})\b"  # the order that points mean
YEAR_FIRST = r"^([0-9]{4})[./]([0-9]{1,2})[./]([0-9]{1,2})\b"
ONE_DIGIT = r"-([0-9])\b"  # of a day or month


class BadCellError(ValueError):
    """The cell at `place` is the first that is not of the kind of its column."""

    def __init__(self, place: int, cells: pa.Array) -> None:
        self.place, self.value = place, cells[place].as_py()
        super().__init__(self.value)


def recognize(cells: pa.Array, dialect: Dialect) -> Kind:
    """Return the kind of the column whose first cells these are; nulls are missing.

    A column most of whose cells are numbers, or look like a malformed one, is a column of
    numbers, and raises where another cell is in it. A malformed number never becomes a category.
    """
    cells = cells[:SAMPLE_ROWS]
    present = cells.drop_null()
    for kind in TRIED:
        with suppress(BadCellError):
            for part in (present[:10], cells):
                convert(part, kind, dialect)
            return kind
    strings = present.to_pylist()
    meant = sum(_almost_number(value.strip()) for value in strings)
    if 2 * meant > len(strings):
        _numbers(cells, dialect)  # which raises
    return kind_of_strings(strings)


def _almost_number(cell: str) -> bool:
    """Return whether a cell looks like a number, malformed or written in another dialect.

    >>> [_almost_number(cell) for cell in ("1.234,5", "0x10", "1.234.567", "1.10.2", "192.168.0.1")]
    [True, True, True, False, False]
    """
    if WITH_POINTS.fullmatch(cell) and not THOUSANDS.fullmatch(cell):
        return False
    return ALMOST_NUMBER.fullmatch(cell) is not None


def convert(cells: pa.Array, kind: Kind, dialect: Dialect) -> AnyArray:
    """Return the cells as an array of `kind`; raise where a cell is not of that kind."""
    if kind == "number":
        return _numbers(cells, dialect)
    if kind == "boolean":
        return _booleans(cells)
    if kind == "date":
        return _dates(cells)
    values: AnyArray = cells.to_numpy(zero_copy_only=False)
    return values.astype(object, copy=False)


def _numbers(cells: pa.Array, dialect: Dialect) -> AnyArray:
    if dialect.decimal == "." and dialect.thousands is None:
        try:
            return _finite(cells.cast(pa.float64()), cells)
        except pa.ArrowInvalid:
            pass  # blanks around a number, or no number: the slower way decides
    trimmed = pc.utf8_trim_whitespace(cells)
    trimmed = pc.if_else(pc.is_in(trimmed, pa.array(dialect.missing, pa.string())), None, trimmed)
    bad = pc.invert(pc.fill_null(pc.match_substring_regex(trimmed, _pattern(dialect)), True))
    if pc.any(bad).as_py():
        raise BadCellError(pc.index(bad, True).as_py(), cells)
    if dialect.thousands is not None:
        trimmed = pc.replace_substring(trimmed, dialect.thousands, "")
    if dialect.decimal not in (None, "."):
        trimmed = pc.replace_substring(trimmed, dialect.decimal, ".")
    return _finite(trimmed.cast(pa.float64()), cells)


def _finite(numbers: pa.Array, cells: object) -> AnyArray:
    values = _floats(numbers)
    bad = ~np.isfinite(values)
    if bad.any():  # a null is NaN by now and no bad cell; inf, nan and 1e400 are
        bad &= _floats(numbers.is_valid().cast(pa.float64())) > 0
    if bad.any():
        raise BadCellError(int(bad.argmax()), cells)
    return values


def _floats(numbers: object) -> AnyArray:
    """Return float64 numbers with NaN for nulls; to_numpy would load pandas for it."""
    values: AnyArray = np.from_dlpack(pc.fill_null(numbers, np.nan))
    return values


def _pattern(dialect: Dialect) -> str:
    point, digits = re.escape(dialect.decimal or "."), "[0-9]+"
    if dialect.thousands is not None:
        digits = f"(?:[0-9]+|[0-9]{{1,3}}(?:{re.escape(dialect.thousands)}[0-9]{{3}})+)"
    return rf"^[+-]?(?:{digits}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?$"


def _booleans(cells: pa.Array) -> AnyArray:
    lower = pc.utf8_lower(cells)
    good = pc.fill_null(pc.is_in(lower, pa.array(["true", "false"])), False)
    bad = pc.and_(pc.invert(good), cells.is_valid())
    if pc.any(bad).as_py():
        raise BadCellError(pc.index(bad, True).as_py(), cells)
    return _floats(pc.equal(lower, "true").cast(pa.float64()))


def _dates(cells: pa.Array) -> AnyArray:
    """Return dates of ISO 8601, and others that can be read in one way only.

    03/04/2021 is a day in March or in April, and no date therefore.
    """
    values = _stamps(cells)
    if values is None:
        iso = _as_iso(cells)
        values = _stamps(iso)
    if values is None:
        raise BadCellError(max(_castable_prefix(iso, stamp) for stamp in STAMPS), cells)
    return values


def _stamps(cells: pa.Array) -> AnyArray | None:
    """Return dates of ISO 8601, None where a cell is none."""
    for stamp in STAMPS:
        if _castable(cells, stamp):
            values: AnyArray = cells.cast(stamp).to_numpy(zero_copy_only=False)
            return values.astype("datetime64[us]")
    return None


def _as_iso(cells: pa.Array) -> pa.Array:
    """Return dates such as 7.1.2022, 2022/1/7 and 2022-1-7 as 2022-01-07, other cells unchanged."""
    for pattern, order in ((DAY_FIRST, r"\3-\2-\1"), (YEAR_FIRST, r"\1-\2-\3")):
        cells = pc.replace_substring_regex(cells, pattern, order)
    return pc.replace_substring_regex(cells, ONE_DIGIT, r"-0\1")


def _castable(cells: pa.Array, kind: pa.DataType) -> bool:
    try:
        cells.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def _castable_prefix(cells: pa.Array, kind: pa.DataType) -> int:
    """Return how many of the first cells are of `kind`, by halving."""
    good, bad = 0, len(cells)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if _castable(cells[good:middle], kind) else (good, middle)
    return good
