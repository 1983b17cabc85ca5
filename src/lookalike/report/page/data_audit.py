"""The section on the data audit: label errors, duplicates, leakage, outliers, hubs."""

from __future__ import annotations

from lookalike.printable import number
from lookalike.report.page.duplicate_groups import duplicate_groups
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.row_cards import row_card
from lookalike.studies.analysis_results import AuditSummary, FlaggedRow
from lookalike.studies.findings.data import FLAG_TITLES
from lookalike.studies.format import count, percent
from lookalike.studies.results import Study

FLAG_MEANINGS = {
    "mislabel": "models and neighbors expect another",
    "conflict": "duplicates with different {target}s",
    "leak": "held-out rows with an exact or near duplicate in training",
    "duplicate": "equal in every feature",
    "near_duplicate": "far nearer to each other than to the next neighbors",
    "empty": "no words",
    "outlier": "far from their neighbors, compared with others",
    "hub": "among the nearest neighbors of unusually many rows",
}
FLAG_SCORE_NAMES = {
    "mislabel": "probability",
    "outlier": "robust deviations",
    "hub": "k-occurrences",
}
MAX_ROWS_SHOWN = 12  # of each kind
OPEN_CARDS = 4  # that are shown before the others are asked for
GROUPED_FLAGS = ("duplicate", "near_duplicate", "conflict")  # kinds that are shown group by group


def flagged_rows(study: Study) -> Html | None:
    """Return how many rows of each kind there are, and the worst with their neighbors."""
    if study.audit is None:
        return None
    return join([_counts(study.audit), *(_kind(study.audit, kind) for kind in FLAG_MEANINGS)])


def _counts(audit: AuditSummary) -> Html:
    lines = [
        [
            _title(audit, kind),
            count(n),
            _share(n, audit.n_rows),
            FLAG_MEANINGS[kind].format(target=audit.target_title),
        ]
        for kind, n in audit.counts.items()
    ]
    note = f"{count(audit.n_rows, 'row')} audited by {audit.k} neighbors each; see audit.csv."
    if audit.noise_rate is not None and audit.counts.get("mislabel"):
        note += f" Estimated share of wrong {audit.target_title}s: {percent(audit.noise_rate)}."
    head = ["kind", "rows", "share", "criterion"]
    return join([tag("p", note), table("Flagged rows", head, lines)])


def _kind(audit: AuditSummary, kind: str) -> Html | None:
    rows = [row for row in audit.flagged_rows if row.kind == kind][:MAX_ROWS_SHOWN]
    if not rows:
        return None
    title = tag("h3", _title(audit, kind), id=f"audit-{kind}")
    if kind in GROUPED_FLAGS:
        return join([title, duplicate_groups(audit, kind, rows)])
    total = audit.counts.get(kind, len(rows))
    which = "All" if len(rows) == total else f"Worst {len(rows)} of"
    ordered = f" by {FLAG_SCORE_NAMES[kind]}" if kind in FLAG_SCORE_NAMES else ""
    cards = [row_card(row, _score(row)) for row in rows]
    first, others = cards[:OPEN_CARDS], cards[OPEN_CARDS:]
    more = tag(
        "details", tag("summary", f"{len(others)} more"), tag("div", *others, class_="cards")
    )
    return join(
        [
            title,
            tag(
                "p",
                f"{which} {count(total)}{ordered}, each beside its nearest rows.",
                class_="under",
            ),
            tag("div", *first, class_="cards"),
            more if others else None,
        ]
    )


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


def _score(row: FlaggedRow) -> str:
    if row.kind == "mislabel":
        return f"wrong with a probability of {percent(row.score)}"
    return (
        f"{number(row.score)} {FLAG_SCORE_NAMES[row.kind]}" if row.kind in FLAG_SCORE_NAMES else ""
    )
