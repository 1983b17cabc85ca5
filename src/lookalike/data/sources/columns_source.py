"""Rows in memory column by column, of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from lookalike.data.chunk import Column, DateOrder, Home, Kind
from lookalike.data.tables import TableSource, require_distinct, resolve_roles
from lookalike.errors import ShapeError
from lookalike.typing import AnyArray

NUMERIC_TYPES = ("number", "boolean")


class ColumnsSource(TableSource):
    """Columns of one length: numbers with NaN, or objects with None, where a value is missing.

    `date_orders` says how dates were written that came as text.

    Examples
    --------
    >>> source = ColumnsSource({"age": np.array([30.0, 40.0])}, {"age": "number"}, y=["a", "b"])
    >>> next(source.chunks()).X.ravel()
    array([30., 40.])
    """

    repeatable = True
    home: Home = "memory"

    def __init__(
        self,
        values: Mapping[str, AnyArray],
        types: Mapping[str, Kind],
        *,
        y: object = None,
        weight: object = None,
        target: object = None,
        columns: object = None,
        drop: object = None,
        date_orders: Mapping[str, DateOrder] | None = None,
    ) -> None:
        self._values = dict(values)
        require_distinct(list(self._values), "The table")
        lengths = {len(column) for column in self._values.values()}
        if len(lengths) != 1 or 0 in lengths:
            raise ShapeError(f"Columns have {sorted(lengths)} rows. Give as many in each, and one.")
        self.n_rows: int | None = lengths.pop()
        orders = date_orders or {}
        known = [Column(name, types[name], date_order=orders.get(name)) for name in self._values]
        dtypes = {
            name: np.asarray(column).dtype
            for name, column in self._values.items()
            if types[name] in NUMERIC_TYPES
        }
        roles = resolve_roles(
            list(self._values),
            columns=columns,
            target=target,
            drop=drop,
            y=y,
            weight=weight,
            n_rows=self.n_rows,
        )
        super().__init__(known, dtypes, roles)

    def _read(self, rows: int) -> Iterator[dict[str, AnyArray]]:
        for start in range(0, self.n_rows or 0, rows):
            yield {name: column[start : start + rows] for name, column in self._values.items()}
