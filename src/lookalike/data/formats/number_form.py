"""How the numbers of a column are written, by the evidence of its cells, and their values."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.typing import AnyArray

UNIT_PATTERN = re.compile(
    r"^[+-]?\s*(?P<before>[$€£¥₹₩]|USD|EUR|GBP|CHF)|(?P<after>[$€£¥₹₩%]|USD|EUR|GBP|CHF)$"
)
WORD_UNIT_PATTERN = re.compile(  # the °C of 20.1 °C; digits with leading zeros are codes
    r"^[+-]?(?!0[0-9])[0-9](?:[0-9.,'\u2019\s]*[0-9])?\s*(?P<unit>[^\W\d_°µ]{0,2}[°µ/²³]?[^\W\d_]{1,12}"
    r"(?:[/²³][^\W\d_]{0,5}[²³]?)?|°(?:\s+[NSEWO])?)$"  # 8.12° E
)
CLOCK_PATTERN = (
    r"^(?P<hours>[0-9]{1,3}):(?P<minutes>[0-5][0-9])(?::(?P<seconds>[0-5][0-9](?:\.[0-9]+)?))?"
    r"\s*(?P<half>[AaPp])?(?:\.?[Mm]\.?)?$"
)
IN_PARENTHESES = r"^(.*)\((.*[0-9].*)\)$"
UNIT_PROBE_CELLS = 20  # distinct cells in which a unit is looked for
SPACE_SEPARATORS = (" ", "\u00a0", "\u202f")
APOSTROPHE_SEPARATORS = ("'", "\u2019")
NUMBER_SEPARATORS = (
    (".", ","),
    (",", None),
    (",", "."),
    *((decimal, space) for space in SPACE_SEPARATORS for decimal in ".,"),
    *((".", apostrophe) for apostrophe in APOSTROPHE_SEPARATORS),
)
COMMA_FIRST = ((",", None), *NUMBER_SEPARATORS)  # in a file whose cells end with semicolons
SEPARATOR_WORDS = {",": "comma", ".": "point"}
SEPARATOR_WORDS |= dict.fromkeys(SPACE_SEPARATORS, "blank") | dict.fromkeys(
    APOSTROPHE_SEPARATORS, "apostrophe"
)


class NumberForm(NamedTuple):
    """How numbers are written: decimal mark, thousands separator, and a unit that is left out.

    As in accounts (12.50) may be a negative number; times of a clock are hours or minutes.
    """

    decimal: str = "."
    thousands: str | None = None
    unit: str | None = None
    account: bool = False
    clock: bool = False

    def description(self) -> str:
        """Return the form in words, nothing where it is the plain one.

        Examples
        --------
        >>> NumberForm(",", ".", "€").description()
        "decimal comma, thousands point, '€' left out"
        """
        parts = []
        if self.decimal != "." or self.thousands is not None:
            parts.append(f"decimal {SEPARATOR_WORDS.get(self.decimal, self.decimal)}")
        if self.thousands is not None:
            parts.append(f"thousands {SEPARATOR_WORDS.get(self.thousands, self.thousands)}")
        if self.unit is not None:
            parts.append(f"{self.unit!r} left out")
        if self.account:
            parts.append("parentheses for a minus")
        if self.clock:
            parts.append("times as numbers, 1:30 as 1.5")
        return ", ".join(parts)


def recognize_numbers(
    cells: pa.Array,
    form: NumberForm,
    *,
    fixed: bool,
    delimiter: str | None = None,
    word_units: bool = True,
) -> NumberForm:
    """Return the form in which most of the distinct `cells` are numbers, the simplest of these.

    Where the user gave the separators, they are `fixed`. 1,234 is a thousand, unless semicolons
    are the `delimiter`: then commas are decimal ones. Words such as kg are units if `word_units`.

    Examples
    --------
    >>> recognize_numbers(pa.array(["$1,234.50", "$12"]), NumberForm(), fixed=False).description()
    "decimal point, thousands comma, '$' left out"
    >>> recognize_numbers(pa.array(["20.5 °C", "-3 °C"]), NumberForm(), fixed=False).unit
    '°C'
    """
    best, most = form, _count(cells, form)
    separators = () if fixed else COMMA_FIRST if delimiter == ";" else NUMBER_SEPARATORS
    if (
        form.decimal == ","
    ):  # as other columns have it: then the point of 1.234 is not a decimal one
        separators = tuple(sorted(separators, key=lambda pair: pair[0] != ","))
    for candidate in _candidates(cells, form, separators, word_units=word_units):
        if most == len(cells):
            break
        numbers = _count(cells, candidate)
        if numbers > most:
            best, most = candidate, numbers
    return best


def parse_numbers(cells: pa.Array, form: NumberForm) -> AnyArray:
    """Return the cells as float64, NaN where one is null or not a finite number.

    Examples
    --------
    >>> parse_numbers(pa.array(["12%", " 7.5 ", "many", None]), NumberForm(unit="%"))
    array([12. ,  7.5,  nan,  nan])
    """
    if form == NumberForm():
        try:
            return _finite(cells.cast(pa.float64()))
        except pa.ArrowInvalid:
            pass  # blanks around a number, or another cell: the slower way decides
    trimmed = pc.replace_substring(pc.utf8_trim_whitespace(cells), "\u2212", "-")
    if form.clock:
        return _clock_hours(trimmed)
    if form.account:
        trimmed = pc.replace_substring_regex(trimmed, IN_PARENTHESES, r"-\1\2")
    if form.unit is not None:
        trimmed = pc.replace_substring_regex(trimmed, _unit_pattern(form.unit), r"\1")
    trimmed = pc.if_else(pc.match_substring_regex(trimmed, _pattern(form)), trimmed, None)
    if form.thousands is not None:
        trimmed = pc.replace_substring(trimmed, form.thousands, "")
    if form.decimal != ".":
        trimmed = pc.replace_substring(trimmed, form.decimal, ".")
    return _finite(trimmed.cast(pa.float64()))


def floats(numbers: object) -> AnyArray:
    """Return float64 numbers with NaN for nulls; to_numpy would load pandas for it."""
    values: AnyArray = np.from_dlpack(pc.fill_null(numbers, np.nan))
    return values


def _candidates(
    cells: pa.Array,
    form: NumberForm,
    separators: Iterable[tuple[str, str | None]],
    *,
    word_units: bool,
) -> Iterator[NumberForm]:
    first = [cell.strip() for cell in cells[:UNIT_PROBE_CELLS].to_pylist()]
    pairs = ((form.decimal, form.thousands), *separators)
    in_parentheses = pc.mean(pc.match_substring_regex(cells, IN_PARENTHESES)).as_py()
    accounts = (False, True) if 0 < in_parentheses < 1 else (False,)
    units = dict.fromkeys((None, _unit(first) or (_word_unit(first) if word_units else None)))
    for unit, account in itertools.product(units, accounts):
        for decimal, thousands in pairs:
            yield NumberForm(decimal, thousands, unit, account)
    if word_units and len({cell.count(":") for cell in first}) == 1 and ":" in first[0]:
        yield NumberForm(clock=True)


def _unit(cells: Iterable[str]) -> str | None:
    """Return the one sign of money or share that cells have; None: they have none or several."""
    matches = (UNIT_PATTERN.search(cell.removesuffix(")")) for cell in cells)
    units = {match["before"] or match["after"] for match in matches if match}
    return units.pop() if len(units) == 1 else None


def _word_unit(cells: Iterable[str]) -> str | None:
    """Return the one unit in letters behind numbers, in the plural if it occurs in both numbers."""
    matches = (WORD_UNIT_PATTERN.match(cell) for cell in cells)
    units = sorted({"".join(match["unit"].split()) for match in matches if match})
    if len(units) == 2 and units[1] == units[0] + "s":
        units.pop(0)
    return units[0] if len(units) == 1 else None


def _unit_pattern(unit: str) -> str:
    """Return the pattern of a unit before or behind a number, with a sign as its group."""
    plural = len(unit) > 2 and unit.endswith("s")
    word = f"{re.escape(unit.removesuffix('s'))}s?" if plural else re.escape(unit)
    word = word.replace("°", r"°\s*")
    return rf"^([+-]?)\s*{word}\s*|\s*{word}$"


def _clock_hours(cells: pa.Array) -> AnyArray:
    """Return times such as 13:30 and 1:30 PM as the number of what stands first, hours mostly."""
    parts = pc.extract_regex(cells, CLOCK_PATTERN)

    def numbers(name: str) -> AnyArray:
        texts = pc.struct_field(parts, name)
        return floats(pc.if_else(pc.equal(texts, ""), "0", texts).cast(pa.float64()))

    half = pc.utf8_lower(pc.struct_field(parts, "half"))
    hours = numbers("hours")
    has_half = pc.fill_null(pc.not_equal(half, ""), False).to_numpy(zero_copy_only=False)
    is_late = pc.fill_null(pc.equal(half, "p"), False).to_numpy(zero_copy_only=False)
    hours = np.where(has_half, hours % 12, hours) + 12.0 * is_late
    values: AnyArray = hours + numbers("minutes") / 60 + numbers("seconds") / 3600
    return values


def _count(cells: pa.Array, form: NumberForm) -> int:
    return int(np.count_nonzero(~np.isnan(parse_numbers(cells, form))))


def _finite(numbers: pa.Array) -> AnyArray:
    values = floats(numbers)
    if not np.isfinite(values).all():
        values = np.where(np.isfinite(values), values, np.nan)  # inf and 1e400 are not numbers
    return values


def _pattern(form: NumberForm) -> str:
    point, digits = re.escape(form.decimal), "[0-9]+"
    if form.thousands is not None:
        digits = f"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{re.escape(form.thousands)}[0-9]{{3}})+)"
    return rf"^[+-]?(?:{digits}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?$"
