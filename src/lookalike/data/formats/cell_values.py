"""Columns of Python values, as spreadsheets and databases hold them, become a Source."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Unpack

import numpy as np
import pyarrow as pa

from lookalike.data.chunk import DateOrder, Dialect, Kind, RoleChoice
from lookalike.data.formats.parse_cells import convert, recognize
from lookalike.data.formats.typed_values import record_odd_cells
from lookalike.data.sources.columns_source import ColumnsSource
from lookalike.data.tables import (
    check_column_types,
    given_date_orders,
    require_distinct,
    resolve_roles,
)
from lookalike.decisions import Decisions
from lookalike.typing import AnyArray


def open_columns_of_values(
    table: Sequence[tuple[str, Sequence[object]]],
    name: str,
    y: object = None,
    *,
    dialect: Dialect,
    decisions: Decisions,
    types: Mapping[str, Kind] | None = None,
    **choice: Unpack[RoleChoice],
) -> ColumnsSource:
    """Return names and cells of columns as a Source; those not needed are never looked at.

    A column of numbers, of booleans or of dates stays what it is; one of texts, or of several
    types, is read as the cells of a csv file are.
    """
    names = [column for column, _ in table]
    require_distinct(names, name)
    given, orders = check_column_types(types, names), given_date_orders(types)
    cells = dict(table)
    roles = resolve_roles(names, y=y, n_rows=len(table[0][1]), **choice)
    values: dict[str, AnyArray] = {}
    known: dict[str, Kind] = {}
    odd: dict[str, str] = {}
    written: dict[str, DateOrder] = {}
    for column in sorted(roles.needed, key=names.index):
        kind, array = _plain(cells[column], given.get(column))
        if array is None:
            texts = _texts(cells[column], dialect)
            form = recognize(
                texts,
                dialect,
                column,
                kind=kind,
                label=column in roles.target,
                fixed=dialect.decimal is not None or dialect.thousands is not None,
                order=orders.get(column),
            )
            kind, array = form.kind, convert(texts, form)
            known_type = column in given
            if text := record_odd_cells(column, texts, array, form, decisions, given=known_type):
                odd[column] = text
            if form.date_order is not None:
                written[column] = form.date_order
        known[column], values[column] = kind or "number", array
    source = ColumnsSource(
        values,
        known,
        date_orders=written,
        y=y,
        weight=choice.get("weight"),
        target=list(roles.target) or None,
        columns=list(roles.features),
    )
    source.decisions, source.odd_cells = decisions, odd
    return source


def as_text(value: object) -> str | None:
    """Return a cell as a csv file would hold it, None if it is missing.

    Examples
    --------
    >>> [as_text(value) for value in (2019.0, 0.5, True, dt.date(2021, 3, 14), "", None)]
    ['2019', '0.5', 'true', '2021-03-14', None, None]
    """
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def _texts(cells: Sequence[object], dialect: Dialect) -> pa.Array:
    missing = set(dialect.missing)
    return pa.array(
        [None if (text := as_text(cell)) in missing else text for cell in cells], pa.string()
    )


def _plain(cells: Sequence[object], kind: Kind | None) -> tuple[Kind | None, AnyArray | None]:
    """Return kind and array of cells of one type; the kind that is given and None of others."""
    present = [cell for cell in cells if as_text(cell) is not None]
    if kind in (None, "number", "boolean") and present and _are_numbers(present):
        boolean = all(isinstance(cell, bool) for cell in present)
        numbers = [np.nan if as_text(cell) is None else float(cell) for cell in _any(cells)]
        return kind or ("boolean" if boolean else "number"), np.array(numbers)
    if kind in (None, "date") and present and all(isinstance(cell, dt.date) for cell in present):
        dates = [None if as_text(cell) is None else _without_zone(cell) for cell in cells]
        return "date", np.array(dates, "datetime64[us]")
    return kind, None


def _are_numbers(present: Sequence[object]) -> bool:
    """Return whether all cells are numbers, or all are booleans."""
    if any(isinstance(cell, bool) for cell in present):
        return all(isinstance(cell, bool) for cell in present)
    return all(isinstance(cell, (int, float, Decimal, np.number)) for cell in present)


def _any(cells: Sequence[object]) -> Sequence[Any]:
    return cells


def _without_zone(cell: object) -> object:
    if isinstance(cell, dt.datetime) and cell.tzinfo is not None:
        return cell.astimezone(dt.UTC).replace(tzinfo=None)
    return cell
