"""Tables written as csv that a spreadsheet opens without running anything."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import IO

import numpy as np

from lookalike.printable import printable

FORMULA_PREFIXES = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
)  # what a cell of text begins with to be a formula


def write_csv(file: IO[bytes], names: Sequence[object], lines: Iterable[Sequence[object]]) -> None:
    """Write a header and lines of cells, which may come one by one; nothing if the first fails."""
    writer = csv.writer(_Lines(file), lineterminator="\r\n")  # so that cells quote both
    coming = iter(lines)
    first = next(coming, None)
    writer.writerow([safe_cell(name) for name in names])
    for line in () if first is None else chain([first], coming):
        writer.writerow([safe_cell(cell) for cell in line])


class _Lines:
    """Lines of text that end in a line feed, on a file of bytes that stays open."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Write a line as UTF-8."""
        return self._file.write((text.removesuffix("\r\n") + "\n").encode("utf-8"))


def safe_cell(value: object) -> str:
    """Return what is written for a value: numbers in full, text that is not a formula.

    Characters that act on a terminal are written as their codes: see `printable`.

    Examples
    --------
    >>> [safe_cell(value) for value in ("=1+1", "a", -1.5, None, np.float32(0.1))]
    ["'=1+1", 'a', '-1.5', '', '0.1']
    """
    if value is None:
        return ""
    if isinstance(value, np.floating):
        return str(value)  # the fewest digits that identify it
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return repr(value)
    text = str(value)
    if isinstance(value, str) and text.startswith(FORMULA_PREFIXES):
        text = f"'{text}"
    return printable(text)
