"""The first screen of a page: the verdict, two pictures, what to do next, what was skipped."""

from __future__ import annotations

from lookalike.report.page.data_figure import data_figure
from lookalike.report.page.html import Html, join, tag
from lookalike.report.page.interval_chart import Mark, chart
from lookalike.studies.format import count, metric_title
from lookalike.studies.overview import (
    actions,
    comparison_note,
    complete_command,
    estimates,
    selected_model,
    selection_note,
    skipped_work,
    verdict,
)
from lookalike.studies.results import Study


def first_screen(study: Study) -> Html:
    """Return what a reader sees before scrolling."""
    return tag(
        "div",
        tag("p", verdict(study), class_="verdict"),
        _model(study),
        _rare_classes(study),
        _skipped(study),
        tag("div", tag("div", _chart(study), _actions(study)), data_figure(study), class_="first"),
        class_="summary",
        role="note",
        aria_label="Summary",
    )


def _model(study: Study) -> Html | None:
    """Return which model that is, and on which rows its error was measured."""
    selected, scores = selected_model(study), study.held_out
    if selected is None or scores is None:
        return None
    rows = count(scores.n_rows, "held-out row")
    split = study.shape.split  # which may begin with the number of rows held out
    on = f"held out: {split}" if split.startswith(rows.split()[0]) else f"{rows}: {split}"
    measured = join([tag("strong", selected.title), f" · {on}."])
    return tag("p", measured, " ", selection_note(study), class_="under")


def _rare_classes(study: Study) -> Html | None:
    """Return the recall of rare classes, which the error says little of."""
    stated = [claim.text for claim in study.summary if claim.kind == "rare_classes"]
    return tag("p", stated[0], class_="rare") if stated else None


def _skipped(study: Study) -> Html | None:
    text = skipped_work(study)
    if not text:
        return None
    return tag("p", text, " All of it: ", tag("code", complete_command(study)), class_="skipped")


def _chart(study: Study) -> Html | None:
    shown = estimates(study)
    if not shown or study.held_out is None:
        return None
    metric = study.held_out.metric
    title = metric_title(metric)
    caption = f"{title[:1].upper()}{title[1:]} with 95% CI"
    note = comparison_note(study)
    if note and any(estimate.kind == "runner_up" for estimate in shown):
        caption += f"; {note}"
    lines = [
        (estimate.title, Mark(estimate.kind, estimate.value, estimate.interval, estimate.compared))
        for estimate in shown
    ]
    return chart(lines, metric, f"{caption}.")


def _actions(study: Study) -> Html | None:
    todo = actions(study)
    if not todo:
        return None
    items = (
        tag("li", tag("a", action.text, href=f"#{action.section}", class_="action"))
        for action in todo
    )
    return tag("div", tag("h2", "What to do next"), tag("ol", *items), class_="actions")
