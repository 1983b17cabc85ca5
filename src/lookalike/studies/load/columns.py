"""What each column holds, and which columns tell nothing: names of rows, and single values."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from lookalike.data.chunk import Kind
from lookalike.decisions import Decisions
from lookalike.missing import is_missing
from lookalike.studies.load.dataset import Material
from lookalike.studies.results import ColumnDescription
from lookalike.typing import AnyArray

FEW = 20  # whole numbers of so few values may be degrees
NAMED_ID = re.compile(r"(^|[_\W])(id|index|uuid|guid|key|unnamed: 0|rownum|row)$", re.IGNORECASE)
WORDY = 30  # characters beyond which distinct strings are text, not names
DROPPED = ("identifier", "constant", "empty", "text")


def recognize(material: Material, decisions: Decisions) -> list[ColumnDescription]:
    """Return a fact for every column; ids, constants and free text have the role "dropped"."""
    if material.image_shape is not None:
        return [_pixels(material)]
    facts = []
    for place, (name, kind) in enumerate(material.kinds.items()):
        fact = _fact(name, kind, material.column(place), named=material.named)
        if name == material.text:
            fact = replace(fact, kind="text", role="text", reason="its words describe the row")
        elif material.text is not None:
            fact = replace(
                fact, role="dropped", reason=f"only the text of {material.text!r} is used"
            )
        elif fact.role == "dropped":
            decisions.add(f"column {name!r}", "left out", fact.reason)
        facts.append(fact)
    return facts


def _fact(name: str, kind: Kind, values: AnyArray, *, named: bool) -> ColumnDescription:
    present = _present(values, kind)
    missing, distinct = len(values) - len(present), len(np.unique(present))
    example = str(present[0])[:40] if len(present) else ""
    found, reason = _named_kind(name if named else "", kind, present, distinct)
    role = "dropped" if found in DROPPED else "feature"
    return ColumnDescription(name, found, role, missing, distinct, example, reason)


def _named_kind(name: str, kind: Kind, present: AnyArray, distinct: int) -> tuple[str, str]:
    """Return what a column is, and why it is left out or how it becomes numbers."""
    if not len(present):
        return "empty", "it has no value in any row"
    if distinct == 1:
        return "constant", f"all values present are {str(present[0])[:40]}"
    if kind == "number":
        return _kind_of_numbers(name, present, distinct)
    if kind in ("boolean", "date"):
        return kind, "0 and 1" if kind == "boolean" else "days since 1970"
    return _kind_of_words(name, kind, present, distinct)


def _kind_of_words(name: str, kind: Kind, present: AnyArray, distinct: int) -> tuple[str, str]:
    if distinct == len(present) and len(present) > FEW:
        short = float(np.mean([len(value) for value in present])) <= WORDY
        if NAMED_ID.search(name) or (short and not any(" " in value for value in present)):
            return "identifier", "every row has another value: a name of the row"
    if kind == "text":
        return "text", "free text; name it with --text to study it"
    return "category", "one column for each value"


def _kind_of_numbers(name: str, present: AnyArray, distinct: int) -> tuple[str, str]:
    whole = bool((present == np.floor(present)).all())
    if whole and distinct == len(present) and len(present) > FEW:
        steps = np.diff(present)
        if len(np.unique(steps)) == 1 or NAMED_ID.search(name):
            return "identifier", "every row has another whole number: a name of the row"
    if whole and distinct == 2 and set(np.unique(present)) == {0, 1}:
        return "boolean", "0 and 1"
    if whole and distinct <= FEW:
        return "ordinal", "its few whole numbers are taken in their order"
    return "number", ""


def _present(values: AnyArray, kind: Kind) -> AnyArray:
    """Return the values that are not missing; of categories and text as strings."""
    if kind in ("number", "boolean"):
        return values[~np.isnan(values)] if values.dtype.kind == "f" else values
    if kind == "date":
        return values[~np.isnat(values)]
    return np.array([str(value) for value in values.tolist() if not is_missing(value)], object)


def _pixels(material: Material) -> ColumnDescription:
    size = " × ".join(map(str, material.image_shape or ()))
    count = len(material.kinds)
    return ColumnDescription(
        f"{count} pixels", "pixels", "feature", 0, 0, size, "gray values in one unit, not scaled"
    )
