"""The section on reproducibility: decisions, settings and versions."""

from __future__ import annotations

from lookalike.report.page.html import Html, join, table, tag
from lookalike.studies.results import Study


def appendix(study: Study) -> Html:
    """Return every decision, and settings and versions."""
    return join([_decisions(study), _settings(study)])


def _decisions(study: Study) -> Html | None:
    lines = [[decision.about, decision.choice, decision.reason] for decision in study.decisions]
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
