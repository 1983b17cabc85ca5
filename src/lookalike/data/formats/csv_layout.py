"""Where the table of a csv file begins: below comments, a title or a line that names the delimiter.

Also whether lines have one cell more than the header: row names, or a delimiter at their end.
"""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from typing import NamedTuple

from lookalike.data.chunk import Dialect
from lookalike.data.column_names import column_letter
from lookalike.data.column_types import looks_like_number
from lookalike.decisions import Decisions

KNOWN_DELIMITERS = (",", ";", "\t", "|")
DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
SAMPLE_LINES, SAMPLE_CHARACTERS = 200, 1 << 18  # from which the layout is recognized
MAX_TITLE_LINES = 20
MIN_TABLE_LINES = 3  # below a title: a header and two rows
DELIMITER_LINE = re.compile(r'"?sep=(.)"?[ \t]*\r?\n', re.IGNORECASE)
ROW_NAMES = "row_name"


class Layout(NamedTuple):
    """How many lines stand before the table, and what is known about its header."""

    lines: int = 0
    delimiter: str | None = None
    extra: str | None = None  # "before" or "after": where rows have one cell more than the header


def find_table(text: str, dialect: Dialect, decisions: Decisions) -> Layout:
    """Return where the table begins in the first lines of a file, and record it if not at once."""
    if match := DELIMITER_LINE.match(text):
        delimiter = match[1]
        name = DELIMITER_NAMES.get(delimiter, delimiter)
        if dialect.delimiter is None:
            decisions.add("delimiter", name, f"the first line says {match[0].strip()!r}")
        return Layout(1, dialect.delimiter or delimiter)
    delimiters = [dialect.delimiter] if dialect.delimiter else list(KNOWN_DELIMITERS)
    if "\n" not in text:
        return Layout(0, dialect.delimiter)
    pieces = text[:SAMPLE_CHARACTERS].split("\n", SAMPLE_LINES + MAX_TITLE_LINES)[:-1]
    lines = [f"{line}\n" for line in pieces] or [text]
    for above, reason in ((_comments(lines), "comment"), (_title(lines, delimiters), "title")):
        start = _after_empty(lines, above) if above else 0
        if start and _has_header(lines[start:], delimiters):
            words = next((line.strip() for line in lines[:start] if line.strip()), "")
            why = f"the lines above it are a {reason}, for example {words[:40]!r}"
            decisions.add("header", f"line {start + 1}", why)
            return Layout(start)
    return _extra_cell(lines, delimiters, dialect, decisions)


def read_rows(text: str, delimiter: str, limit: int = SAMPLE_LINES) -> list[list[str]]:
    """Return the first whole lines that are not empty, as cells."""
    if len(text) > SAMPLE_CHARACTERS:
        text = text[: text.rfind("\n", 0, SAMPLE_CHARACTERS) + 1] or text
    rows = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    with suppress(csv.Error):  # a cell too long for it; the reader of the file says so
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) == limit:
                break
    return rows


def name_columns(
    names: list[str], text: str, dialect: Dialect, decisions: Decisions
) -> tuple[list[str], frozenset[int]]:
    """Return the names of the columns, and the places of those with neither name nor cells.

    Of several columns without a name, those with cells are called as spreadsheets call them.
    """
    nameless = [j for j, name in enumerate(names) if not name.strip()]
    if len(nameless) in (0, len(names)):
        return names, frozenset()
    _, *rows = read_rows(text, dialect.delimiter or ",")
    empty = {j for j in nameless if not any(row[j].strip() for row in rows if j < len(row))}
    for j in sorted(empty):
        decisions.add(f"column {j + 1}", "left out", "its name and its first cells are empty")
    if len(nameless) == 1:
        return names, frozenset(empty)
    renamed = list(names)
    for j in nameless:
        renamed[j] = column_letter(j)
        if j not in empty:
            decisions.add(f"column {j + 1}", renamed[j], "its cell in the header is empty")
    return renamed, frozenset(empty)


def _comments(lines: list[str]) -> int:
    """Return how many lines are comments or empty before the first that is neither."""
    start = 0
    while start < len(lines) and (lines[start].startswith("#") or not lines[start].strip()):
        start += 1
    return start if any(line.startswith("#") for line in lines[:start]) else 0


def _title(lines: list[str], delimiters: list[str]) -> int:
    """Return how many lines fill at most half of the columns that the lines below them have."""
    for delimiter in delimiters:
        if width := _same_width(lines, delimiter):
            return _sparse_lines(lines, delimiter, width) if width > 2 else 0
    for delimiter in delimiters:
        for start in range(1, min(MAX_TITLE_LINES, len(lines) - MIN_TABLE_LINES) + 1):
            if width := _same_width(lines[start:], delimiter):
                if _sparse_lines(lines[:start], delimiter, width) == start:
                    return start
                break
    return 0


def _after_empty(lines: list[str], start: int) -> int:
    return next((n for n in range(start, len(lines)) if lines[n].strip()), start)


def _sparse_lines(lines: list[str], delimiter: str, width: int) -> int:
    """Return how many of the first lines fill at most half of `width` cells, or are empty."""
    for number, line in enumerate(lines[:MAX_TITLE_LINES]):
        cells = [cell for row in read_rows(line, delimiter) for cell in row]  # "\r" ends rows too
        if 2 * sum(bool(cell.strip()) for cell in cells) > width or '"' in line:
            return number
    return len(lines)


def _same_width(lines: list[str], delimiter: str) -> int:
    """Return how many cells all lines have, 0 if they differ or have one."""
    widths = {len(row) for row in read_rows("".join(lines), delimiter)}
    return widths.pop() if len(widths) == 1 and widths != {1} else 0


def _has_header(lines: list[str], delimiters: list[str]) -> bool:
    """Return whether a line of names stands above numbers."""
    fitting = [delimiter for delimiter in delimiters if _same_width(lines, delimiter)]
    rows = read_rows("".join(lines), (fitting or [","])[0])
    if len(rows) < 2 or any(looks_like_number(cell) for cell in rows[0]):
        return False
    return bool(fitting) or any(looks_like_number(cell) for cell in rows[1])


def _extra_cell(
    lines: list[str], delimiters: list[str], dialect: Dialect, decisions: Decisions
) -> Layout:
    """Return where the cell is that all rows have and the header has not."""
    if dialect.header is False:
        return Layout()
    for delimiter in delimiters:
        header, *rows = read_rows("".join(lines), delimiter) or [[]]
        if len(header) < 2 or not rows or {len(row) for row in rows} != {len(header) + 1}:
            continue
        if not any(row[-1].strip() for row in rows):
            reason = "every line but the first ends with a delimiter"
            decisions.add(f"column {len(header) + 1}", "left out", reason)
            return Layout(0, delimiter, "after")
        if len({row[0] for row in rows}) == len(rows) > 1:
            reason = "every line has one cell more than the header, and the first ones differ"
            decisions.add(f"column {ROW_NAMES!r}", "the first cell of each line", reason)
            return Layout(0, delimiter, "before")
    return Layout()
