"""The table of an audit: the flags and scores of every row, as audit.csv holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lookalike.explain.audit.audit import Audit
from lookalike.typing import AnyArray, Rows


@dataclass(frozen=True)
class AuditTable:
    """One entry for every row of the data."""

    row: Rows
    flags: tuple[str, ...]  # kinds of each row, joined by a blank
    scores: dict[str, AnyArray]  # mislabel_probability, suggested_label, outlier_score …
    leaks: dict[int, int]  # leaked rows of the test file, and the row of the data each duplicates

    def headings(self) -> list[str]:
        """Return the names of the columns."""
        return ["part", "row", "flags", *self.scores, *(["leak_of"] if self.leaks else [])]

    def lines(self) -> list[list[object]]:
        """Return the rows of the data, then the leaked rows of the test file."""
        blank = [""] if self.leaks else []
        data = [
            ["data", int(row), flags, *(score[index] for score in self.scores.values()), *blank]
            for index, (row, flags) in enumerate(zip(self.row, self.flags, strict=True))
        ]
        no_scores = [""] * len(self.scores)
        leaks = [["test", row, "leak", *no_scores, of] for row, of in sorted(self.leaks.items())]
        return [*data, *leaks]


def audit_table(
    audit: Audit,
    *,
    rows: Rows | None = None,
    test_rows: Rows | None = None,
    flagged: Mapping[str, Rows] | None = None,
) -> AuditTable:
    """Return the flags and scores of every row.

    Parameters
    ----------
    audit : Audit
        The result of :func:`lookalike.audit`.
    rows, test_rows : array of int, optional
        The numbers of the rows in their files; 0, 1 … when None.
    flagged : mapping, optional
        The rows of each kind; those of `audit` when None. Leaks are rows of the test file where
        the audit had one, else rows of the data.
    """
    number = np.arange(len(audit.outlier)) if rows is None else rows
    if flagged is None:
        flagged = {kind: audit.rows(kind) for kind in audit.kinds}
    flags: list[list[str]] = [[] for _ in number]
    for kind, rows_of_kind in flagged.items():
        for row in rows_of_kind if kind != "leak" or audit.test_row is None else ():
            flags[row].append(kind)
    scores: dict[str, AnyArray | None] = {
        "mislabel_probability": audit.mislabel,
        "suggested_label": audit.suggested,
        "deviation": audit.deviation,
        "outlier_score": audit.outlier,
        "k_occurrences": audit.occurrences,
        "duplicate_of": _first_of_group(audit.duplicate_of, number),
        "near_duplicate_of": _first_of_group(audit.near_duplicate_of, number),
    }
    leaks: dict[int, int] = {}
    if audit.test_row is not None:
        test_number = np.arange(len(audit.test_row)) if test_rows is None else test_rows
        leaks = {int(test_number[row]): int(number[audit.test_row[row]]) for row in flagged["leak"]}
    return AuditTable(
        number,
        tuple(" ".join(sorted(kinds)) for kinds in flags),
        {name: score for name, score in scores.items() if score is not None},
        leaks,
    )


def _first_of_group(first: Rows, number: Rows) -> Rows:
    """Return the number of the first row of each group of duplicates, -1 for single rows."""
    sizes = np.bincount(first, minlength=len(first))
    return np.where(sizes[first] > 1, number[first], -1)
