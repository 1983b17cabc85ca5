"""The dialect of a csv file, where the user does not give it: recognized and recorded."""

from __future__ import annotations

import re

from lookalike.data.chunk import Dialect
from lookalike.data.formats.csv_layout import DELIMITER_NAMES, KNOWN_DELIMITERS, read_rows
from lookalike.decisions import Decisions
from lookalike.errors import SourceError

WITH_COMMA = re.compile(r"[+-]?(\d*|\d{1,3}(\.\d{3})+),\d+([eE][+-]?\d+)?")
MAY_BE_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
WITH_POINTS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+")
WITH_POINT = re.compile(r"[+-]?\d*\.(\d{1,2}|\d{4,})")  # 1.234 may be a thousand
POINT_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def sniff_dialect(text: str, name: str, dialect: Dialect, decisions: Decisions) -> Dialect:
    """Return the dialect with what is not given recognized from the first lines.

    What can be read in two ways is not decided: the default stays, or it is an error.
    """
    if dialect.delimiter is None:
        dialect = dialect._replace(delimiter=_delimiter(text, name, dialect, decisions))
    rows = read_rows(text, dialect.delimiter or ",")
    if dialect.decimal is None:
        dialect = _with_decimal(rows, dialect, decisions)
    if dialect.header is None and begins_with_data(rows, dialect):
        decisions.add(
            "header", "none; columns are named x0, x1 …", "the first line is data like the rest"
        )
        dialect = dialect._replace(header=False)
    return dialect


def _delimiter(text: str, name: str, dialect: Dialect, decisions: Decisions) -> str:
    """Return the delimiter that splits every line into as many cells; a comma if none does.

    Where comma and semicolon both do, and all cells between semicolons are numbers, the comma is
    a decimal comma.
    """
    delimiters = [
        delimiter
        for delimiter in KNOWN_DELIMITERS
        if delimiter not in (dialect.decimal, dialect.thousands)
    ]
    widths = {delimiter: _width(text, delimiter) for delimiter in delimiters}
    fitting = {delimiter: width for delimiter, width in widths.items() if width > 1}
    if {",", ";"} <= fitting.keys() and _are_numbers(text, ";"):
        fitting = {";": fitting[";"]}
    if "," in fitting or not fitting:
        return ","
    if len(fitting) > 1:
        ways = " and ".join(f"{width} with {delimiter!r}" for delimiter, width in fitting.items())
        raise SourceError(
            f"{name} has as many cells in every line in two ways: {ways}. Give delimiter=…."
        )
    ((delimiter, width),) = fitting.items()
    decisions.add(
        "delimiter", DELIMITER_NAMES[delimiter], f"it splits every line into {width} cells"
    )
    return delimiter


def _width(text: str, delimiter: str) -> int:
    """Return the number of cells of every line, 0 where lines differ."""
    widths = {len(row) for row in read_rows(text, delimiter)}
    return widths.pop() if len(widths) == 1 else 0


def _are_numbers(text: str, delimiter: str) -> bool:
    cells = (cell.strip() for row in read_rows(text, delimiter) for cell in row)
    return all(POINT_NUMBER.fullmatch(cell) or WITH_COMMA.fullmatch(cell) for cell in cells)


def _with_decimal(rows: list[list[str]], dialect: Dialect, decisions: Decisions) -> Dialect:
    """Return the dialect with a decimal comma, where numbers have one.

    1,234 may be a thousand: such cells alone are not evidence.
    """
    point = dialect._replace(decimal="," if dialect.thousands == "." else ".")
    if "," in (dialect.delimiter, dialect.thousands):
        return point
    cells = [cell.strip() for row in rows[1:] for cell in row]
    numbers = [cell for cell in cells if WITH_COMMA.fullmatch(cell)]
    sure = next((cell for cell in numbers if not MAY_BE_THOUSANDS.fullmatch(cell)), None)
    if sure is None or any(map(WITH_POINT.fullmatch, cells)):
        return point
    decisions.add("decimal", "comma", f"numbers are written with one, for example {sure!r}")
    dialect = dialect._replace(decimal=",")
    grouped = next((cell for cell in numbers if WITH_POINTS.fullmatch(cell)), None)
    if dialect.thousands is None and grouped is not None:
        decisions.add(
            "thousands", "point", f"numbers are written with one, for example {grouped!r}"
        )
        return dialect._replace(thousands=".")
    return dialect


def begins_with_data(rows: list[list[str]], dialect: Dialect) -> bool:
    """Return whether the first line is certainly data, not a header.

    It is where numbers are above numbers, and a text in the line occurs again below, or one of the
    numbers is not an integer, or occurs twice. Names are none of these, except a monotone scale.
    """
    if len(rows) < 2:
        return False
    first, rest = rows[0], rows[1:]
    columns = [[row[j] for row in rest if j < len(row)] for j in range(len(first))]
    numbers = [_number(cell, dialect) for cell in first]
    over = [
        number
        for number, below in zip(numbers, columns, strict=True)
        if number is not None and all(_fits(cells, dialect) for cells in below)
    ]
    if not over:
        return False
    texts = (j for j, number in enumerate(numbers) if number is None and first[j].strip())
    if any(first[j] in columns[j] for j in texts):
        return True
    scale = len(over) > 2 and sorted(set(over)) in (over, over[::-1])
    return not scale and (len(set(over)) < len(over) or any(x % 1 or x < 0 for x in over))


def _fits(cell: str, dialect: Dialect) -> bool:
    return cell.strip() in dialect.missing or _number(cell, dialect) is not None


def _number(cell: str, dialect: Dialect) -> float | None:
    cell = cell.strip()
    if dialect.thousands is not None:
        cell = cell.replace(dialect.thousands, "")
    if dialect.decimal is not None:
        cell = cell.replace(dialect.decimal, ".")
    return float(cell) if POINT_NUMBER.fullmatch(cell) else None
