"""The section on leakage: columns that nearly determine the target."""

from __future__ import annotations

from lookalike.report.page.html import Html, join, table, tag
from lookalike.studies.findings.leakage import LEAK_KINDS, has_other_columns
from lookalike.studies.format import count, score
from lookalike.studies.results import Study
from lookalike.studies.task import TASKS_BY_NAME


def leakage(study: Study) -> Html | None:
    """Return the columns that nearly determine the target, with what they and the others leave."""
    if study.leakage is None or study.held_out is None:
        return None
    metric, title = study.held_out.metric, TASKS_BY_NAME[study.task].metric_title
    others = has_other_columns(study)
    lines = [
        [
            ", ".join(leak.columns),
            LEAK_KINDS[leak.kind],
            score(metric, leak.error),
            score(metric, leak.error_of_others) if others else "–",
            leak.method,
            "yes" if leak.used else "no",
            count(leak.n_rows),
        ]
        for leak in study.leakage.leaks
    ]
    head = [
        "columns",
        "determine the target",
        title,
        f"{title} of all others",
        "by",
        "used",
        "rows",
    ]
    note = (
        "Columns that give the target away, by cross-validated small models. They may be what is "
        "to be predicted under another name, or be known only afterwards: a model that uses them "
        "then fails on new rows. Or they are simply very good features: only you know."
    )
    parts = [tag("p", note), table("Columns that nearly determine the target", head, lines)]
    if study.leakage.winner_without:
        text = f"The best model without them: {study.leakage.winner_without}."
        parts.append(tag("p", text))
    return join(parts)
