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
    marks = [_mark(one, study.winner) for one in compared]
    axis = ChartAxis.fit(marks, metric)
    title = f"validation {metric_title(metric)}, 95% CI"
    head = ["model", title, "", *([metric_title(scoring)] if by_score else []), "remark"]
    lines = []
    for one, mark in zip(compared, marks, strict=True):
        cells = [
            tag("th", _name(one, study), scope="row", class_=mark.kind),
            tag("td", track(mark, axis, one.title), class_="dots"),
            tag("td", figures(mark, metric), class_="number"),
        ]
        if by_score:
            value = "–" if one.validation_score is None else score(scoring, one.validation_score)
            cells.append(tag("td", value, class_="number"))
        lines.append(tag("tr", *cells, tag("td", _remark(one, study), class_="remark")))
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


def _mark(one: Candidate, winner: str | None) -> Mark:
    kind = "selected" if one.name == winner else "baseline" if one.name == "baseline" else "other"
    if one.reference:
        kind = "reference"
    return Mark(kind, one.validation_error, one.validation_interval)


def _name(one: Candidate, study: Study) -> Html:
    """Return the title of a model, which opens to its description and hyperparameters."""
    inside = [one.description, one.choices, one.validation_method]
    if study.winner != one.name and one.difference_interval is not None and study.held_out:
        ends = interval(study.held_out.metric, one.difference_interval)
        inside.append(f"Difference from the selected model {ends} (95% CI).")
    lines = [tag("div", text, class_="soft") for text in inside if text]
    return tag("details", tag("summary", one.title), *lines) if lines else tag("span", one.title)


def _remark(one: Candidate, study: Study) -> Html:
    if one.name == study.winner and study.held_out is not None:
        error = score(study.held_out.metric, study.held_out.error)
        return join([tag("strong", "selected"), f"; held out {error}"])
    if one.stopped:
        return join([one.stopped])
    if one.reference:
        return join(["reference, not kept"])
    if one.equal_within_noise and one.difference_interval is not None:
        return tag("span", "equal within noise", class_="equal")
    return join([""])
