"""Categories as numbers that trees can split: what the targets of other rows of a category say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from lookalike.typing import AnyArray, Array, Rows

MOST_ONEHOT = 4  # categories of a column, up to which each has a column of its own
PRIOR_ROWS = 1.0  # rows of the mean target that count as if they were of every category


class TargetStatistics:
    r"""Columns of categories replaced by numbers; the other columns come first, as they are.

    A column of few categories becomes one column for each. Of more, category c becomes

    .. math:: \frac{\sum_{n: c_n = c} t_n + a \bar t}{|\{n: c_n = c\}| + a}

    for the number t = y, or for the indicator t of every class, and the number of its rows. For a
    training row only the rows before it in a random order count, so that no row sees its own
    target [Prokhorenkova 2018, NeurIPS, ordered target statistics].

    Parameters
    ----------
    columns : int64 array
        The columns of categories.
    values : list of float32 arrays
        The categories of each, rising.
    tables : list of float32 arrays of shape (n_categories + 2, n_numbers)
        What each becomes; the last but one row is that of missing values, the last of unknown ones.
    """

    columns: Rows
    values: list[AnyArray]
    tables: list[AnyArray]

    def __init__(
        self, columns: Rows, values: Sequence[AnyArray], tables: Sequence[AnyArray]
    ) -> None:
        self.columns, self.values, self.tables = columns, list(values), list(tables)

    @classmethod
    def fit(
        cls,
        rows: AnyArray,
        columns: Sequence[int],
        targets: AnyArray,
        rng: np.random.RandomState,
    ) -> tuple[Self, AnyArray]:
        """Return the statistics of training rows, and these rows with ordered ones."""
        indicators = _indicators(targets)
        order = rng.permutation(len(rows))
        values, tables, blocks = [], [], []
        for column in columns:
            cells = rows[:, column]
            known = np.unique(cells[~np.isnan(cells)])
            code = _codes(cells, known)
            values.append(known)
            if len(known) <= MOST_ONEHOT:
                table = _onehot(len(known))
                blocks.append(table[code])
            else:
                table, ordered = _statistics(code, indicators, order, len(known) + 2)
                blocks.append(ordered)
            tables.append(table)
        fitted = cls(np.asarray(columns, np.int64), values, tables)
        return fitted, fitted._joined(rows, blocks)

    def transform(self, rows: AnyArray) -> AnyArray:
        """Return other rows, by the statistics of all training rows."""
        blocks = [
            table[_codes(rows[:, column], known)]
            for column, known, table in zip(self.columns, self.values, self.tables, strict=True)
        ]
        return self._joined(rows, blocks)

    def _joined(self, rows: AnyArray, blocks: Sequence[AnyArray]) -> AnyArray:
        others = np.delete(rows, self.columns, axis=1)
        return np.ascontiguousarray(np.column_stack([others, *blocks]), np.float32)


def _codes(cells: AnyArray, known: AnyArray) -> Rows:
    """Return the place of every cell among the known values, then missing, then unknown ones."""
    place = np.searchsorted(known, cells).astype(np.int64)
    near = np.minimum(place, max(len(known) - 1, 0))
    found = known[near] == cells if len(known) else np.zeros(len(cells), bool)
    return np.where(np.isnan(cells), len(known), np.where(found, near, len(known) + 1))


def _indicators(targets: AnyArray) -> Array:
    """Return the targets, standardized, or whether a row is of each class but the first."""
    if targets.dtype.kind != "i":
        scale = float(np.abs(targets).max(initial=0.0)) or 1.0
        numbers = targets / scale
        deviation = float(numbers.std()) or 1.0
        return np.asarray((numbers - numbers.mean()) / deviation)[:, None]
    n_classes = int(targets.max()) + 1
    classes = np.arange(1 if n_classes == 2 else 0, n_classes)
    return np.asarray(targets[:, None] == classes, np.float64)


def _onehot(n_values: int) -> AnyArray:
    """Return a column for every category, and one for missing values; unknown ones have none."""
    return np.eye(n_values + 2, n_values + 1, dtype=np.float32)


def _statistics(
    code: Rows, indicators: Array, order: Rows, n_codes: int
) -> tuple[AnyArray, AnyArray]:
    """Return the table of all categories, and for every row the statistics of those before it."""
    mean = indicators.mean(axis=0)
    count = np.bincount(code, minlength=n_codes)
    sums = np.stack([np.bincount(code, one, n_codes) for one in indicators.T], axis=1)
    table = (sums + PRIOR_ROWS * mean) / (count + PRIOR_ROWS)[:, None]
    by_category = order[np.argsort(code[order], kind="stable")]
    own = indicators[by_category]
    before = np.cumsum(own, axis=0) - own
    first = np.concatenate([[0], np.cumsum(count)[:-1]])[code[by_category]]
    seen = np.arange(len(code)) - first
    before -= before[first]
    ordered = np.empty((len(code), indicators.shape[1] + 1), np.float32)
    ordered[by_category, :-1] = (before + PRIOR_ROWS * mean) / (seen + PRIOR_ROWS)[:, None]
    ordered[:, -1] = count[code]
    return np.column_stack([table, count]).astype(np.float32), ordered
