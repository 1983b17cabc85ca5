"""The head of a page: what was studied, the summary, and the main figures."""

from __future__ import annotations

from lookalike.report.page.html import Html, join, tag
from lookalike.studies.evaluate.significance import dimension_is_lower
from lookalike.studies.findings.data import DIMENSION_METHODS
from lookalike.studies.format import count, interval, percent, score
from lookalike.studies.results import Finding, Study
from lookalike.studies.task import TASKS

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
        tag("p", *_sentence(first), class_="first"),
        tag("ul", *(tag("li", *_sentence(finding)) for finding in others)) if others else None,
        class_="summary",
        role="note",
        aria_label="Summary",
    )


def _sentence(finding: Finding) -> list[object]:
    """Return a sentence with a link to its figures."""
    section = SECTION_OF.get(finding.topic)
    if section is None:
        return [finding.text]
    return [finding.text, " ", tag("a", "evidence", href=f"#{section}", class_="evidence")]


def _figures(study: Study) -> Html:
    """Return the main figures as a row of boxes."""
    figures: list[tuple[str, str, str]] = []
    scores = study.held_out
    if scores is not None:
        task, metric = TASKS[study.task], scores.metric
        if _has_rare_classes(study) or scores.scoring not in ("", metric):
            figures += _other_scores(study)
        ends = f"95% CI {interval(metric, scores.interval)}"
        title = f"held-out {task.metric_title}"
        figures.append((title, score(metric, scores.error), ends))
        figures.append(("baseline", score(metric, scores.baseline), task.baseline_title))
    bayes = study.bayes_error
    if bayes is not None and bayes.converged:
        figures.append(("estimated Bayes error", interval("error", bayes.interval), "estimate"))
    elif bayes is not None:
        note = "how far below cannot be said"
        figures.append(("estimated Bayes error", f"≤ {percent(bayes.high)}", note))
    dimension = study.intrinsic_dimension
    if dimension is not None and dimension_is_lower(dimension, study.shape.n_features):
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


def _has_rare_classes(study: Study) -> bool:
    return study.target is not None and bool(study.target.rare_classes)


def _other_scores(study: Study) -> list[tuple[str, str, str]]:
    """Return the score that was requested, and those that imbalanced or ordered classes need."""
    scores = study.held_out
    if scores is None:
        return []
    wanted = {scores.scoring} - {scores.metric}
    if _has_rare_classes(study):
        wanted.add("balanced_accuracy")
    if study.task == "classification" and scores.mae is not None:
        wanted.add("mae")
    return [
        (one.title, score(one.name, one.value), f"95% CI {interval(one.name, one.interval)}")
        for one in scores.scores
        if one.name in wanted
    ]
