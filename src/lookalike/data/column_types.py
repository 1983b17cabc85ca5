"""The kind of a column: numbers, booleans, dates, categories, or free text."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from lookalike.data.chunk import Kind
from lookalike.missing import is_missing

SAMPLE_ROWS = 10_000  # the kind of a column of strings is read off its first rows
LONG_TEXT = 100  # characters on average
FEW = 20  # this many distinct strings are categories, however few the rows


def kind_of_values(values: Sequence[Any]) -> Kind | None:
    """Return the kind that all Python `values` share, None where they differ.

    Examples
    --------
    >>> kind_of_values([1, 2.5, None]), kind_of_values(["a", "b", "a"]), kind_of_values([1, "a"])
    ('number', 'category', None)
    """
    present = [value for value in values if not is_missing(value)]
    if all(isinstance(value, str) for value in present):
        return kind_of_strings(present) if present else "number"
    if all(isinstance(value, (bool, np.bool_)) for value in present):
        return "boolean"
    if all(is_number(value) for value in present):
        return "number"
    if all(isinstance(value, (dt.date, np.datetime64)) for value in present):
        return "date"
    return None


def kind_of_strings(present: Sequence[str]) -> Kind:
    """Return "category" for few distinct strings, "text" for long or mostly distinct ones."""
    distinct = len(set(present))
    mostly_distinct = distinct > FEW and 2 * distinct > len(present)
    too_long = sum(map(len, present)) > LONG_TEXT * len(present)
    return "text" if mostly_distinct or too_long else "category"


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
    """Return place and value of the first entry that is no number, else of the first present."""
    first = None
    for place, value in enumerate(values):
        if is_missing(value):
            continue
        if not looks_like_number(value):
            return place, value
        first = first or (place, value)
    return first
