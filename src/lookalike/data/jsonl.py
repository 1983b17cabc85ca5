"""Rows of a file with one JSON object per line."""

from __future__ import annotations

import gzip
import io
import json
import math
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from lookalike.data.byte_streams import GZIPPED, Expanded, StreamContent, called, opened
from lookalike.data.chunk import ColumnChoice, Kind
from lookalike.data.column_types import kind_of_values
from lookalike.data.columns_source import ColumnsSource
from lookalike.data.source import Source
from lookalike.data.tables import checked_kinds
from lookalike.errors import ColumnError, SourceError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray
from lookalike.validation import finite_float, once_each, shown

PLAIN = (str, int, float, bool, type(None))


def open_jsonl(
    data: str | StreamContent,
    y: object = None,
    *,
    kinds: Mapping[str, Kind] | None = None,
    weight: object = None,
    **choice: Unpack[ColumnChoice],
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
        try:
            recognized[column], values[column] = kind, _column(cells, kind)
        except (TypeError, ValueError):
            bad = next((row, cell) for row, cell in enumerate(cells) if not _fits(cell, kind))
            raise ColumnError(
                f"column {column!r} of {name} holds {shown(bad[1])} at row {bad[0]}, which is no "
                f"{kind}. Correct it, or give kinds={{{column!r}: 'category'}}."
            ) from None
    return ColumnsSource(values, recognized, y=y, weight=weight, **choice)


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
        raise SourceError(f"{name} is empty. Give a file with one JSON object per line.")
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
        row = json.loads(
            line, object_pairs_hook=once_each, parse_float=finite_float, parse_int=_int
        )
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
        if value in (math.inf, -math.inf) or not (_is_text(column) and _is_text(value)):
            raise SourceError(
                f"{name} holds {shown(value)} under {column!r} in line {number}, which is neither "
                "a finite number nor a text of whole letters. Correct it."
            )
    return row


def _int(text: str) -> int:
    finite_float(text)
    return int(text)


def _is_text(value: object) -> bool:
    """Return whether a text has no half of a letter, which no file can hold."""
    return not isinstance(value, str) or not any("\ud800" <= c <= "\udfff" for c in value)


def _column(cells: list[object], kind: Kind) -> AnyArray:
    if kind in ("number", "boolean"):
        return np.array([np.nan if is_missing(cell) else _number(cell) for cell in cells])
    if kind == "date":
        return np.array([_date(cell) for cell in cells], "datetime64[us]")
    column = np.empty(len(cells), object)
    column[:] = [None if is_missing(cell) else str(cell) for cell in cells]
    return column


def _number(cell: object) -> float:
    if isinstance(cell, str):
        raise TypeError
    return float(cell)  # type: ignore[arg-type]


def _date(cell: object) -> np.datetime64:
    if not is_missing(cell) and not isinstance(cell, str):
        raise TypeError
    return np.datetime64("NaT" if is_missing(cell) else str(cell), "us")


def _fits(cell: object, kind: Kind) -> bool:
    try:
        _column([cell], kind)
    except (TypeError, ValueError):
        return False
    return True
