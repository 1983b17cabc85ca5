"""Columns of Python values, strings or several types in one, become arrays by evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from lookalike.data.chunk import DateOrder, Dialect, Kind
from lookalike.data.column_names import type_advice
from lookalike.data.column_types import SAMPLE_ROWS, kind_of_values
from lookalike.data.formats.parse_cells import ColumnForm, convert, odd_cells, recognize
from lookalike.data.odd_cells import OddCells
from lookalike.decisions import Decisions
from lookalike.missing import is_missing
from lookalike.typing import AnyArray


def type_values(
    name: str,
    values: Sequence[object],
    decisions: Decisions,
    odd: dict[str, str],
    *,
    kind: Kind | None = None,
    label: bool = False,
    order: DateOrder | None = None,
) -> tuple[ColumnForm, AnyArray]:
    """Return the form of a column of strings, numbers and booleans, and its array.

    Numbers and booleans are what they are; strings, alone or among others, are read as the cells
    of a csv file are. What is not plain is recorded in `decisions`, and which cells are missing
    because they are not of the type, in `odd`.

    Examples
    --------
    >>> form, numbers = type_values("age", ["42", "51", None, 7], Decisions(), {})
    >>> form.kind, numbers
    ('number', array([42., 51., nan,  7.]))
    """
    plain = kind_of_values(values)
    if plain in ("number", "boolean") and kind in (None, "number", "boolean"):
        numbers = [np.nan if is_missing(value) else float(value) for value in values]  # type: ignore[arg-type]
        return ColumnForm(kind or plain), np.array(numbers)
    cells = text_cells(values)
    form = recognize(cells, Dialect(), name, kind=kind, label=label, order=order)
    array = convert(cells, form)
    if text := record_odd_cells(name, cells, array, form, decisions, given=kind is not None):
        odd[name] = text
    return form, array


def text_cells(values: Iterable[object]) -> pa.Array:
    """Return Python values as text, missing ones null."""
    texts = (None if is_missing(value) else str(value) for value in values)
    return pa.array(texts, pa.string())


def kind_of_texts(name: str, values: Sequence[object], *, label: bool) -> ColumnForm:
    """Return the type of a column of a frame that holds strings: a number, category or text.

    Strings under a label stay strings, and so do those of dates and booleans: a frame has types
    for these.
    """
    cells = text_cells(values[:SAMPLE_ROWS])
    form = recognize(cells, Dialect(), name, label=label, only_plain=True)
    if form.kind == "id":
        return ColumnForm("text")
    if label or form.kind in ("boolean", "date"):
        return ColumnForm("category")
    return form


def record_odd_cells(
    name: str,
    cells: pa.Array,
    values: AnyArray,
    form: ColumnForm,
    decisions: Decisions,
    *,
    given: bool = False,
) -> str:
    """Record why a column is of its type; return which of its cells are missing therefore.

    A type that was `given`, by the user or by the model of the rows, is not questioned.
    """
    odd = OddCells(form.kind)
    places = odd_cells(cells, values, form, Dialect())
    if places is not None:
        odd.add(cells.take(pa.array(places)).to_pylist(), places.tolist())
    text = odd.describe(len(cells), "row {}".format)
    if form.reason or text:
        other = "number" if form.kind in ("category", "id") else "category"
        advice = "" if given else f"{type_advice(name, other)} reads it otherwise"
        parts = (form.reason, text, advice)
        decisions.add(f"column {name!r}", form.choice, "; ".join(part for part in parts if part))
    return text
