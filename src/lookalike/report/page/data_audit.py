"""The part of a page on single rows: doubtful labels, duplicates, leaks, outliers, hubs."""

from __future__ import annotations

from lookalike.report.page.cards import card
from lookalike.report.page.format import count, percent
from lookalike.report.page.html import Html, join, table, tag
from lookalike.studies.analysis_results import AuditSummary, FlaggedRow, Neighbor
from lookalike.studies.results import Study

KINDS = {
    "mislabel": ("{Doubted}s that are probably wrong", "their neighbors' {doubted}s are others"),
    "conflict": ("The same row under two {doubted}s", "rows alike, {doubted}s not"),
    "leak": ("Test rows that training has seen", "the estimate may be too good"),
    "duplicate": ("Rows that are there twice", "equal in every column"),
    "near_duplicate": ("Rows that are nearly the same", "much nearer than rows usually are"),
    "outlier": ("Rows far from all others", "lonely beside their neighbors"),
    "hub": ("Rows that are near to too many others", "neighbors of many more rows than usual"),
}
SHOWN = 12  # rows of each kind


def suspects(study: Study) -> Html | None:
    """Return how many rows of each kind there are, and the worst with their neighbors."""
    found = study.audit
    if found is None:
        return None
    return join([_counts(found), *(_kind(found, kind) for kind in KINDS)])


def _counts(found: AuditSummary) -> Html:
    lines = [
        [_title(found, kind), times, percent(times / max(found.n_rows, 1)), _title(found, kind, 1)]
        for kind, times in found.counts.items()
    ]
    told = f"{count(found.n_rows, 'row')} looked at, {found.k} neighbors each; audit.csv has all."
    if found.noise_rate is not None and found.counts.get("mislabel"):
        told += f" Estimated share of wrong {found.target_kind}s: {percent(found.noise_rate)}."
    head = ["", "rows", "share", "how it shows"]
    return join([tag("p", told), table("What was found", head, lines)])


def _kind(found: AuditSummary, kind: str) -> Html | None:
    rows = [one for one in found.flagged_rows if one.kind == kind][:SHOWN]
    if not rows:
        return None
    head = ["row", _measure(kind), "it", "its neighbors"]
    lines = [
        [one.row, _score(one), card(one), join(_beside(one, other) for other in one.neighbors)]
        for one in rows
    ]
    total = found.counts.get(kind, len(rows))
    caption = "All of them" if len(rows) == total else f"The worst {len(rows)} of {total}"
    return join([tag("h3", _title(found, kind)), table(caption, head, lines)])


def _title(found: AuditSummary, kind: str, place: int = 0) -> str:
    """Return the name of a kind, or how it shows, in words for labels or for numbers."""
    words = {"doubted": found.target_kind, "Doubted": found.target_kind.capitalize()}
    return KINDS[kind][place].format(**words)


def _measure(kind: str) -> str:
    named = {"mislabel": "probability", "outlier": "deviations", "hub": "times a neighbor"}
    return named.get(kind, "")


def _score(one: FlaggedRow) -> str:
    if one.kind == "mislabel":
        return percent(one.score)
    return f"{one.score:.3g}" if one.kind in ("outlier", "hub") else ""


def _beside(one: FlaggedRow, other: Neighbor) -> Html:
    """Return a neighbor as a card, of its columns those that differ."""
    differ = {name: cell for name, cell in other.values.items() if one.values.get(name) != cell}
    return card(other, differ)
