"""A table made once and drawn everywhere: terminal, notebook, report and page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from lookalike.printable import count, number, percent, true_minus

EMPTY_CELL = "–"


class TableColumn(NamedTuple):
    """The name of a column, and the code by which its cells are written."""

    name: str
    code: str = "text"

    @property
    def is_numeric(self) -> bool:
        """Whether cells are figures, which are set to the right."""
        return self.code not in ("text", "flag")


@dataclass(frozen=True)
class ResultTable:
    """Rows of plain values under columns that know how values are written.

    Attributes
    ----------
    title : str
    columns : tuple of TableColumn
    rows : tuple of tuple
        Numbers, text, pairs for intervals, and None where there is nothing.
    marked : int or None
        The row that is set off, such as that of the selected model.
    """

    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    marked: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def texts(self) -> list[list[str]]:
        """Return the cells as they are written, line by line."""
        codes = [column.code for column in self.columns]
        return [
            [format_value(code, value) for code, value in zip(codes, row, strict=True)]
            for row in self.rows
        ]

    def take(self, *names: str) -> ResultTable:
        """Return the table with some of its columns."""
        places = [self.names.index(name) for name in names]
        return replace(
            self,
            columns=tuple(self.columns[index] for index in places),
            rows=tuple(tuple(row[index] for index in places) for row in self.rows),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data, which the page writes by the same codes."""
        columns = [{"name": name, "format": code} for name, code in self.columns]
        return {"title": self.title, "columns": columns, "rows": [list(row) for row in self.rows]}


def format_value(code: str, value: object) -> str:
    """Return a value as a format code writes it; a dash where there is none.

    >>> format_value("percent1", 0.019), format_value("count", 1797), format_value("sig4", -0.25)
    ('1.9%', '1,797', '−0.25')
    >>> format_value("interval:percent1", (0.009, 0.04)), format_value("flag", True)
    ('0.9–4.0%', 'yes')
    """
    if value is None or value == "":
        return EMPTY_CELL
    if code.startswith("interval:"):
        return _interval(code.removeprefix("interval:"), value)
    return NUMBER_FORMATS[code](value)


def _interval(code: str, ends: Any) -> str:
    low, high = (NUMBER_FORMATS[code](float(end)) for end in ends)
    if code == "percent1":
        low = low.removesuffix("%")
    return f"{low} to {high}" if ends[0] < 0 else f"{low}–{high}"


def _fixed(value: float) -> str:
    """Return four significant digits, zeros as well, so that columns of them align."""
    text = number(value) if abs(value) >= 1000 else f"{value:#.4g}".removesuffix(".")
    return true_minus(text)


def _decimals(value: float) -> str:
    return true_minus(f"{round(value, 3) + 0.0:.3f}")


def _flag(value: object) -> str:
    return "yes" if value else "no"


NUMBER_FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "flag": _flag,
    "count": count,
    "percent1": percent,
    "sig4": number,
    "fixed4": _fixed,
    "decimal3": _decimals,
}
