"""The section on the data audit: label errors, duplicates, leakage, outliers, hubs."""

from __future__ import annotations

from lookalike.printable import number
from lookalike.report.page.cards import card
from lookalike.report.page.html import Html, join, table, tag
from lookalike.studies.analysis_results import AuditSummary, FlaggedRow, Neighbor
from lookalike.studies.findings.data import FLAG_TITLES
from lookalike.studies.format import count, percent
from lookalike.studies.results import Study

MEANINGS = {
    "mislabel": "models and neighbors expect another",
    "conflict": "duplicates with different {target}s",
    "leak": "held-out rows with an exact or near duplicate in training",
    "duplicate": "equal in every feature",
    "near_duplicate": "far nearer to each other than to the next neighbors",
    "empty": "no words",
    "outlier": "far from their neighbors, compared with others",
    "hub": "among the nearest neighbors of unusually many rows",
}
SCORES = {"mislabel": "probability", "outlier": "robust deviations", "hub": "k-occurrences"}
SHOWN = 12  # rows of each kind


def flagged_rows(study: Study) -> Html | None:
    """Return how many rows of each kind there are, and the worst with their neighbors."""
    if study.audit is None:
        return None
    return join([_counts(study.audit), *(_kind(study.audit, kind) for kind in MEANINGS)])


def _counts(audit: AuditSummary) -> Html:
    lines = [
        [
            _title(audit, kind),
            count(n),
            _share(n, audit.n_rows),
            MEANINGS[kind].format(target=audit.target_title),
        ]
        for kind, n in audit.counts.items()
    ]
    note = f"{count(audit.n_rows, 'row')} audited by {audit.k} neighbors each; see audit.csv."
    if audit.noise_rate is not None and audit.counts.get("mislabel"):
        note += f" Estimated share of wrong {audit.target_title}s: {percent(audit.noise_rate)}."
    head = ["kind", "rows", "share", "criterion"]
    return join([tag("p", note), table("Flagged rows", head, lines)])


def _kind(audit: AuditSummary, kind: str) -> Html | None:
    rows = [one for one in audit.flagged_rows if one.kind == kind][:SHOWN]
    if not rows:
        return None
    head = ["row number", SCORES.get(kind, ""), "row", "nearest neighbors"]
    lines = [
        [one.row, _score(one), card(one), join(_neighbor(one, other) for other in one.neighbors)]
        for one in rows
    ]
    total = audit.counts.get(kind, len(rows))
    caption = (
        f"All {count(total)}" if len(rows) == total else f"Worst {len(rows)} of {count(total)}"
    )
    return join([tag("h3", _title(audit, kind)), table(caption, head, lines)])


def _title(audit: AuditSummary, kind: str) -> str:
    """Return the name of a kind."""
    if kind == "leak":
        return "Train/test leakage"
    _, several = FLAG_TITLES[kind]
    return (several[0].upper() + several[1:]).format(target=audit.target_title)


def _share(n_rows: int, total: int) -> str:
    """Return a share that is never rounded to nothing."""
    share = n_rows / max(total, 1)
    return "< 0.1%" if 0 < share < 0.0005 else percent(share)


def _score(one: FlaggedRow) -> str:
    if one.kind == "mislabel":
        return percent(one.score)
    return number(one.score) if one.kind in SCORES else ""


def _neighbor(one: FlaggedRow, other: Neighbor) -> Html:
    """Return a neighbor as a card, of its columns those that differ."""
    differ = {name: cell for name, cell in other.values.items() if one.values.get(name) != cell}
    return card(other, differ)
