"""Duplicates are shown a line for each group, with the numbers and labels of its rows."""

from __future__ import annotations

import numpy as np

from lookalike.explain.audit.table import AuditTable
from lookalike.report.page.duplicate_groups import duplicate_groups
from lookalike.studies.analysis_results import AuditSummary, FlaggedRow, Neighbor


def audit(rows):
    first = np.array([0, -1, 0, 3, 3, 0, 0, 0, 0, 0])
    table = AuditTable(np.arange(10) + 100, ("",) * 10, {"duplicate_of": first + 100}, {})
    first[1] = -101
    table.scores["duplicate_of"] = first + 100
    return AuditSummary({"duplicate": 6}, rows, 5, 10, None, table, groups={"duplicate": 2})


def test_rows_of_a_group_are_one_line_with_all_their_numbers():
    near = (Neighbor(102, 0.0, "b"),)
    rows = (
        FlaggedRow(100, "duplicate", 1.0, "a", text="same", neighbors=near),
        FlaggedRow(102, "duplicate", 1.0, "b", text="same"),
        FlaggedRow(103, "duplicate", 1.0, "a", values={"x": "1", "y": ""}),
    )
    shown = duplicate_groups(audit(rows), "duplicate", rows)
    assert "2 groups" in shown
    assert "100, 102, 105, 106, 107, 108 and 1 more" in shown
    assert "103, 104" in shown
    assert "a, b" in shown
    assert "x 1; y –" in shown


def test_more_groups_than_are_shown_are_counted():
    rows = (FlaggedRow(103, "duplicate", 1.0, text="t"),)
    assert "1 of 2 groups" in duplicate_groups(audit(rows), "duplicate", rows)
