"""How the numbers of a column are written, by the evidence of its cells, and their values."""

from __future__ import annotations

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
    """How numbers are written: decimal mark, thousands separator, and a unit that is left out."""

    decimal: str = "."
    thousands: str | None = None
    unit: str | None = None

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
        return ", ".join(parts)


def recognize_numbers(
    cells: pa.Array, form: NumberForm, *, fixed: bool, delimiter: str | None = None
) -> NumberForm:
    """Return the form in which most of the distinct `cells` are numbers, the simplest of these.

    Where the user gave the separators, they are `fixed`. 1,234 is a thousand, unless semicolons
    are the `delimiter`: then commas are decimal ones.

    Examples
    --------
    >>> recognize_numbers(pa.array(["$1,234.50", "$12"]), NumberForm(), fixed=False)
    NumberForm(decimal='.', thousands=',', unit='$')
    """
    best, most = form, _count(cells, form)
    separators = () if fixed else COMMA_FIRST if delimiter == ";" else NUMBER_SEPARATORS
    if (
        form.decimal == ","
    ):  # as other columns have it: then the point of 1.234 is not a decimal one
        separators = tuple(sorted(separators, key=lambda pair: pair[0] != ","))
    for candidate in _candidates(cells, form, separators):
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
    trimmed = pc.utf8_trim_whitespace(cells)
    if form.unit is not None:
        bare = pc.replace_substring(trimmed, form.unit, "", max_replacements=1)
        trimmed = pc.replace_substring_regex(bare, r"^([+-]?)\s+|\s+$", r"\1")
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
    cells: pa.Array, form: NumberForm, separators: Iterable[tuple[str, str | None]]
) -> Iterator[NumberForm]:
    pairs = ((form.decimal, form.thousands), *separators)
    for unit in dict.fromkeys((None, _unit(cells))):
        for decimal, thousands in pairs:
            yield NumberForm(decimal, thousands, unit)


def _unit(cells: pa.Array) -> str | None:
    """Return the one unit that the first cells have, None where they have none or several."""
    matches = (UNIT_PATTERN.search(cell.strip()) for cell in cells[:UNIT_PROBE_CELLS].to_pylist())
    units = {match["before"] or match["after"] for match in matches if match}
    return units.pop() if len(units) == 1 else None


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
