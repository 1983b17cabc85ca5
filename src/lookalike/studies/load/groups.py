"""Groups of rows that are never on both sides of a split: copies, and those of a column."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, ShapeError
from lookalike.missing import is_missing
from lookalike.studies.load.copies import column_codes
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Rows
from lookalike.validation import few

WORD_OF_TEXT = re.compile(r"\w+")
LEAST_GROUPS = 2


def group_rows(
    identical: Rows | None, n_rows: int, column: AnyArray | None, decisions: Decisions
) -> Rows:
    """Return the group of every row as a number from zero; most groups are single rows.

    Copies are one group, and so are those with one value of `column`; a row that is
    identical to one of another group joins the two.
    """
    if identical is None:
        identical = np.arange(n_rows)
    n_copies = n_rows - int(identical.max()) - 1
    if n_copies:
        decisions.add(
            "identical rows",
            "copies are kept together in the split and in every fold",
            f"{n_copies:,} of {n_rows:,} rows are copies of an earlier one, more than by chance",
        )
    if column is None:
        return identical
    of_column = np.unique([str(value) for value in column.tolist()], return_inverse=True)[1]
    n_groups = int(of_column.max()) + 1
    if n_groups < LEAST_GROUPS:
        raise ShapeError("The groups are all one. Give a column with several groups.")
    joined = _join(identical, of_column)
    n_joined = int(joined.max()) + 1
    if n_joined < LEAST_GROUPS:  # identical rows connect all groups
        joined, n_joined = of_column.astype(np.int64), n_groups
        decisions.add("identical rows", "not kept together", "they are in all of the groups")
    decisions.add(
        "groups", f"{n_joined:,} groups of rows", "never on both sides of a split or fold"
    )
    return joined


def take_groups(dataset: Dataset, name: str) -> tuple[Dataset, AnyArray]:
    """Return the rows without the column `name`, and its values."""
    if name not in dataset.kinds:
        raise ColumnError(
            f"groups={name!r} is not a column; there are {few(dataset.names, text=str)}. "
            "Name the column that says which rows belong together."
        )
    values = dataset.column(name)
    return dataset.without(name), values


def given_groups(groups: object, row: Rows) -> AnyArray:
    """Return the groups of the rows that are studied, given those of all rows."""
    values = np.asarray(groups)
    if values.ndim != 1 or len(values) <= int(row.max()):
        raise ShapeError(
            f"groups has shape {values.shape}, and there are rows up to {int(row.max())}. "
            "Give the name of a column, or one group for every row."
        )
    return values[row]


def duplicate_groups(dataset: Dataset, features: Collection[str]) -> Rows:
    """Return a number for every row, equal for rows that are equal in all features.

    Numbers are given in order of appearance. Documents are equal that have the same words. Rows
    without any value are equal to none.
    """
    keys = row_keys(dataset, features)
    seen: dict[bytes, int] = {}
    numbers = np.empty(len(dataset), np.int64)
    used = 0
    for row, key in enumerate(keys):
        if key is None:
            numbers[row] = used
            used += 1
            continue
        numbers[row] = seen.setdefault(key, used)
        used += numbers[row] == used
    return numbers


def row_keys(dataset: Dataset, features: Collection[str]) -> list[bytes | None]:
    """Return bytes for every row that are equal where the features are; None of empty rows."""
    if dataset.text is not None:
        words = (
            sorted(WORD_OF_TEXT.findall(_text(cell).lower()))
            for cell in dataset.column(dataset.text)
        )
        return [
            "\0".join(sorted_words).encode() if sorted_words else None for sorted_words in words
        ]
    if isinstance(dataset.rows, np.ndarray):
        places = [index for index, name in enumerate(dataset.names) if name in features]
        rows = dataset.rows if len(places) == dataset.rows.shape[1] else dataset.rows[:, places]
        return _number_keys(rows)
    columns = [column_codes(dataset.column(name)) for name in dataset.names if name in features]
    table = np.column_stack(columns)
    empty = np.asarray((table < 0).all(axis=1))
    return [None if none else line.tobytes() for line, none in zip(table, empty, strict=True)]


def _number_keys(rows: AnyArray) -> list[bytes | None]:
    if rows.dtype.kind != "f":
        return [line.tobytes() for line in np.ascontiguousarray(rows)]
    keys: list[bytes | None] = []
    for begin in range(0, len(rows), 4096):
        part = rows[begin : begin + 4096] + 0.0  # no negative zeros
        missing = np.isnan(part)
        part[missing] = np.nan
        empty = np.asarray(missing.all(axis=1))
        keys += [None if none else row.tobytes() for row, none in zip(part, empty, strict=True)]
    return keys


def _text(cell: object) -> str:
    return "" if is_missing(cell) else str(cell)


def _join(first: Rows, second: Rows) -> Rows:
    """Return the groups that both connect: rows of one group in either are in one group."""
    n_first, n_second = int(first.max()) + 1, int(second.max()) + 1
    size = n_first + n_second
    links = coo_matrix((np.ones(len(first)), (first, n_first + second)), shape=(size, size))
    component = connected_components(links, directed=False)[1][first]
    return np.unique(component, return_inverse=True)[1].astype(np.int64)
