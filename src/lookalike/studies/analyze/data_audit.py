"""Rows that deserve a second look: how many of each kind, and the worst with their neighbors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.explain.audit.audit import Audit, audit
from lookalike.explain.audit.table import audit_table
from lookalike.explain.self_search import SelfSearch
from lookalike.studies.analysis_results import AuditSummary, FlaggedRow, Neighbor
from lookalike.studies.analyze.thumbnails import exhibit
from lookalike.studies.load.read import Reading
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
    task = (
        "auto"
        if looked.labels is None
        else ("regression" if looked.labels.dtype.kind == "f" else "classification")
    )
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
        audit_table(
            result,
            rows=looked.reading.row,
            test_rows=None if apart is None else apart.reading.row,
            flagged=rows,
        ),
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
    return f"{values[row]:.6g}" if values.dtype.kind == "f" else str(values[row])


def _score(kind: str, row: int, result: Audit) -> float:
    if kind == "mislabel" and result.mislabel is not None:
        return float(result.mislabel[row])
    if kind == "outlier":
        return float(result.outlier[row])
    return float(result.occurrences[row]) if kind == "hub" else 1.0
