"""Duplicates, a line for each group: its rows, their labels, and what they hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.report.page.html import Html, join, table, tag
from lookalike.studies.analysis_results import AuditSummary, FlaggedRow
from lookalike.studies.format import count

MAX_ROWS_NAMED = 6  # of a group
FIRST_OF_GROUP = {  # column of the audit's table that has the first row of each group
    "duplicate": "duplicate_of",
    "conflict": "near_duplicate_of",
    "near_duplicate": "near_duplicate_of",
}


def duplicate_groups(audit: AuditSummary, kind: str, rows: Sequence[FlaggedRow]) -> Html:
    """Return the groups that some flagged rows are of, a line for each."""
    members = _groups(audit, kind, rows)
    labels = _labels(audit)
    has_labels = any(labels.values())
    lines = [
        [
            count(len(group)),
            _numbers(group),
            *([_named_labels(group, labels)] if has_labels else []),
            _content(one),
        ]
        for one, group in members
    ]
    head = ["rows", "row numbers", *([audit.target_title] if has_labels else []), "content"]
    n_groups = audit.groups.get(kind, 0)
    caption = count(len(lines), "group")
    if n_groups > len(lines):
        caption = f"{len(lines)} of {count(n_groups, 'group')}"
    return table(caption, head, lines)


def _groups(
    audit: AuditSummary, kind: str, rows: Sequence[FlaggedRow]
) -> list[tuple[FlaggedRow, list[int]]]:
    """Return one flagged row of each group, and the numbers of all rows of the group."""
    numbers = audit.table.row
    first = audit.table.scores.get(FIRST_OF_GROUP[kind])
    groups: dict[int, tuple[FlaggedRow, list[int]]] = {}
    for row in rows:
        place = np.flatnonzero(numbers == row.row)
        key = -1 if first is None or not len(place) else int(first[place[0]])
        if key < 0:
            groups.setdefault(row.row, (row, [row.row]))
        elif key not in groups and first is not None:
            group = numbers[(first == key) | (numbers == key)]
            groups[key] = row, [int(number) for number in group]
    return list(groups.values())


def _labels(audit: AuditSummary) -> dict[int, str]:
    """Return the labels of the rows that the audit shows."""
    labels = {near.row: near.label for flagged in audit.flagged_rows for near in flagged.neighbors}
    return labels | {flagged.row: flagged.label for flagged in audit.flagged_rows}


def _numbers(group: list[int]) -> str:
    named = ", ".join(map(str, group[:MAX_ROWS_NAMED]))
    more = len(group) - MAX_ROWS_NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def _named_labels(group: list[int], labels: dict[int, str]) -> str:
    return ", ".join(dict.fromkeys(labels[row] for row in group if row in labels))


def _content(one: FlaggedRow) -> Html:
    if one.thumbnail:
        alt = f"row {one.row}" + (f", label {one.label}" if one.label else "")
        return tag("img", src=one.thumbnail, alt=alt, class_="small")
    if one.text is not None:
        return join([one.text or "(empty)"])
    return join(["; ".join(f"{name} {cell or '–'}" for name, cell in one.values.items())])
