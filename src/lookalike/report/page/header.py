"""The head of a page: what was studied and the first screen; findings in sentences."""

from __future__ import annotations

from lookalike.report.page.first_screen import first_screen
from lookalike.report.page.html import Html, tag
from lookalike.studies.format import count
from lookalike.studies.overview import left_out_rows
from lookalike.studies.results import Finding, Study

SECTION_OF = {  # of each topic: where its figures are shown
    "calibration": "calibration",
    "prediction_intervals": "residuals",
    "target": "columns",
    "columns": "columns",
    "leakage": "leakage",
    "model": "held-out",
    "duplicates": "held-out",
    "time": "held-out",
    "groups": "held-out",
    "bayes_error": "limits",
    "learning_curve": "limits",
    "prototype_selection": "limits",
    "clustering": "structure",
    "intrinsic_dimension": "structure",
    "audit": "audit",
    "feature_importance": "features",
}


def header(study: Study, nav: Html) -> Html:
    """Return the head of the page."""
    return tag("header", *title_lines(study), first_screen(study), nav)


def title_lines(study: Study) -> list[Html]:
    """Return the title, and below it how many rows and columns of what were studied."""
    shape = study.shape
    under = [count(shape.n_rows, "row"), count(shape.n_columns, "column"), study.task]
    if study.target is not None and study.target.name != "target":
        under.append(f"target {study.target.name}")
    under += left_out_rows(study)
    return [tag("h1", study.title), tag("p", " · ".join(under), class_="under")]


def findings(study: Study) -> Html | None:
    """Return the findings in sentences, each with a link to its figures."""
    if not study.summary:
        return None
    return tag("ul", *(tag("li", *_sentence(claim)) for claim in study.summary), class_="findings")


def _sentence(finding: Finding) -> list[object]:
    """Return a sentence with a link to its figures."""
    section = SECTION_OF.get(finding.topic)
    if section is None:
        return [finding.text]
    return [finding.text, " ", tag("a", "evidence", href=f"#{section}", class_="evidence")]
