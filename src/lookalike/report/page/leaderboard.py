"""The models as dots with intervals on one axis, a line each; what they are on demand."""

from __future__ import annotations

from lookalike.report.page.html import Html, join, tag
from lookalike.report.page.interval_chart import ChartAxis, Mark, figures, tick_labels, track
from lookalike.studies.format import interval, metric_title, score
from lookalike.studies.results import Candidate, Study
from lookalike.studies.tables import rank


def leaderboard(study: Study) -> Html | None:
    """Return the models that were compared, by what they were selected by, the best first."""
    if study.held_out is None:
        return None
    metric, scoring = study.held_out.metric, study.held_out.scoring
    by_score = scoring not in ("", metric)
    compared = rank(study.candidates, scoring)
    marks = [_mark(candidate, study.winner) for candidate in compared]
    axis = ChartAxis.fit(marks, metric)
    title = f"validation {metric_title(metric)}, 95% CI"
    head = ["model", title, "", *([metric_title(scoring)] if by_score else []), "remark"]
    lines = []
    for candidate, mark in zip(compared, marks, strict=True):
        cells = [
            tag("th", _name(candidate, study), scope="row", class_=mark.kind),
            tag("td", track(mark, axis, candidate.title), class_="dots"),
            tag("td", figures(mark, metric), class_="number"),
        ]
        if by_score:
            value = (
                "–"
                if candidate.validation_score is None
                else score(scoring, candidate.validation_score)
            )
            cells.append(tag("td", value, class_="number"))
        lines.append(tag("tr", *cells, tag("td", _remark(candidate, study), class_="remark")))
    blank = [tag("td")] * (2 + by_score)
    ticks = tag("tr", tag("td"), tag("td", tick_labels(axis), class_="dots"), *blank)
    order = f"validation {metric_title(scoring) if by_score else metric_title(metric)}"
    return tag(
        "table",
        tag("caption", f"Models by {order}, the best first; a name opens to what it is"),
        tag("thead", tag("tr", *(tag("th", text, scope="col") for text in head))),
        tag("tbody", *lines, ticks),
        class_="chart board",
    )


def _mark(candidate: Candidate, winner: str | None) -> Mark:
    kind = (
        "selected"
        if candidate.name == winner
        else "baseline"
        if candidate.name == "baseline"
        else "other"
    )
    if candidate.reference:
        kind = "reference"
    return Mark(kind, candidate.validation_error, candidate.validation_interval)


def _name(candidate: Candidate, study: Study) -> Html:
    """Return the title of a model, which opens to its description and hyperparameters."""
    inside = [candidate.description, candidate.choices, candidate.validation_method]
    if (
        study.winner != candidate.name
        and candidate.difference_interval is not None
        and study.held_out
    ):
        ends = interval(study.held_out.metric, candidate.difference_interval)
        inside.append(f"Difference from the selected model {ends} (95% CI).")
    lines = [tag("div", text, class_="soft") for text in inside if text]
    return (
        tag("details", tag("summary", candidate.title), *lines)
        if lines
        else tag("span", candidate.title)
    )


def _remark(candidate: Candidate, study: Study) -> Html:
    if candidate.name == study.winner and study.held_out is not None:
        error = score(study.held_out.metric, study.held_out.error)
        return join([tag("strong", "selected"), f"; held out {error}"])
    if candidate.stopped:
        return join([candidate.stopped])
    if candidate.reference:
        return join(["reference, not kept"])
    if candidate.equal_within_noise and candidate.difference_interval is not None:
        return tag("span", "equal within noise", class_="equal")
    return join([""])
