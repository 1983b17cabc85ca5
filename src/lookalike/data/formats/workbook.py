"""Cells of a workbook (xlsx, xls, xlsb, ods), as they lie in the file.

Another process reads them: see `guarded_read`. This file therefore imports little.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

from lookalike.errors import SourceError


class Sheet(NamedTuple):
    """The filled part of a sheet: its rows, and the position of its first row and column."""

    rows: list[list[Any]]
    first_row: int
    first_column: int


class Workbook(NamedTuple):
    """The visible sheets of a workbook, those with cells, and the sheet that was chosen."""

    visible: list[str]
    filled: list[str]
    chosen: Sheet | None  # None where none was named, and not one alone has cells


def read_workbook(content: str | bytes, table: str | None, file: str) -> Workbook:
    """Return the sheet named `table`, or the only visible one that has cells.

    `content` is a path or what the file holds, and `file` what it is called in a sentence.
    """
    import python_calamine

    try:  # as a stream: the library takes a path for what its suffix says
        stream = open(content, "rb") if isinstance(content, str) else io.BytesIO(content)  # noqa: SIM115
        with stream, python_calamine.CalamineWorkbook.from_object(stream) as book:
            if table in book.sheet_names:
                return Workbook([], [str(table)], _fill(book.get_sheet_by_name(str(table))))
            shown = (
                python_calamine.SheetTypeEnum.WorkSheet,
                python_calamine.SheetVisibleEnum.Visible,
            )
            names = [one.name for one in book.sheets_metadata if (one.typ, one.visible) == shown]
            sheets = {name: _fill(book.get_sheet_by_name(name)) for name in names}
    except python_calamine.PasswordError:
        raise SourceError(
            f"{file} is protected by a password. Save it without one, or export the sheet as csv."
        ) from None
    except (python_calamine.CalamineError, OSError) as error:
        raise unreadable(file, error) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of Rust, a type that cannot be imported
            raise
        raise unreadable(file, error) from None
    filled = [name for name, sheet in sheets.items() if sheet.rows]
    return Workbook(names, filled, sheets[filled[0]] if len(filled) == 1 else None)


def unreadable(file: str, reason: object) -> SourceError:
    """Return the error of a workbook that cannot be read."""
    return SourceError(
        f"{file} is damaged, or not a spreadsheet: {reason}. Save it again, or export the sheet as "
        "csv."
    )


def is_filled(cell: object) -> bool:
    """Return whether a cell holds something."""
    return cell is not None and cell != "" and cell == cell  # noqa: PLR0124 - NaN does not


def _fill(sheet: Any) -> Sheet:
    """Return the rows of a sheet without empty rows and columns around them."""
    rows = sheet.to_python(skip_empty_area=True)
    while rows and not n_filled(rows[-1]):
        rows.pop()
    first_row, first_column = sheet.start or (0, 0)
    return Sheet(rows, first_row, first_column)


def n_filled(row: Sequence[object]) -> int:
    """Return how many cells of a row are filled."""
    return sum(map(is_filled, row))
