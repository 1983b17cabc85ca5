"""The type of a column by evidence: numbers, booleans, categories, identifiers or text."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from lookalike.data.chunk import Kind
from lookalike.data.column_names import names_a_code
from lookalike.missing import is_missing

SAMPLE_ROWS = 10_000  # the type of a column of strings is read off its first rows
MIN_SHARE_OF_NUMBERS = 0.9  # of the filled cells of a column of numbers …
MAX_SHARE_OF_TYPOS = 0.01  # … of few distinct ones
MAX_DISTINCT_CATEGORIES = 20  # distinct values that are categories in a table of any size
MIN_SHARE_DISTINCT_ID = 0.95  # of the cells of a column of identifiers
LONG_TEXT_CHARACTERS = 100  # characters on average
MIN_WORDS_OF_TEXT = 1.5  # on average
MISSING_WORDS = frozenset(
    {"na", "n/a", "n.a.", "n.a", "nan", "none", "null", "nil", "unknown", "unk", "missing"}
    | {"undefined", "n.d.", "n.d", "k.a.", "tbd", "tba", "void", "(null)", "<na>", "no data"}
    | {"not available", "not applicable", "not known", "-", "--", "---", ".", "..", "?", "??"}
    | {"#n/a", "#na", "#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!"}
    | {"inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"}
)


class CellEvidence(NamedTuple):
    """What the filled cells of a column look like; words for a missing value are left out."""

    cells: int
    distinct: int
    numbers: int = 0  # cells that are numbers
    distinct_numbers: int = 0
    codes: int = 0  # cells that are digits with a leading zero
    only_digits: bool = False  # without sign, point and exponent
    characters: int = 0
    words: int = 0


def type_by_evidence(evidence: CellEvidence, name: str = "") -> tuple[Kind, str]:
    """Return the type of a column, and the reason where the cells alone do not make it plain.

    Examples
    --------
    >>> type_by_evidence(CellEvidence(891, 681, numbers=661, distinct_numbers=500))[0]
    'category'
    >>> type_by_evidence(CellEvidence(7043, 6531, numbers=7032, distinct_numbers=6530))
    ('number', '')
    >>> type_by_evidence(CellEvidence(9, 3, 9, 3, codes=6, only_digits=True))[0]
    'category'
    """
    if not evidence.cells:
        return "number", ""
    nearly_distinct = (
        evidence.cells > MAX_DISTINCT_CATEGORIES
        and evidence.distinct >= MIN_SHARE_DISTINCT_ID * evidence.cells
    )
    if evidence.codes and evidence.only_digits:
        kind: Kind = "id" if nearly_distinct else "category"
        return kind, "digits with leading zeros are codes"
    if are_numbers(evidence):
        if not evidence.only_digits or evidence.distinct <= 2 or not names_a_code(name):
            return "number", ""
        if nearly_distinct:
            return "number", "its name and its distinct values are those of an identifier"
        return "category", "its name says that its numbers are codes"
    return type_of_strings(evidence, nearly_distinct, name), ""


def are_numbers(evidence: CellEvidence) -> bool:
    """Return whether nearly all cells are numbers; of few distinct ones, all but typing errors."""
    few = evidence.distinct_numbers <= MAX_DISTINCT_CATEGORIES
    least = 1 - MAX_SHARE_OF_TYPOS if few else MIN_SHARE_OF_NUMBERS
    return evidence.numbers > 0 and evidence.numbers >= least * evidence.cells


def type_of_strings(evidence: CellEvidence, nearly_distinct: bool = False, name: str = "") -> Kind:
    """Return the type of cells that are not numbers: category, id or text."""
    if evidence.characters > LONG_TEXT_CHARACTERS * evidence.cells:
        return "text"
    if evidence.distinct <= MAX_DISTINCT_CATEGORIES or 2 * evidence.distinct <= evidence.cells:
        return "category"
    of_words = evidence.words >= MIN_WORDS_OF_TEXT * evidence.cells
    if of_words and not (nearly_distinct and names_a_code(name)):  # +49 30 123456 is not text
        return "text"
    return "id" if nearly_distinct else "category"


def kind_of_values(values: Sequence[object]) -> Kind | None:
    """Return the kind that all Python `values` share, None where they differ or are strings.

    Examples
    --------
    >>> kind_of_values([1, 2.5, None]), kind_of_values([True, None]), kind_of_values([1, "a"])
    ('number', 'boolean', None)
    """
    present = [value for value in values if not is_missing(value)]
    if present and all(isinstance(value, (bool, np.bool_)) for value in present):
        return "boolean"
    if all(is_number(value) for value in present):
        return "number"
    if all(isinstance(value, (dt.date, np.datetime64)) for value in present):
        return "date"
    return None


def is_number(value: object) -> bool:
    """Return whether `value` is a real number."""
    return isinstance(value, (int, float, Decimal, np.integer, np.floating, np.bool_))


def looks_like_number(value: Any) -> bool:
    """Return whether `value` is a number or a string that Python reads as one."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def first_not_numeric(values: Sequence[object]) -> tuple[int, object] | None:
    """Return place and value of the first entry that is not a number, else of the first present."""
    first = None
    for index, value in enumerate(values):
        if is_missing(value):
            continue
        if not looks_like_number(value):
            return index, value
        first = first or (index, value)
    return first
