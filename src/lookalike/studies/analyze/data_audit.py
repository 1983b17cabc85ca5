"""Rows that deserve a second look: how many of each kind, and the worst with their neighbors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.explain.audit.audit import Audit, audit
from lookalike.explain.self_search import SelfSearch
from lookalike.studies.analysis_results import AuditSummary, AuditTable, FlaggedRow, Neighbor
from lookalike.studies.analyze.thumbnails import exhibit
from lookalike.studies.load.read import Reading
from lookalike.studies.load.target import kind_of
from lookalike.typing import AnyArray, Rows

SHOWN = 12  # of the worst rows of each kind
BESIDE = 3  # neighbors of each
VOTERS = 10


class Looked(NamedTuple):
    """The rows of the data, searched among themselves."""

    found: SelfSearch
    reading: Reading
    labels: AnyArray | None  # classes as text, or numbers
    held: AnyArray | None  # which rows were held out of the same data


class Apart(NamedTuple):
    """Rows of a test file, as neighbors see them."""

    Z: AnyArray
    reading: Reading
    labels: AnyArray | None


def doubts(looked: Looked, apart: Apart | None) -> AuditSummary:
    """Return what an audit finds in the rows, and which held-out rows are copies of others."""
    k = min(VOTERS, looked.found.n_rows - 1)
    task = "auto" if looked.labels is None else kind_of(looked.labels)
    test = None if apart is None else apart.Z
    result = audit(looked.found, looked.labels, k=k, test=test, task=task)
    rows = {kind: result.rows(kind) for kind in result.kinds}
    if looked.held is not None:
        rows["leak"] = _leaked(result.near_duplicate_of, looked.held)
    suspects = [
        _suspect(kind, int(row), result, looked)
        for kind, some in rows.items()
        for row in some[:SHOWN]
        if kind != "leak" or apart is None
    ]
    if apart is not None and result.leaks is not None:
        suspects += [_copied(int(row), result, looked, apart) for row in rows["leak"][:SHOWN]]
    noise = [decision.choice for decision in result.decisions if decision.about == "noise"]
    return AuditSummary(
        {kind: len(some) for kind, some in rows.items()},
        tuple(suspects),
        k,
        looked.found.n_rows,
        float(noise[0]) if noise else None,
        _table(result, rows, looked, apart),
        "label" if result.deviation is None else "number",
    )


def _leaked(group: Rows, held: AnyArray) -> Rows:
    """Return the held-out rows that have a training row among their near duplicates."""
    taught = np.zeros(len(group), bool)
    taught[group[~held]] = True
    return np.flatnonzero(held & taught[group])


def _suspect(kind: str, row: int, result: Audit, looked: Looked) -> FlaggedRow:
    distance, near = looked.found.of(np.array([row]), min(BESIDE, looked.found.n_rows - 1))
    suggested = _told(result.suggested, row)
    return FlaggedRow(
        int(looked.reading.row[row]),
        kind,
        _score(kind, row, result),
        _told(looked.labels, row),
        suggested if kind == "mislabel" else "",
        neighbors=tuple(
            _neighbor(int(other), float(gap), looked)
            for other, gap in zip(near[0], distance[0], strict=True)
        ),
        **exhibit(looked.reading.material, row),
    )


def _copied(row: int, result: Audit, looked: Looked, apart: Apart) -> FlaggedRow:
    leaks: Any = result.leaks
    return FlaggedRow(
        int(apart.reading.row[row]),
        "leak",
        1.0 if leaks.exact[row] else 0.5,
        _told(apart.labels, row),
        neighbors=(_neighbor(int(leaks.row[row]), float(leaks.distance[row]), looked),),
        **exhibit(apart.reading.material, row),
    )


def _neighbor(row: int, distance: float, looked: Looked) -> Neighbor:
    number, label = int(looked.reading.row[row]), _told(looked.labels, row)
    return Neighbor(number, distance, label, **exhibit(looked.reading.material, row))


def _told(values: AnyArray | None, row: int) -> str:
    """Return a class or a number as it is shown."""
    if values is None:
        return ""
    return f"{values[row]:.6g}" if kind_of(values) == "regression" else str(values[row])


def _score(kind: str, row: int, result: Audit) -> float:
    if kind == "mislabel" and result.mislabel is not None:
        return float(result.mislabel[row])
    if kind == "outlier":
        return float(result.outlier[row])
    return float(result.occurrences[row]) if kind == "hub" else 1.0


def _table(result: Audit, rows: dict[str, Rows], looked: Looked, apart: Apart | None) -> AuditTable:
    """Return flags and scores of every row; those of a test file follow, where there is one."""
    numbers = looked.reading.row
    flags: list[list[str]] = [[] for _ in numbers]
    for kind, some in rows.items():
        for row in some if kind != "leak" or apart is None else ():
            flags[row].append(kind)
    scores: dict[str, Any] = {}
    if result.mislabel is not None and result.suggested is not None:
        scores |= {"mislabel_probability": result.mislabel, "suggested_label": result.suggested}
    if result.deviation is not None:
        scores["deviation"] = result.deviation
    scores |= {"outlier_score": result.outlier, "k_occurrences": result.occurrences}
    scores["duplicate_of"] = _others(result.duplicate_of, numbers)
    scores["near_duplicate_of"] = _others(result.near_duplicate_of, numbers)
    listed = tuple(" ".join(sorted(one)) for one in flags)
    copies: dict[int, int] = {}
    if apart is not None and result.leaks is not None:
        copies = {
            int(apart.reading.row[row]): int(numbers[result.leaks.row[row]]) for row in rows["leak"]
        }
    return AuditTable(numbers, listed, scores, copies)


def _others(first: Rows, numbers: Rows) -> Rows:
    """Return the number of the first row of each group, -1 for rows that are alone."""
    sizes = np.bincount(first, minlength=len(first))
    return np.where(sizes[first] > 1, numbers[first], -1)
