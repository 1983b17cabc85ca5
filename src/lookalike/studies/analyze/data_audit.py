"""The data audit of a study: how many rows of each kind, and the worst with their neighbors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookalike.explain.audit.audit import Audit, RowContents, audit
from lookalike.explain.audit.duplicates import group_sizes, identical_rows
from lookalike.explain.audit.near_duplicates import two_valued_columns
from lookalike.explain.audit.table import audit_table
from lookalike.explain.self_search import SelfSearch
from lookalike.missing import is_missing
from lookalike.printable import number
from lookalike.studies.analysis_results import AuditSummary, FlaggedRow, Neighbor
from lookalike.studies.analyze.thumbnails import show_row
from lookalike.studies.load.copies import (
    MIN_DISTINCT_FOR_COPIES,
    column_codes,
    copied_rows,
    in_order_of_appearance,
)
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Array, Rows

WORST_ROWS_SHOWN = 12  # of the worst rows of each kind
SHOWN_NEIGHBORS = 3  # of each
AUDIT_NEIGHBORS = 10


def audit_rows(
    neighbors: SelfSearch,
    dataset: Dataset,
    task: str,
    *,
    held_out: AnyArray | None = None,
    features: Mapping[str, str] | None = None,
    groups: Rows | None = None,
    test: tuple[AnyArray | None, Dataset] | None = None,
    probabilities: Sequence[Array] = (),
    k: int = AUDIT_NEIGHBORS,
) -> AuditSummary:
    """Return the audit of rows searched among themselves.

    `held_out` says which of them were held out, `features` are the columns that they are compared
    by with their kinds, rows of one of the `groups` do not vote on each other's target, `test` are
    the features and rows of a test file, and `probabilities` those of classes by models that did
    not see the row. Test rows and held-out ones may leak.
    """
    k = min(k, neighbors.n_rows - 1)
    y = dataset.y
    contents, test_contents = row_contents(dataset, None if test is None else test[1], features)
    result = audit(
        neighbors,
        y,
        k=k,
        groups=None if y is None else groups,
        test=None if test is None else test[0],
        task="auto" if y is None else task,
        probabilities=probabilities,
        contents=contents,
        test_contents=test_contents,
    )
    rows = {kind: result.rows(kind) for kind in result.kinds}
    if held_out is not None:
        rows["leak"] = _leaked(result.near_duplicate_of, held_out)
    flagged = [
        _flag(kind, int(row), result, neighbors, dataset)
        for kind, some in rows.items()
        for row in some[:WORST_ROWS_SHOWN]
        if kind != "leak" or test is None
    ]
    if test is not None and result.test_row is not None:
        flagged += [
            _leak(int(row), result, dataset, test[1]) for row in rows["leak"][:WORST_ROWS_SHOWN]
        ]
    noise = [decision.choice for decision in result.decisions if decision.about == "noise"]
    table = audit_table(
        result,
        rows=dataset.row,
        test_rows=None if test is None else test[1].row,
        flagged=rows,
    )
    redundant = {kind: result.n_redundant(kind) for kind in ("duplicate", "near_duplicate")}
    counts = {kind: len(some) for kind, some in rows.items()}
    return AuditSummary(
        {**counts, **{kind: n_rows for kind, (n_rows, _) in redundant.items()}},
        tuple(flagged),
        k,
        neighbors.n_rows,
        float(noise[0]) if noise else None,
        table,
        "label" if result.deviation is None else "number",
        {kind: n_groups for kind, (_, n_groups) in redundant.items()},
        result.is_clear,
    )


def row_contents(
    dataset: Dataset, test: Dataset | None, features: Mapping[str, str] | None = None
) -> tuple[RowContents, RowContents | None]:
    """Return which rows are the same, their categories, and which are empty texts.

    Rows are the same where all `features` are, as they came, unless chance explains it; texts
    whatever their white space.
    """
    tables = [dataset] if test is None else [dataset, test]
    if dataset.text is not None:
        texts = [text for table in tables for text in _plain_texts(table)]
        parts: list[AnyArray] = [np.array(texts, object)]
        empty = np.array([not text for text in texts])
    else:
        kinds = features or dict.fromkeys(dataset.names, "number")
        parts = _columns(tables, kinds)
        empty = np.zeros(sum(map(len, tables)), bool)
    discrete = [] if dataset.data_kind != "table" else [code for p in parts for code in _codes(p)]
    categories = np.column_stack(discrete) if discrete else None
    identical = identical_rows(*parts)
    ordinary = np.zeros(len(identical), bool)
    if dataset.data_kind == "table":
        ordinary = _ordinary_repeats(parts, identical)
    copies = np.where(ordinary, np.arange(len(identical)), identical)
    every = RowContents(copies, categories, empty, ordinary)
    n_rows = len(dataset)
    return _part(every, slice(n_rows)), None if test is None else _part(every, slice(n_rows, None))


def _ordinary_repeats(parts: list[AnyArray], identical: Rows) -> AnyArray:
    """Tell which rows repeat others as chance makes them; see `lookalike.studies.load.copies`."""
    repeated = group_sizes(identical) > 1
    if not repeated.any():
        return repeated
    if len(np.unique(identical)) < MIN_DISTINCT_FOR_COPIES:
        return repeated
    columns = [column for part in parts for column in (part.T if part.ndim > 1 else [part])]
    codes = np.column_stack([column_codes(column) for column in columns])
    ordinary: AnyArray = repeated & ~copied_rows(codes, in_order_of_appearance(identical))
    return ordinary


def _part(contents: RowContents, rows: slice) -> RowContents:
    values = (contents.copies, contents.categories, contents.empty, contents.ordinary)
    return RowContents(*(None if value is None else value[rows] for value in values))


def _columns(tables: list[Dataset], kinds: Mapping[str, str]) -> list[AnyArray]:
    """Return the numbers of all tables as one array, and each column of categories or text."""
    if all(isinstance(table.rows, np.ndarray) for table in tables):
        place = {name: place for place, name in enumerate(tables[0].names)}
        places = [place[name] for name in kinds]
        same = places == list(range(len(place)))
        numbers = (np.asarray(table.rows) for table in tables)
        rows = [one if same else one[:, places] for one in numbers]
        return [rows[0] if len(rows) == 1 else np.concatenate(rows)]
    parts: list[AnyArray] = []
    for name, kind in kinds.items():
        column = np.concatenate([np.asarray(table.column(name)) for table in tables])
        if kind in ("category", "text"):
            cells = [None if is_missing(value) else str(value) for value in column.tolist()]
            parts.append(np.array(cells, object))
        elif column.dtype.kind == "M":
            parts.append(column.astype("datetime64[us]").astype(np.int64)[:, None])
        else:
            parts.append(column.astype(np.float64)[:, None])
    return parts


def _codes(part: AnyArray) -> list[AnyArray]:
    """Return columns of categories, and numbers of two values at most, as codes."""
    if part.dtype.kind == "O":
        return [identical_rows(part).astype(np.int32)]
    two = np.flatnonzero(two_valued_columns(part))
    return [identical_rows(part[:, [j]]).astype(np.int32) for j in two]


def _plain_texts(dataset: Dataset) -> list[str]:
    values = dataset.column(dataset.text or "").tolist()
    return ["" if is_missing(value) else " ".join(str(value).split()) for value in values]


def _leaked(group: Rows, held_out: AnyArray) -> Rows:
    """Return the held-out rows that have a training row among their near duplicates."""
    in_training = np.zeros(len(group), bool)
    in_training[group[~held_out]] = True
    return np.flatnonzero(held_out & in_training[group])


def _flag(
    kind: str, row: int, result: Audit, neighbors: SelfSearch, dataset: Dataset
) -> FlaggedRow:
    n_shown = min(SHOWN_NEIGHBORS, neighbors.n_rows - 1)
    distance, near = neighbors.of(np.array([row]), n_shown)
    return FlaggedRow(
        int(dataset.row[row]),
        kind,
        _score(kind, row, result),
        _label(dataset.y, row),
        _label(result.suggested, row) if kind == "mislabel" else "",
        neighbors=tuple(
            _neighbor(int(other), float(to_other), dataset)
            for other, to_other in zip(near[0], distance[0], strict=True)
        ),
        **show_row(dataset, row),
    )


def _leak(row: int, result: Audit, dataset: Dataset, test: Dataset) -> FlaggedRow:
    """Return a row of a test file that is a copy of a row of the data."""
    values = (result.test_row, result.test_distance, result.test_exact)
    nearest, distance, exact = (np.asarray(each)[row] for each in values)
    copied = _neighbor(int(nearest), float(distance), dataset)
    return FlaggedRow(
        int(test.row[row]),
        "leak",
        1.0 if exact else 0.5,
        _label(test.y, row),
        neighbors=(copied,),
        **show_row(test, row),
    )


def _neighbor(row: int, distance: float, dataset: Dataset) -> Neighbor:
    label = _label(dataset.y, row)
    return Neighbor(int(dataset.row[row]), distance, label, **show_row(dataset, row))


def _label(values: AnyArray | None, row: int) -> str:
    """Return a class or a number as text."""
    if values is None:
        return ""
    return number(float(values[row])) if values.dtype.kind == "f" else str(values[row])


def _score(kind: str, row: int, result: Audit) -> float:
    if kind == "mislabel" and result.mislabel is not None:
        return float(result.mislabel[row])
    if kind == "outlier":
        return float(result.outlier[row])
    return float(result.occurrences[row]) if kind == "hub" else 1.0
