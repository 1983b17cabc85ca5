"""Rows of a file with one JSON object a line."""

from __future__ import annotations

import gzip
import json
from typing import Any

import numpy as np

from lookalike.data.chunk import Kind
from lookalike.data.held import HeldSource
from lookalike.data.kinds import is_missing, kind_of_values
from lookalike.data.source import Source
from lookalike.data.tables import checked_kinds
from lookalike.errors import ColumnError, SourceError
from lookalike.typing import AnyArray

PLAIN = (str, int, float, bool, type(None))


def open_jsonl(path: str, y: Any = None, *, kinds: Any = None, **choice: Any) -> Source:
    """Return the rows of a .jsonl file, a column for every name that an object has.

    A name that an object lacks is a missing value. The rows are held in memory.
    """
    rows = _rows(path)
    names = list(dict.fromkeys(name for row in rows for name in row))
    asked = checked_kinds(kinds, names)
    values: dict[str, AnyArray] = {}
    found: dict[str, Kind] = {}
    for name in names:
        cells = [row.get(name) for row in rows]
        kind = asked.get(name) or kind_of_values(cells)
        if kind is None:
            raise ColumnError(
                f"column {name!r} of {path!r} mixes types. Give values of one type, or "
                f"kinds={{{name!r}: 'category'}}."
            )
        found[name], values[name] = kind, _column(cells, kind)
    return HeldSource(values, found, y=y, **choice)


def _rows(path: str) -> list[dict[str, Any]]:
    opener: Any = gzip.open if path.lower().endswith(".gz") else open
    rows = []
    try:
        with opener(path, "rt", encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    rows.append(_object(path, number, line))
    except (UnicodeDecodeError, EOFError, OSError) as error:
        raise SourceError(f"{path!r} is damaged or not in utf-8: {error}.") from None
    if not rows:
        raise SourceError(f"{path!r} is empty. Give a file with one JSON object a line.")
    return rows


def _object(path: str, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path!r} has no JSON in line {number}: {error}.") from None
    if not isinstance(row, dict):
        raise SourceError(f"{path!r} has no object in line {number}: {line[:40]!r}. Give {{…}}.")
    for name, value in row.items():
        if not isinstance(value, PLAIN):
            raise SourceError(
                f"{path!r} has a {type(value).__name__} under {name!r} in line {number}. "
                "Give texts, numbers, true, false or null."
            )
    return row


def _column(cells: list[Any], kind: Kind) -> AnyArray:
    if kind in ("number", "boolean"):
        return np.array([np.nan if is_missing(cell) else float(cell) for cell in cells])
    column = np.empty(len(cells), object)
    column[:] = [None if cell is None else str(cell) for cell in cells]
    return column
