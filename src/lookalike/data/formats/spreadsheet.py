"""Rows of a sheet of a workbook: xlsx, xlsm, xls, xlsb and ods files."""

from __future__ import annotations

from typing import Unpack

from lookalike.data.chunk import Dialect, TableChoice
from lookalike.data.column_names import column_letter
from lookalike.data.formats.byte_streams import StreamContent, called
from lookalike.data.formats.cell_values import as_text, open_columns_of_values
from lookalike.data.formats.csv_dialect import begins_with_data
from lookalike.data.formats.guarded_read import guarded_read
from lookalike.data.formats.table_choice import choose_table
from lookalike.data.formats.workbook import Sheet, n_filled, read_workbook
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import SourceError

ROWS_TO_SNIFF = 200  # from which the header is recognized
FORMULA_ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")
ADVICE_TO_SHRINK_SHEET = (
    "Delete cells far from the table, save it again, or export the sheet as csv."
)


def open_spreadsheet(
    data: str | StreamContent,
    y: object = None,
    *,
    table: str | None = None,
    dialect: Dialect,
    **choice: Unpack[TableChoice],
) -> Source:
    """Return the rows of a sheet of a workbook; `table` names it if several have rows."""
    dialect = dialect.checked()
    decisions = Decisions()
    chosen, sheet = _read(data, table, decisions)
    name = f"sheet {chosen!r} of {called(data)}"
    sheet = _without_title(sheet, decisions)
    columns = _columns(sheet, dialect, decisions)
    if not columns or not columns[0][1]:
        raise SourceError(f"{name} has a header and no rows. Give at least one row.")
    missing = (*dialect.missing, *FORMULA_ERRORS)
    dialect = dialect._replace(missing=missing, decimal=dialect.decimal or ".")
    return open_columns_of_values(columns, name, y, dialect=dialect, decisions=decisions, **choice)


def _read(data: str | StreamContent, table: str | None, decisions: Decisions) -> tuple[str, Sheet]:
    """Return the name and the content of the sheet that is asked for, or of the only one."""
    book = guarded_read(read_workbook, data, table, advice=ADVICE_TO_SHRINK_SHEET)
    chosen = choose_table(book.filled, table, called(data), "sheet")
    if len(book.visible) > 1:
        decisions.add("table", f"sheet {chosen}", "no other visible sheet has cells")
    assert book.chosen is not None
    return chosen, book.chosen


def _without_title(sheet: Sheet, decisions: Decisions) -> Sheet:
    """Return the sheet from its header on: the first row of which half the columns are filled.

    Rows above it that fill fewer are a title or a note.
    """
    sample = sheet.rows[:ROWS_TO_SNIFF]
    widest = max(map(n_filled, sample), default=0)
    header = next((n for n, row in enumerate(sample) if 2 * n_filled(row) >= widest), 0)
    above = [row for row in sheet.rows[:header] if n_filled(row)]
    if above:
        words = next(text for cell in above[0] if (text := as_text(cell)) is not None)
        number = sheet.first_row + header + 1
        reason = f"the rows above it fill fewer than half of the columns: {words[:40]!r}"
        decisions.add("header", f"row {number} of the sheet", reason)
    return sheet._replace(rows=sheet.rows[header:], first_row=sheet.first_row + header)


def _columns(
    sheet: Sheet, dialect: Dialect, decisions: Decisions
) -> list[tuple[str, list[object]]]:
    """Return names and cells of the columns that are not empty."""
    header = dialect.header
    if header is None:
        sample = [[as_text(cell) or "" for cell in row] for row in sheet.rows[:ROWS_TO_SNIFF]]
        header = not begins_with_data(sample, dialect)
        if not header:
            decisions.add(
                "header", "none; columns are named x0, x1 …", "the first row is data like the rest"
            )
    names = [as_text(cell) for cell in sheet.rows[0]]
    rows = [row for row in sheet.rows[header:] if n_filled(row)]
    cells: list[list[object]] = [list(column) for column in zip(*rows, strict=True)]
    cells = cells or [[] for _ in names]
    columns = []
    for index, (name, column) in enumerate(zip(names, cells, strict=True)):
        if not header:
            columns.append((f"x{index}", column))
        elif name is not None:
            columns.append((name.strip(), column))
        elif n_filled(column):
            letter = column_letter(sheet.first_column + index)
            decisions.add("column", letter, "its cell in the header is empty")
            columns.append((letter, column))
    return columns
