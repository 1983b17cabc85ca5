"""Rows of a JSON file: a list of objects, an object of columns, or an object that holds a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from lookalike.data.chunk import TableChoice
from lookalike.data.formats.byte_streams import TextInput, open_text
from lookalike.data.formats.jsonl import check_record, open_records, parse_json, undecodable
from lookalike.data.formats.table_choice import choose_table, require_no_choice
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import SourceError

JSON_SHAPES = 'a list of objects, [{…}, {…}], or an object of columns, {"a": [1, 2], "b": [3, 4]}'


def open_json(
    text: TextInput, y: object = None, *, table: str | None = None, **choice: Unpack[TableChoice]
) -> Source:
    """Return the rows of a JSON file. The rows are read into memory.

    `table` names the list to take from an object that holds several.
    """
    decisions = Decisions()
    try:
        with open_text(text, decisions) as file:
            content = parse_json(file.read())
    except UnicodeDecodeError as error:
        raise undecodable(text.name, error) from None
    except (ValueError, RecursionError) as error:
        raise SourceError(
            f"{text.name} is not JSON: {error}. Correct it there, or give one object per line in a "
            ".jsonl file."
        ) from None
    rows = _records(content, text.name, table)
    if not rows:
        raise SourceError(f"{text.name} has no rows. Give {JSON_SHAPES}.")
    return open_records(rows, decisions, y, **choice)


def _records(content: object, name: str, table: str | None) -> list[dict[str, object]]:
    if isinstance(content, list):
        require_no_choice(table, name, "a JSON list")
        return [check_record(row, name, f"row {number}") for number, row in enumerate(content)]
    if not isinstance(content, dict):
        kind = type(content).__name__
        raise SourceError(f"{name} holds a JSON {kind}, not rows. Give {JSON_SHAPES}.")
    if table is None and _is_table_of_columns(content):
        return _rows_of_columns(content, name)
    lists = [key for key, value in content.items() if _is_rows(value)]
    tables = [key for key, value in content.items() if _holds_rows(value)]
    if not lists and not tables:
        if table is None and content and not any(map(_is_nested, content.values())):
            return [check_record(content, name, "row 0")]  # one object is one row
        raise SourceError(f"{name} holds a JSON object without a list of rows. Give {JSON_SHAPES}.")
    chosen = choose_table(lists or tables, table, name, "list")
    return _records(content[chosen], f"{chosen!r} of {name}", None)


def _is_table_of_columns(content: Mapping[str, Any]) -> bool:
    """Return whether an object is a table of columns: lists of one length, or pandas' objects."""
    values = list(content.values())
    if values and all(isinstance(value, list) and not _is_rows(value) for value in values):
        return len({len(value) for value in values}) == 1
    plain = all(
        isinstance(value, dict) and not any(map(_is_nested, value.values())) for value in values
    )
    return bool(values) and plain and len({tuple(value) for value in values}) == 1


def _rows_of_columns(content: Mapping[str, Any], name: str) -> list[dict[str, object]]:
    columns = {
        column: list(cells.values()) if isinstance(cells, dict) else cells
        for column, cells in content.items()
    }
    length = len(next(iter(columns.values())))
    return [
        check_record({column: cells[row] for column, cells in columns.items()}, name, f"row {row}")
        for row in range(length)
    ]


def _is_rows(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _holds_rows(value: object) -> bool:
    """Return whether a table is inside another object, as {"result": {"rows": [{…}]}}."""
    if not isinstance(value, dict):
        return False
    return _is_table_of_columns(value) or any(map(_is_rows, value.values()))


def _is_nested(value: object) -> bool:
    return isinstance(value, (dict, list))
