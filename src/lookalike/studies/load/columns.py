"""What each column holds, and which are dropped: identifiers, constants, empty ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from lookalike.data.chunk import Kind
from lookalike.data.column_names import names_a_code, type_advice
from lookalike.data.column_types import MIN_SHARE_DISTINCT_ID
from lookalike.decisions import Decisions
from lookalike.missing import is_missing
from lookalike.studies.load.code_columns import may_be_codes
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import ColumnDescription
from lookalike.typing import AnyArray

MAX_ORDINAL_VALUES = 20  # distinct integers up to which a column may be ordinal
NAMED_ID = re.compile(r"(^|[_\W])(id|index|uuid|guid|key|unnamed: 0|rownum|row)$", re.IGNORECASE)
MAX_IDENTIFIER_CHARACTERS = 30  # characters beyond which distinct strings are text, not identifiers
FEATURE_REASONS: dict[str, str] = {
    "number": "",
    "category": "one-hot encoded",
    "text": "tf-idf weights of its words",
}
DROPPED_CONTENTS = ("identifier", "constant", "empty")
REASONS_BY_KIND = {
    "boolean": "0 and 1",
    "date": "position in time and, where they come back, month, weekday and hour",
}


def drop_columns(dataset: Dataset, names: Sequence[str], decisions: Decisions) -> Dataset:
    """Return the rows without the columns that are to be left out.

    Those of a file are not read, and of those that are not there the reader has said so.
    """
    for name in names:
        if name in dataset.kinds:
            dataset = dataset.without(name)
        decisions.add(f"column {name!r}", "dropped", "as requested")
    return dataset


def with_other_columns(dataset: Dataset, decisions: Decisions) -> Dataset:
    """Return documents as a column of a table where other columns can be used with them."""
    if dataset.text is None or len(dataset.kinds) == 1:
        return dataset
    described = (
        _describe(
            name, kind, dataset.column(name), named=dataset.named, given=name in dataset.given
        )
        for name, kind in dataset.kinds.items()
        if name != dataset.text
    )
    used = [column.name for column in described if column.role == "feature"]
    if not used:
        return dataset
    reason = f"{len(used)} other columns describe the rows as well; --drop leaves them out"
    decisions.add(f"column {dataset.text!r}", "used as text together with others", reason)
    return replace(dataset, text=None, kinds={**dataset.kinds, dataset.text: "text"})


def describe_columns(
    dataset: Dataset, decisions: Decisions, odd_cells: Mapping[str, str] = MappingProxyType({})
) -> list[ColumnDescription]:
    """Describe every column; identifiers and constants have the role "dropped".

    `odd_cells` says by column which of its cells are missing because they are not of its type.
    """
    if dataset.image_shape is not None:
        return [_pixels(dataset)]
    columns = []
    for index, (name, kind) in enumerate(dataset.kinds.items()):
        values = dataset.column(index)
        column = _describe(name, kind, values, named=dataset.named, given=name in dataset.given)
        if name == dataset.text:
            column = replace(column, kind="text", role="text", reason="tf-idf")
        elif dataset.text is not None:
            column = replace(
                column, role="dropped", reason=f"only the text of {dataset.text!r} is used"
            )
        elif column.role == "dropped":
            decisions.put(f"column {name!r}", "dropped", drop_reason(column, dataset))
        elif dataset.named and kind == "number" and (reason := may_be_codes(name, values)):
            advice = f"{type_advice(name, 'category')} reads them as categories"
            decisions.add(f"column {name!r}", "kept as a number", f"{reason}; {advice}")
        columns.append(replace(column, odd_cells=odd_cells.get(name, "")))
    return columns


def drop_reason(column: ColumnDescription, dataset: Dataset) -> str:
    """Return why a column is dropped, and how it is kept if it only looks like an identifier."""
    if column.kind != "identifier" or not dataset.named or column.name in dataset.given:
        return column.reason
    kept = "number" if dataset.kinds[column.name] == "number" else "category"
    advice = type_advice(column.name, kept)
    return f"{column.reason}; {advice} keeps it"


def _describe(
    name: str, kind: Kind, values: AnyArray, *, named: bool, given: bool
) -> ColumnDescription:
    present = _present(values, kind)
    missing, distinct = len(values) - len(present), len(np.unique(present))
    example = _show(present[0]) if len(present) else ""
    content, reason = _column_kind(name if named else "", kind, present, distinct)
    if content == "identifier" and given and kind in FEATURE_REASONS:
        content, reason = kind, FEATURE_REASONS[kind]
    role = "dropped" if content in DROPPED_CONTENTS else "feature"
    return ColumnDescription(name, content, role, missing, distinct, example, reason)


def _column_kind(name: str, kind: Kind, present: AnyArray, distinct: int) -> tuple[str, str]:
    """Return what a column holds, and why it is dropped or how it becomes numbers."""
    if not len(present):
        return "empty", "it has no value in any row"
    if distinct == 1:
        return "constant", f"all values present are {_show(present[0])}"
    if kind == "id":
        share = "a distinct value in" + (" every row" if distinct == len(present) else " most rows")
        return "identifier", f"identifier column: {share}" if distinct > len(present) / 2 else (
            "identifier column, as given"
        )
    if kind == "number":
        return _kind_of_numbers(name, present, distinct)
    if kind in REASONS_BY_KIND:
        return kind, REASONS_BY_KIND[kind]
    return _kind_of_words(name, kind, present, distinct)


def _show(value: object) -> str:
    """Return a value as a file has it: whole numbers without a point, days without a time.

    >>> _show(7.0), _show(0.25), _show(np.datetime64("2020-09-27T00:00:00.000000"))
    ('7', '0.25', '2020-09-27')
    """
    if isinstance(value, np.datetime64):
        day = value.astype("datetime64[D]")
        return str(day if day == value else value.astype("datetime64[s]")).replace("T", " ")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)[:40]


def _kind_of_words(name: str, kind: Kind, present: AnyArray, distinct: int) -> tuple[str, str]:
    if distinct == len(present) and len(present) > MAX_ORDINAL_VALUES:
        short = float(np.mean([len(value) for value in present])) <= MAX_IDENTIFIER_CHARACTERS
        if NAMED_ID.search(name) or (short and not any(" " in value for value in present)):
            return "identifier", "identifier column: a distinct value in every row"
    if kind == "text":
        return "text", FEATURE_REASONS["text"]
    return "category", FEATURE_REASONS["category"]


def _kind_of_numbers(name: str, present: AnyArray, distinct: int) -> tuple[str, str]:
    integers = bool((present == np.floor(present)).all())
    if integers and distinct == len(present) and len(present) > MAX_ORDINAL_VALUES:
        steps = np.diff(present)
        if len(np.unique(steps)) == 1 or NAMED_ID.search(name):
            return "identifier", "identifier column: a distinct integer in every row"
    nearly = len(present) > MAX_ORDINAL_VALUES and distinct >= MIN_SHARE_DISTINCT_ID * len(present)
    if integers and nearly and names_a_code(name):
        return "identifier", "identifier column: a distinct integer in nearly every row"
    if integers and distinct == 2 and set(np.unique(present)) == {0, 1}:
        return "boolean", "0 and 1"
    if integers and distinct <= MAX_ORDINAL_VALUES:
        return "ordinal", "few distinct integers: treated as ordinal"
    return "number", ""


def _present(values: AnyArray, kind: Kind) -> AnyArray:
    """Return the values that are not missing; of categories and text as strings."""
    if kind in ("number", "boolean"):
        return values[~np.isnan(values)] if values.dtype.kind == "f" else values
    if kind == "date":
        return values[~np.isnat(values)]
    return np.array([str(value) for value in values.tolist() if not is_missing(value)], object)


def _pixels(dataset: Dataset) -> ColumnDescription:
    size = " × ".join(map(str, dataset.image_shape or ()))
    count = len(dataset.kinds)
    return ColumnDescription(
        f"{count:,} pixels", "pixels", "feature", 0, 0, size, "gray values, not scaled"
    )
