"""How a page opens: what was studied, the verdict in plain words, and the figures to remember."""

from __future__ import annotations

from lookalike.report.page.curves import least_reached
from lookalike.report.page.format import between, count, percent, spaced
from lookalike.report.page.html import Html, join, tag
from lookalike.studies.results import Study
from lookalike.studies.summary import amount

TASKS = {
    "classification": "telling classes",
    "regression": "telling a number",
    "exploratory": "looking around",
}


def opening(study: Study, nav: Html) -> Html:
    """Return the head of the page."""
    shape = study.shape
    under = [count(shape.n_rows, "row"), count(shape.n_columns, "column"), TASKS[study.task]]
    if study.target is not None:
        under[-1] += f": {study.target.name}"
    return tag(
        "header",
        tag("h1", study.title),
        tag("p", " · ".join(under), class_="under"),
        _verdict(study),
        _facts(study),
        nav,
    )


def _verdict(study: Study) -> Html | None:
    if not study.summary:
        return None
    first, *others = study.summary
    return tag(
        "div",
        tag("p", first.text, class_="first"),
        tag("ul", *(tag("li", finding.text) for finding in others)) if others else None,
        class_="verdict",
        role="note",
        aria_label="Verdict",
    )


def _facts(study: Study) -> Html | None:
    """Return the figures to remember as a row of boxes."""
    found: list[tuple[str, str, str]] = []
    if study.held_out is not None:
        estimate = study.held_out
        found.append(
            (
                "held-out error" if estimate.metric == "error" else "held-out RMSE",
                amount(estimate.metric, estimate.error),
                between(estimate.metric, estimate.interval),
            )
        )
        found.append(
            ("without looking", amount(estimate.metric, estimate.baseline), "the baseline")
        )
    if study.bayes_error is not None:
        low, high = study.bayes_error.low, least_reached(study, study.bayes_error)
        found.append(("best possible error", f"{100 * low:.1f} to {percent(high)}", "any model"))
    if study.intrinsic_dimension is not None:
        told = f"{study.intrinsic_dimension.estimate:.1f}"
        found.append(("dimensions", told, f"of {count(study.shape.n_features, 'feature')}"))
    if study.audit is not None:
        flagged = len({suspect.row for suspect in study.audit.flagged_rows})
        total = sum(study.audit.counts.values())
        told = f"{count(flagged, 'row')} shown below" if total else "nothing stands out"
        found.append(("flags on rows", spaced(total), told))
    boxes = (
        tag("div", tag("dt", name), tag("dd", value, tag("small", note)))
        for name, value, note in found
    )
    return tag("dl", *boxes, class_="facts") if found else join([])
