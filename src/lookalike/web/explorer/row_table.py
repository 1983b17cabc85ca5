"""The rows of an exploration as a table: in an order, those of a condition, a part at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from lookalike.data.predicate import rows_where
from lookalike.data.write.csv import write_csv
from lookalike.data.write.parquet import write_parquet
from lookalike.errors import ParameterError
from lookalike.typing import AnyArray, Rows
from lookalike.web.explorer.colors import MAX_CATEGORIES_OF_COLUMN
from lookalike.web.explorer.explored_rows import cell
from lookalike.web.explorer.histograms import Histograms
from lookalike.web.explorer.maps import category_codes, category_names, column_numbers

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration_state import ExplorationState

ROW_COLUMN, LABEL_COLUMN, PREDICTED_COLUMN = (
    "row",
    "label",
    "predicted",
)  # columns that are not of the data
ORDERS_KEPT = 8  # sorted columns, so that turning pages does not sort again


class RowTable:
    """The rows of a state as lines of a table.

    The first columns are the row number, the label and the prediction; those of the data follow,
    known by their place, as their names may be any.
    """

    def __init__(self, exploration: ExplorationState) -> None:
        self._exploration = exploration
        self._lock = threading.Lock()
        self._order = lru_cache(ORDERS_KEPT)(self._sorted)

    @property
    def columns(self) -> list[dict[str, str]]:
        """What the columns are called, and of which type they are."""
        exploration = self._exploration
        rows, kinds = exploration.rows, exploration.rows.dataset.kinds
        columns = [{"id": ROW_COLUMN, "name": "row", "type": "number"}]
        if rows.code is not None or rows.number is not None:
            kind = "category" if rows.number is None else "number"
            columns.append({"id": LABEL_COLUMN, "name": rows.target or "label", "type": kind})
            columns.append({"id": PREDICTED_COLUMN, "name": "predicted", "type": kind})
        if rows.dataset.image_shape is None:
            columns += [
                {"id": str(index), "name": name, "type": kind}
                for index, (name, kind) in enumerate(kinds.items())
            ]
        return columns

    def page(
        self, begin: int, count: int, *, sort: str, descending: bool, chosen: AnyArray | None
    ) -> dict[str, Any]:
        """Return some lines of the table of all rows, or of the chosen ones, in an order."""
        order = self.order(sort, descending)
        if chosen is not None:
            order = order[chosen[order]]
        rows = order[begin : begin + count]
        return {"total": len(order), "rows": rows.tolist(), "lines": list(self.lines(rows))}

    def lines(self, rows: Rows) -> Iterator[list[object]]:
        """Yield the cells of rows: numbers as numbers, all else as text, missing ones as None."""
        columns = [self._cells(column["id"], rows) for column in self.columns]
        return map(list, zip(*columns, strict=True))

    def order(self, sort: str, descending: bool) -> Rows:
        """Return the rows in the order of a column, equal ones by number, missing ones last."""
        if sort not in {column["id"] for column in self.columns}:
            raise ParameterError(f"There is no column {sort!r}; see the session for their ids.")
        with self._lock:
            return self._order(sort, descending)

    def where(self, condition: str) -> AnyArray:
        """Return for each row whether it satisfies a condition on columns and on the target."""
        n_rows = len(self._exploration.rows)
        return rows_where(condition, _Columns(self._exploration), n_rows=n_rows)

    def write_csv(self, file: IO[bytes], chosen: AnyArray) -> None:
        """Write the chosen rows as csv, in their order."""
        names = [column["name"] for column in self.columns]
        write_csv(file, names, self.lines(np.flatnonzero(chosen)))

    def write_parquet(self, file: IO[bytes], chosen: AnyArray) -> None:
        """Write the chosen rows as Parquet; our columns give way to those of the data by name."""
        kinds = self._exploration.rows.dataset.kinds
        names = [
            f"lookalike {one['name']}" if not one["id"].isdecimal() and one["name"] in kinds
            else one["name"]
            for one in self.columns
        ]  # fmt: skip
        write_parquet(file, names, self.lines(np.flatnonzero(chosen)))

    def _cells(self, column: str, rows: Rows) -> list[object]:
        explored = self._exploration.rows
        if column == ROW_COLUMN:
            return list(explored.dataset.row[rows].tolist())
        if column == LABEL_COLUMN:
            return [explored.label(int(row)) for row in rows]
        if column == PREDICTED_COLUMN:
            return [self._exploration.prediction(int(row)) for row in rows]
        return [cell(value) for value in np.asarray(explored.dataset.column(int(column)))[rows]]

    def _sorted(self, column: str, descending: bool) -> Rows:
        keys = self.keys(column)
        missing = np.isnan(keys)
        if descending:
            keys = -keys
        return np.lexsort((np.where(missing, 0.0, keys), missing))

    @cached_property
    def histograms(self) -> Histograms:
        """Counts of rows by the columns."""
        return Histograms(self)

    def categories(self, column: str) -> list[str] | None:
        """Return the categories whose places are the keys of a column; None of numbers and dates.

        A column of more categories than can be listed, such as texts, has none.
        """
        rows, dataset = self._exploration.rows, self._exploration.rows.dataset
        if column == ROW_COLUMN:
            return None
        if column in (LABEL_COLUMN, PREDICTED_COLUMN):
            return rows.class_names if rows.code is not None else None
        name = dataset.names[int(column)]
        if name != dataset.text and dataset.kinds[name] in ("number", "boolean", "date"):
            return None
        names = category_names(np.asarray(dataset.column(name)))
        return names if len(names) <= MAX_CATEGORIES_OF_COLUMN else []

    def keys(self, column: str) -> AnyArray:
        """Return numbers that sort as a column does; NaN where it is missing."""
        rows, dataset = self._exploration.rows, self._exploration.rows.dataset
        if column == ROW_COLUMN:
            return dataset.row.astype(np.float64)
        if column in (LABEL_COLUMN, PREDICTED_COLUMN):
            values = rows.truth if column == LABEL_COLUMN else self._exploration.predicted()
            return np.where(values < 0, np.nan, values) if rows.code is not None else values
        name = dataset.names[int(column)]
        if name != dataset.text:
            return column_numbers(dataset, name)
        texts = np.asarray(dataset.column(name))
        codes = category_codes(texts, category_names(texts)).astype(np.float64)
        return np.where(codes < 0, np.nan, codes)


class _Columns(Mapping[str, AnyArray]):
    """The columns that a condition may name: those of the data, the target, and what is predicted.

    A column of the data goes before another meaning of its name.
    """

    def __init__(self, exploration: ExplorationState) -> None:
        self._exploration = exploration
        rows = exploration.rows
        self._names = list(rows.dataset.kinds)
        more = [ROW_COLUMN]
        if rows.code is not None or rows.number is not None:
            more += [rows.target or LABEL_COLUMN, PREDICTED_COLUMN]
        self._names += [name for name in more if name not in rows.dataset.kinds]

    def __getitem__(self, name: str) -> AnyArray:
        rows = self._exploration.rows
        if name in rows.dataset.kinds:
            return np.asarray(rows.dataset.column(name))
        if name not in self._names:
            raise KeyError(name)
        if name == ROW_COLUMN:
            return rows.dataset.row
        is_target = name == (rows.target or LABEL_COLUMN)
        values = rows.truth if is_target else self._exploration.predicted()
        if rows.code is None:
            return values
        known = np.array([*rows.classes.tolist(), None], object)  # -1, unknown, takes the last
        labels: AnyArray = known[values]
        return labels

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
