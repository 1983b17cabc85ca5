"""Rows of a file with one JSON object per line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Unpack

from lookalike.data.chunk import ColumnChoice, Kind, TableChoice
from lookalike.data.formats.byte_streams import TextInput, open_text
from lookalike.data.formats.parse_cells import ColumnForm
from lookalike.data.formats.typed_values import type_values
from lookalike.data.source import Source
from lookalike.data.sources.columns_source import ColumnsSource
from lookalike.data.tables import check_column_types, given_date_orders, resolve_roles
from lookalike.decisions import Decisions
from lookalike.errors import SourceError
from lookalike.typing import AnyArray
from lookalike.validation import finite_float, once_each, shown

PLAIN_TYPES = (str, int, float, bool, type(None))


class JoinedList(str):
    """The text of a list of texts."""

    __slots__ = ()


class NestedValue(NamedTuple):
    """A list of lists or of objects in the place of a cell; an error if its column is needed."""

    file: str
    where: str
    type: str


def open_jsonl(data: object, y: object = None, **choice: Unpack[TableChoice]) -> Source:
    """Return the rows of a .jsonl file or stream, a column for every name that an object has.

    A name that an object lacks is a missing value. The rows are read into memory.
    """
    text = data if isinstance(data, TextInput) else TextInput(data)
    decisions = Decisions()
    return open_records(_rows(text, decisions), decisions, y, **choice)


def open_records(
    rows: Sequence[Mapping[str, object]],
    decisions: Decisions,
    y: object = None,
    *,
    types: Mapping[str, Kind] | None = None,
    weight: object = None,
    **choice: Unpack[ColumnChoice],
) -> ColumnsSource:
    """Return JSON objects as rows, a column for every name that one of them has."""
    names = list(dict.fromkeys(column for row in rows for column in row))
    given = check_column_types(types, names)
    roles = resolve_roles(names, y=y, weight=weight, n_rows=len(rows), **choice)
    values: dict[str, AnyArray] = {}
    forms: dict[str, ColumnForm] = {}
    odd: dict[str, str] = {}
    orders = given_date_orders(types)
    for column in (name for name in names if name in {*roles.needed}):
        cells = [row.get(column) for row in rows]
        require_plain(column, cells)
        if any(isinstance(cell, JoinedList) for cell in cells):
            decisions.add(f"column {column!r}", "lists as text", "their entries joined by commas")
        kind, label = given.get(column), column in roles.target
        forms[column], values[column] = type_values(
            column, cells, decisions, odd, kind=kind, label=label, order=orders.get(column)
        )
    source = ColumnsSource(
        values,
        {column: form.kind for column, form in forms.items()},
        date_orders={c: form.date_order for c, form in forms.items() if form.date_order},
        y=y,
        weight=weight,
        target=list(roles.target) or None,
        columns=list(roles.features),
    )
    source.decisions, source.odd_cells = decisions, odd
    return source


def _rows(text: TextInput, decisions: Decisions) -> list[dict[str, object]]:
    rows = []
    try:
        with open_text(text, decisions) as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    rows.append(_object(text.name, number, line))
    except UnicodeDecodeError as error:
        raise undecodable(text.name, error) from None
    if not rows:
        raise SourceError(f"{text.name} is empty. Give a file with one JSON object per line.")
    return rows


def _object(name: str, number: int, line: str) -> dict[str, object]:
    line = line.rstrip("\r\n")
    try:
        row = parse_json(line)
    except (ValueError, RecursionError) as error:
        column = getattr(error, "colno", 1)
        where = f"line {number}, column {column}, at {line[column - 1 :][:20]!r}"
        raise SourceError(
            f"{name} has no JSON in {where}: {getattr(error, 'msg', error)}. Correct the line"
            f"{_line_left_out(name, number)}."
        ) from None
    return check_record(row, name, f"line {number}")


def _line_left_out(name: str, number: int) -> str:
    """Return the command that leaves a line of a file out; nothing for a stream."""
    return f", or leave it out: sed {number}d {name} > good.jsonl" if name[:1] in "'\"" else ""


def parse_json(text: str) -> object:
    """Return what a JSON text holds: names once each, numbers finite."""
    return json.loads(text, object_pairs_hook=once_each, parse_float=finite_float, parse_int=_int)


def undecodable(name: str, error: UnicodeDecodeError) -> SourceError:
    """Return the error of a text that is not in its encoding."""
    return SourceError(
        f"{name} is not in {error.encoding}: {error.reason} at byte {error.start}. Write it again "
        "in utf-8, or give a whole file."
    )


def check_record(row: object, name: str, where: str) -> dict[str, object]:
    """Return a record of texts, numbers, booleans and nulls; what cannot become one is marked."""
    if not isinstance(row, dict):
        shown_row = repr(row) if isinstance(row, str) else json.dumps(row)
        raise SourceError(f"{name} has no object in {where}: {shown_row[:40]}. Give {{…}}.")
    record: dict[str, object] = {}
    for column, value in _cells(row):
        if column in record:
            raise SourceError(f"{name} has two values under {column!r} in {where}. Rename one.")
        if not isinstance(value, PLAIN_TYPES):
            record[column] = NestedValue(name, where, type(value).__name__)
            continue
        if value in (math.inf, -math.inf) or not (_is_text(column) and _is_text(value)):
            raise SourceError(
                f"{name} holds {shown(value)} under {column!r} in {where}, which is neither "
                "a finite number nor a text of whole letters. Correct it."
            )
        record[column] = value
    return record


def _cells(row: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Give the cells of an object: those of objects in it under ``outer.inner``.

    A list of texts is one text; numbers of a list are cells under their position.

    >>> dict(_cells({"a": {"b": 1}, "tags": ["x", "y"], "at": [0.5, 2]}))
    {'a.b': 1, 'tags': 'x, y', 'at.0': 0.5, 'at.1': 2}
    """
    for name, value in row.items():
        column = prefix + name
        if isinstance(value, dict):
            yield from _cells(value, f"{column}.") if value else [(column, None)]
        elif not isinstance(value, list) or not all(
            isinstance(part, PLAIN_TYPES) for part in value
        ):
            yield column, value
        elif value and all(isinstance(part, (int, float)) for part in value):
            yield from ((f"{column}.{index}", part) for index, part in enumerate(value))
        else:
            texts = [str(part) for part in value if part is not None]
            yield column, JoinedList(", ".join(texts)) if texts else None


def require_plain(column: str, cells: Sequence[object]) -> None:
    """Raise if a cell of a column that is needed holds a list of lists or of objects."""
    if nested := next((cell for cell in cells if isinstance(cell, NestedValue)), None):
        raise SourceError(
            f"{nested.file} has a {nested.type} under {column!r} in {nested.where}, and a cell is "
            f"a text, a number, true, false or null. Leave the column out: drop={column!r}, or "
            "write its parts as columns of their own."
        )


def _int(text: str) -> int:
    finite_float(text)
    return int(text)


def _is_text(value: object) -> bool:
    """Return whether a text has no half of a letter, which no file can hold."""
    return not isinstance(value, str) or not any("\ud800" <= c <= "\udfff" for c in value)
