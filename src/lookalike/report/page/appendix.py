"""The section on reproducibility: columns, decisions, settings and versions."""

from __future__ import annotations

from lookalike.report.page.html import Html, join, table, tag
from lookalike.studies.format import count
from lookalike.studies.results import Study

LISTED = 200  # columns that are listed


def appendix(study: Study) -> Html:
    """Return what was done with each column, every decision, and settings and versions."""
    return join([_columns(study), _decisions(study), _settings(study)])


def _columns(study: Study) -> Html | None:
    if not study.columns:
        return None
    lines = [
        [one.name, one.kind, one.role, one.missing, one.distinct, one.example, one.reason]
        for one in study.columns[:LISTED]
    ]
    more = len(study.columns) - len(lines)
    caption = "Columns" + (f"; {more:,} more are in study.json" if more > 0 else "")
    head = ["column", "kind", "role", "missing", "distinct", "example", "remark"]
    inside = table(caption, head, lines)
    return tag("details", tag("summary", count(len(study.columns), "column")), inside)


def _decisions(study: Study) -> Html | None:
    lines = [[one.about, one.choice, one.reason] for one in study.decisions]
    return table("Decisions", ["about", "choice", "reason"], lines) if lines else None


def _settings(study: Study) -> Html:
    settings = {"source": study.source, "random seed": study.seed, **study.settings}
    lines = [[name, value] for name, value in (settings | study.versions).items()]
    stages = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in study.stages.items())
    return join(
        [
            table("Settings and versions", ["", ""], lines),
            tag("p", f"{study.seconds:.1f} s in all: {stages}.", class_="under"),
        ]
    )
