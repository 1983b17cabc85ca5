"""The head of a page: what was studied, the summary, and the main figures."""

from __future__ import annotations

from lookalike.report.page.html import Html, join, tag
from lookalike.studies.format import count, interval, score
from lookalike.studies.results import Study
from lookalike.studies.summary import DIMENSION_METHODS, bound_applies
from lookalike.studies.task import TASKS


def header(study: Study, nav: Html) -> Html:
    """Return the head of the page."""
    shape = study.shape
    under = [count(shape.n_rows, "row"), count(shape.n_columns, "column"), study.task]
    if study.target is not None and study.target.name != "target":
        under.append(f"target {study.target.name}")
    return tag(
        "header",
        tag("h1", study.title),
        tag("p", " · ".join(under), class_="under"),
        _summary(study),
        _figures(study),
        nav,
    )


def _summary(study: Study) -> Html | None:
    if not study.summary:
        return None
    first, *others = study.summary
    return tag(
        "div",
        tag("p", first.text, class_="first"),
        tag("ul", *(tag("li", finding.text) for finding in others)) if others else None,
        class_="summary",
        role="note",
        aria_label="Summary",
    )


def _figures(study: Study) -> Html:
    """Return the main figures as a row of boxes."""
    figures: list[tuple[str, str, str]] = []
    scores = study.held_out
    if scores is not None:
        task, metric = TASKS[study.task], scores.metric
        ends = f"95% CI {interval(metric, scores.interval)}"
        title = f"held-out {task.metric_title}"
        figures.append((title, score(metric, scores.error), ends))
        figures.append(("baseline", score(metric, scores.baseline), task.baseline_title))
    bayes = study.bayes_error
    if bayes is not None and scores is not None and bound_applies(bayes, scores):
        ends = interval("error", (bayes.low, bayes.high))
        figures.append(("estimated Bayes error", ends, "nearest-neighbor bound"))
    dimension = study.intrinsic_dimension
    if dimension is not None:
        method = DIMENSION_METHODS.get(dimension.method, dimension.method)
        note = f"{method}, of {count(study.shape.n_features, 'feature')}"
        figures.append(("intrinsic dimension", f"{dimension.estimate:.1f}", note))
    if study.audit is not None:
        shown = len({one.row for one in study.audit.flagged_rows})
        total = sum(study.audit.counts.values())
        note = f"{count(shown, 'row')} shown below" if total else "nothing flagged"
        figures.append(("flags of the data audit", count(total), note))
    boxes = (
        tag("div", tag("dt", name), tag("dd", value, tag("small", note)))
        for name, value, note in figures
    )
    return tag("dl", *boxes, class_="facts") if figures else join([])
