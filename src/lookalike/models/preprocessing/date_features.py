"""Which parts of a date are features: those that come back in the rows of fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from lookalike.data.chunk import Column, DateOrder
from lookalike.data.source import Source
from lookalike.data.sources.calendar_columns import NUMERIC_PARTS
from lookalike.reductions.columns import ColumnSummary
from lookalike.typing import Rows

DATE_PARTS = ("month", "weekday", "hour")
CYCLE_DAYS = {"month": 366.0, "weekday": 7.0, "hour": 1.0}


def date_orders(source: Source, dates: Sequence[str]) -> dict[str, DateOrder]:
    """Return how the dates of each column are written: in ISO 8601 unless the source says more."""
    order = {column.name: column.date_order or "ymd" for column in source.columns}
    return {name: order[name] for name in dates}


def tried_parts(
    dates: Sequence[str], parts: Sequence[str], source: Source
) -> dict[str, tuple[str, ...]]:
    """Return the parts to look at, none for a date whose features another column is named like."""
    names = [column.name for column in source.columns]
    free = [name for name in dates if not any(other.startswith(f"{name}: ") for other in names)]
    return dict.fromkeys(free, (*parts, "day")) if parts else {}


def recurring_parts(
    columns: Sequence[Column], summary: ColumnSummary, tried: Mapping[str, Sequence[str]]
) -> tuple[Rows, dict[str, tuple[str, ...]]]:
    """Return which numbers are kept, and the parts of dates that come back in the rows.

    A part of the calendar says more than the position in time only where the rows go beyond one
    cycle of it. Where all dates are of one day of the month, rows are months, and their weekdays
    and hours mean nothing; where all are of one time of day, so do hours.
    """
    index = {column.name: number for number, column in enumerate(columns)}

    def spread(name: str) -> float:
        lowest, highest = summary.least[index[name]], summary.most[index[name]]
        return float(np.nan_to_num(highest - lowest))

    kept: dict[str, tuple[str, ...]] = {}
    for name, parts in tried.items():
        varies = {
            "month": spread(f"{name}: month (sin)") > 0 if "month" in parts else False,
            "weekday": spread(f"{name}: day") > 0,
            "hour": spread(f"{name}: hour (sin)") > 0 if "hour" in parts else False,
        }
        recurring = [part for part in parts if varies.get(part) and spread(name) > CYCLE_DAYS[part]]
        if recurring:
            kept[name] = tuple(recurring)
    first = len(columns) - len(list(calendar_names(tried)))
    labels = {label for _, label in calendar_names(kept)}
    keep = [j for j, column in enumerate(columns) if j < first or column.name in labels]
    return np.array(keep, dtype=np.int64), kept


def calendar_names(parts: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Give the column and the name of every number that parts of dates become.

    Examples
    --------
    >>> list(calendar_names({"sold": ("weekday", "hour")}))
    [('sold', 'sold: hour (sin)'), ('sold', 'sold: hour (cos)')]
    """
    for name, kept in parts.items():
        for part in kept:
            for label in NUMERIC_PARTS.get(part, ()):
                yield name, f"{name}: {label}"
