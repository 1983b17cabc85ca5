"""Rows of a table of an SQLite database, which is opened for reading only."""

from __future__ import annotations

import sqlite3
import urllib.parse
from contextlib import closing
from pathlib import Path
from typing import Any, Unpack

from lookalike.data.chunk import Dialect, TableChoice
from lookalike.data.formats.byte_streams import StreamContent, called
from lookalike.data.formats.cell_values import open_columns_of_values
from lookalike.data.formats.encodings import Utf8Repair
from lookalike.data.formats.table_choice import choose_table
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import SourceError

SYSTEM_TABLES = "sqlite_%"  # tables of SQLite itself
BOOLEAN_TYPES = ("BOOL", "BOOLEAN")


def open_sqlite(
    data: str | StreamContent,
    y: object = None,
    *,
    table: str | None = None,
    dialect: Dialect,
    **choice: Unpack[TableChoice],
) -> Source:
    """Return the rows of a table or view of a database; `table` names it if there are several."""
    name = called(data)
    try:
        with closing(_connect(data)) as database:
            database.text_factory = _decode
            chosen = choose_table(_tables(database), table, name, "table")
            rows = database.execute(f"SELECT * FROM {_quote(chosen)}")
            names = [column[0] for column in rows.description]
            cells = list(zip(*rows, strict=True)) or [()] * len(names)
            booleans = _booleans(database, chosen)
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        raise SourceError(
            f"{name} cannot be read as an SQLite database: {error}. Check it with "
            "PRAGMA integrity_check, or export the table as csv."
        ) from None
    if not cells[0]:
        raise SourceError(f"Table {chosen!r} of {name} has no rows. Give a table with rows.")
    columns = [
        (column, _as_booleans(values) if column in booleans else values)
        for column, values in zip(names, cells, strict=True)
    ]
    what = f"table {chosen!r} of {name}"
    return open_columns_of_values(
        columns, what, y, dialect=dialect, decisions=Decisions(), **choice
    )


def _connect(data: str | StreamContent) -> sqlite3.Connection:
    if isinstance(data, str):
        path = urllib.parse.quote(str(Path(data).absolute()))
        return sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    database = sqlite3.connect(":memory:")
    database.deserialize(data[1])
    return database


def _decode(text: bytes) -> str:
    """Return a text as utf-8, or as cp1252 where a program wrote it so."""
    return Utf8Repair().feed(text, final=True).decode()


def _tables(database: sqlite3.Connection) -> list[str]:
    rows = database.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE ? "
        "ORDER BY type, rowid",
        (SYSTEM_TABLES,),
    )
    return [name for (name,) in rows]


def _booleans(database: sqlite3.Connection, table: str) -> set[str]:
    """Return the columns that are declared as booleans, which SQLite stores as 0 and 1."""
    declared = database.execute(f"PRAGMA table_info({_quote(table)})")
    return {name for _, name, kind, *_ in declared if kind.upper() in BOOLEAN_TYPES}


def _as_booleans(values: tuple[object, ...]) -> tuple[Any, ...]:
    if not all(value in (0, 1, None) for value in values):
        return values
    return tuple(None if value is None else bool(value) for value in values)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
