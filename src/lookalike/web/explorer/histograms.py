"""Counts of rows in intervals of a column or in its categories: of all rows, and of chosen ones."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lookalike.errors import ParameterError
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from lookalike.web.explorer.row_table import RowTable

MOST_BARS = 24  # intervals of a column of numbers
MOST_CATEGORY_BARS = 12  # the others are counted together
TAIL_SHARE = 0.005  # of the rows at either end of a column, which are in the first and last bar
COLUMNS_KEPT = 64  # whose bar of every row is kept, a byte each
ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # times a power of ten: widths of intervals


class Bars(NamedTuple):
    """The bars of a column: from and to of each, and the bar of every row."""

    kind: str  # number or category
    ends: list[tuple[Any, Any]]  # equal ends: one value; None: open
    code: AnyArray  # uint8, the number of bars where a row is in none
    counts: list[int]


class Histograms:
    """Histograms of the columns of a table; the bars of a column do not depend on what is chosen.

    Parameters
    ----------
    table : RowTable
        The rows.
    """

    def __init__(self, table: RowTable) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._bars = lru_cache(COLUMNS_KEPT)(self._make)

    def count(self, columns: Sequence[str], chosen: AnyArray | None) -> list[dict[str, object]]:
        """Return the bars of columns with their rows: of all, and of those that are chosen."""
        known = {column["id"] for column in self._table.columns}
        if unknown := [column for column in columns if column not in known]:
            raise ParameterError(f"There is no column {unknown[0]!r}; the session has their ids.")
        found = list[dict[str, object]]()
        for column in columns:
            with self._lock:
                bars = self._bars(column)
            part = bars.counts if chosen is None else _counts(bars.code[chosen], len(bars.ends))
            found.append(
                {
                    "id": column,
                    "kind": bars.kind,
                    "bars": [list(ends) for ends in bars.ends],
                    "all": bars.counts,
                    "chosen": part,
                }
            )
        return found

    def _make(self, column: str) -> Bars:
        names = self._table.categories(column)
        keys = self._table.keys(column)
        if names is None:
            ends, code = _intervals(keys)
            return Bars("number", ends, code, _counts(code, len(ends)))
        if not names:
            return Bars("category", [], np.zeros(len(keys), np.uint8), [])
        sizes = _counts(np.where(np.isnan(keys), len(names), keys).astype(np.int64), len(names))
        largest = np.argsort(-np.array(sizes, np.int64), kind="stable")[:MOST_CATEGORY_BARS]
        bar = np.full(len(names) + 1, len(largest), np.uint8)
        bar[largest] = np.arange(len(largest))
        code = bar[np.where(np.isnan(keys), len(names), keys).astype(np.int64)]
        ends = [(names[one], names[one]) for one in largest.tolist()]
        return Bars("category", ends, code, _counts(code, len(ends)))


def _counts(code: AnyArray, n_bars: int) -> list[int]:
    counts: list[int] = np.bincount(code, minlength=n_bars + 1)[:n_bars].tolist()
    return counts


def _intervals(keys: Array) -> tuple[list[tuple[Any, Any]], AnyArray]:
    """Return intervals with round ends, and the one of every number; few values are one each."""
    known = keys[np.isfinite(keys)]
    if not len(known):
        return [], np.zeros(len(keys), np.uint8)
    values = np.unique(known[:: max(1, len(known) // 4096)])
    if len(values) <= MOST_BARS:
        values = np.unique(known)
    if len(values) <= MOST_BARS:
        code = np.searchsorted(values, keys)
        code = np.where(np.isfinite(keys), code, len(values))
        return [(value, value) for value in values.tolist()], code.astype(np.uint8)
    low, high = np.quantile(known, [TAIL_SHARE, 1 - TAIL_SHARE])
    if high <= low:
        low, high = float(known.min()), float(known.max())
    step = round_step((high - low) / (MOST_BARS - 2))
    first = math.floor(low / step)
    n_bars = min(MOST_BARS, math.floor(high / step) - first + 1)
    edges = [float(f"{(first + place) * step:.12g}") for place in range(n_bars + 1)]
    ends: list[tuple[Any, Any]] = list(pairwise(edges))
    if known.min() < edges[0]:
        ends[0] = (None, edges[1])
    if known.max() >= edges[-1]:
        ends[-1] = (edges[-2], None)
    code = np.clip(np.searchsorted(edges, keys, side="right") - 1, 0, n_bars - 1)
    return ends, np.where(np.isfinite(keys), code, n_bars).astype(np.uint8)


def round_step(least: float) -> float:
    """Return the smallest round number that is not below another.

    >>> [round_step(one) for one in (0.3, 1.2, 2.2, 7.0, 130.0)]
    [0.5, 2.0, 2.5, 10.0, 200.0]
    """
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * one for one in ROUND_STEPS if power * one >= least * (1 - 1e-9))
