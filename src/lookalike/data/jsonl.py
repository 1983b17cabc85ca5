"""Rows of a file with one JSON object a line."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import numpy as np

from lookalike.data.byte_streams import GZIPPED, Expanded, StreamContent, called, opened
from lookalike.data.chunk import Kind
from lookalike.data.column_types import kind_of_values
from lookalike.data.columns_source import ColumnsSource
from lookalike.data.source import Source
from lookalike.data.tables import checked_kinds
from lookalike.errors import ColumnError, SourceError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray

PLAIN = (str, int, float, bool, type(None))


def open_jsonl(
    data: str | StreamContent, y: Any = None, *, kinds: Any = None, **choice: Any
) -> Source:
    """Return the rows of a .jsonl file or stream, a column for every name that an object has.

    A name that an object lacks is a missing value. The rows are read into memory.
    """
    name = called(data)
    rows = _rows(data, name)
    names = list(dict.fromkeys(column for row in rows for column in row))
    given = checked_kinds(kinds, names)
    values: dict[str, AnyArray] = {}
    recognized: dict[str, Kind] = {}
    for column in names:
        cells = [row.get(column) for row in rows]
        kind = given.get(column) or kind_of_values(cells)
        if kind is None:
            raise ColumnError(
                f"column {column!r} of {name} mixes types. Give values of one type, or "
                f"kinds={{{column!r}: 'category'}}."
            )
        recognized[column], values[column] = kind, _column(cells, kind)
    return ColumnsSource(values, recognized, y=y, **choice)


def _rows(data: str | StreamContent, name: str) -> list[dict[str, object]]:
    rows = []
    try:
        with _lines(data) as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    rows.append(_object(name, number, line))
    except (UnicodeDecodeError, EOFError, OSError) as error:
        raise SourceError(f"{name} is damaged or not in utf-8: {error}.") from None
    if not rows:
        raise SourceError(f"{name} is empty. Give a file with one JSON object a line.")
    return rows


def _lines(data: str | StreamContent) -> Any:
    packed = data.lower().endswith(".gz") if isinstance(data, str) else data[1][:2] == GZIPPED
    if not packed and isinstance(data, str):
        return open(data, encoding="utf-8-sig")
    bytes_ = opened(data)
    if packed:
        unpacked: Any = gzip.open(bytes_)  # noqa: SIM115 - closed with what reads it
        bytes_ = io.BufferedReader(Expanded(unpacked, called(data)))
    return io.TextIOWrapper(bytes_, encoding="utf-8-sig")


def _object(name: str, number: int, line: str) -> dict[str, object]:
    try:
        row = json.loads(line, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{name} has no JSON in line {number}: {error}.") from None
    if not isinstance(row, dict):
        raise SourceError(f"{name} has no object in line {number}: {line[:40]!r}. Give {{…}}.")
    for column, value in row.items():
        if not isinstance(value, PLAIN):
            raise SourceError(
                f"{name} has a {type(value).__name__} under {column!r} in line {number}. "
                "Give texts, numbers, true, false or null."
            )
    return row


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} comes twice")
    return row


def _column(cells: list[Any], kind: Kind) -> AnyArray:
    if kind in ("number", "boolean"):
        return np.array([np.nan if is_missing(cell) else float(cell) for cell in cells])
    column = np.empty(len(cells), object)
    column[:] = [None if cell is None else str(cell) for cell in cells]
    return column
