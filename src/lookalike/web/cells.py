"""Cells of requests as numbers and dates; one that is neither is named by row and column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from lookalike.data.chunk import DateOrder
from lookalike.data.formats.parse_dates import parse_dates
from lookalike.typing import AnyArray
from lookalike.validation import shown
from lookalike.web.problems import ProblemError

NUMBER_ORDERS = ("yyyymmdd", "seconds", "milliseconds")
LARGEST_EXACT_INTEGER = 2**53  # whole numbers up to here are exact in float64
ColumnName = Callable[[int], "str | int"]


def matrix_of_lists(rows: list[Any], width: int | None, column_name: ColumnName) -> AnyArray:
    """Return lists of numbers as a matrix of float64, NaN where a cell is null."""
    try:
        X = np.array(rows)
    except (ValueError, OverflowError):  # of different lengths
        X = np.empty(0, object)
    if X.ndim == 2 and X.dtype.kind in "iufb" and X.shape[1] == (width or X.shape[1]):
        if (
            X.dtype.kind in "iu"
            and X.size
            and max(-int(X.min()), int(X.max())) > LARGEST_EXACT_INTEGER
        ):
            _refuse_inexact(X, column_name)
        return X.astype(np.float64, copy=False)
    width = width or (len(rows[0]) if isinstance(rows[0], list) else 0)
    for number, row in enumerate(rows):
        if not isinstance(row, list):
            _refuse(f"Row {number} is {shown(row)}, where a list of numbers is needed.", number)
        if len(row) != width or not row:
            _refuse(f"Row {number} has {len(row)} cells, and {width} are needed.", number)
    X = np.empty((len(rows), width))
    for j in range(width):
        X[:, j] = number_cells([row[j] for row in rows], column_name(j))
    return X


def number_cells(cells: Any, column: str | int) -> AnyArray:
    """Return cells as numbers: those of an array as they are, of a list as float64."""
    if isinstance(cells, np.ndarray):
        if cells.dtype.kind in "iufb":
            return cells
        cells = cells.tolist()
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells):
        if cell is None:
            numbers[row] = np.nan
        elif not isinstance(cell, (int, float)):
            name = shown(column)
            _refuse(
                f"Row {row} holds {shown(cell)} in column {name}, where a number is needed.",
                row, column,
            )  # fmt: skip
        else:
            numbers[row] = _float(cell, row, column)
    return numbers


def dates(cells: Any, column: str, order: DateOrder = "ymd") -> AnyArray:
    """Return dates and times as datetime64, NaT where a cell is null.

    They are texts in ISO 8601 or as the training rows had them, which `order` says; numbers are
    dates where the training rows had numbers.
    """
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "M":
        return cells.astype("datetime64[us]")
    given = cells if isinstance(cells, list) else cells.tolist()
    accepted = (str, int, float) if order in NUMBER_ORDERS else (str,)
    texts = [str(cell) if isinstance(cell, accepted) else None for cell in given]
    values = parse_dates(pa.array(texts, pa.string()), order)
    if order in NUMBER_ORDERS:  # and ISO 8601 as well
        values = np.where(np.isnat(values), parse_dates(pa.array(texts, pa.string())), values)
    bad = np.isnat(values) & np.array([cell is not None for cell in given], bool)
    if bad.any():
        row = int(bad.argmax())
        detail = f"Row {row} holds {shown(given[row])} in column {shown(column)}."
        _refuse(f"{detail} Send a date such as 2026-01-31.", row, column)
    return values


def require_usable(X: AnyArray, column_name: ColumnName, *, allow_nan: bool) -> None:
    """Raise a problem with row and column where a value is infinite, or missing and needed."""
    if X.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):  # of a sum that is only looked at
        if np.isfinite(X.sum()):
            return
    bad = np.isinf(X) if allow_nan else ~np.isfinite(X)
    if not bad.any():
        return
    row, place = (int(part) for part in np.argwhere(bad)[0])
    name = column_name(place)
    missing = np.isnan(X[row, place])
    value = "no value" if missing else "a number beyond float64"
    need = "every value is needed" if missing else "finite numbers are needed"
    _refuse(f"Row {row} holds {value} in column {shown(name)}, and {need}.", row, name)


def _float(cell: float, row: int, column: str | int) -> float:
    if isinstance(cell, int) and abs(cell) > LARGEST_EXACT_INTEGER:
        try:
            if int(float(cell)) == cell:
                return float(cell)
        except OverflowError:
            pass
        _refuse(
            f"Row {row} holds {shown(cell)} in column {shown(column)}, which float64 cannot "
            "represent. Send a category as text, or a smaller number.",
            row, column,
        )  # fmt: skip
    return float(cell)


def _refuse_inexact(X: AnyArray, column_name: ColumnName) -> None:
    for row, column in np.argwhere((X > LARGEST_EXACT_INTEGER) | (X < -LARGEST_EXACT_INTEGER)):
        _float(int(X[row, column]), int(row), column_name(int(column)))


def _refuse(detail: str, row: int, column: str | int | None = None) -> NoReturn:
    raise ProblemError(422, detail, row=row, column=column)
