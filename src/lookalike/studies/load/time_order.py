"""The order of rows in time: by a column that is named, or by one that looks like a time."""

from __future__ import annotations

import re
from typing import TypeAlias

import numpy as np

from lookalike.errors import ColumnError
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Array
from lookalike.validation import few

NAME_OF_TIME = re.compile(
    r"(^|[_\W])(date|datetime|time|timestamp|day|week|month|year|instant|period|t)($|[_\W\d])",
    re.IGNORECASE,
)
TIME_SPLIT_PREFIX = "time:"
ORDER_OF_ROWS = "order of the rows"
TimeOrder: TypeAlias = tuple[Array, str]  # moments of the rows, and what they are called


def take_time(dataset: Dataset, name: str) -> tuple[Dataset, TimeOrder]:
    """Return the rows without the column `name`, and the moments that it holds."""
    if name not in dataset.kinds:
        raise ColumnError(
            f"split='{TIME_SPLIT_PREFIX}{name}': there is no column {name!r}; there are "
            f"{few(dataset.names, text=str)}. Name the column that holds the time of each row."
        )
    moment = moments(dataset.column(name))
    if moment is None:
        raise ColumnError(
            f"split='{TIME_SPLIT_PREFIX}{name}': the column holds values that are neither "
            "numbers nor dates, or are missing. Give a column with a time in every row."
        )
    return dataset.without(name), (moment, f"column {name!r}")


def moments(column: AnyArray) -> Array | None:
    """Return dates or numbers as float64; None where some are missing or are neither."""
    values = column
    if values.dtype == object:
        try:
            values = np.array([str(value) for value in values.tolist()], "datetime64[s]")
        except ValueError:
            return None
    if values.dtype.kind == "M":
        if np.isnat(values).any():
            return None
        return values.astype("datetime64[s]").astype(np.float64)
    if values.dtype.kind not in "iufb":
        return None
    moment = values.astype(np.float64)
    return moment if np.isfinite(moment).all() else None


def recorded_order(dataset: Dataset) -> TimeOrder:
    """Return the order in which rows were probably recorded.

    That is the first date, or number with the name of a time, that never falls from row to row;
    or else the first date with many values; or else the order of the rows themselves.
    """
    dates = []
    for name, kind in dataset.kinds.items():
        if kind != "date" and not (kind == "number" and NAME_OF_TIME.search(name)):
            continue
        moment = moments(dataset.column(name))
        if moment is None or moment[0] == moment[-1]:
            continue
        if (np.diff(moment) >= 0).all():
            return moment, f"column {name!r}"
        if kind == "date" and len(np.unique(moment)) > len(moment) / 10:
            dates.append((moment, f"column {name!r}"))
    return dates[0] if dates else (dataset.row.astype(np.float64), ORDER_OF_ROWS)
