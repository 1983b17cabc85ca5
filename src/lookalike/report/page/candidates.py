"""The section on model selection: the candidates, their hyperparameters and validation errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.neighbors import plot_k_selection, validation_name
from lookalike.studies.format import interval, metric_title, score
from lookalike.studies.results import Candidate, Study
from lookalike.studies.scoring import SCORINGS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REFERENCES_NOTE = (
    " References are models of other kinds at their defaults: they take no part in the selection "
    "and are not kept."
)
NOTE = (
    "All models predicted the same held-out rows, fold by fold, with hyperparameters tuned on the "
    "other folds. The smallest of several validation errors is optimistic: the held-out error of "
    "the selected model is corrected for that, or comes from a test set. A model that was stopped "
    "early cannot be selected."
) + REFERENCES_NOTE


def candidates(study: Study) -> Html | None:
    """Return the table of candidates, the best first, then those skipped and why."""
    if not study.candidates or study.held_out is None:
        return None
    metric = study.held_out.metric
    scored = [one for one in study.candidates if one.validation_error is not None]
    scored.sort(key=lambda one: (one.name != study.winner, one.validation_error))
    name = metric_title(metric)
    head = ["model", "hyperparameters", f"validation {name}", "95% CI", "validation"]
    head += [f"held-out {name}", "95% CI"]
    lines = [_line(one, metric, one.name == study.winner) for one in scored]
    scoring = study.held_out.scoring
    if scoring not in ("", metric):
        head.insert(2, f"validation {SCORINGS[scoring].title}")
        for one, line in zip(scored, lines, strict=True):
            value = one.validation_score
            line.insert(2, "–" if value is None else score(scoring, value))
    skipped = [[one.title, one.skipped] for one in study.candidates if one.skipped]
    return join(
        [
            tag("p", NOTE),
            table("Candidates, the best first", head, lines),
            _k_selection(study, metric),
            table("Skipped candidates", ["model", "reason"], skipped) if skipped else None,
        ]
    )


def _line(one: Candidate, metric: str, wins: bool) -> list[object]:
    title = tag("strong", one.title) if wins else one.title
    ends = interval(metric, one.validation_interval) if one.validation_interval else ""
    error = score(metric, one.validation_error) if one.validation_error is not None else ""
    name = join([title, tag("div", one.description, class_="soft")])
    held_out, around = "–", ""
    if one.held_out_error is not None and one.held_out_interval is not None:
        held_out, around = (
            score(metric, one.held_out_error),
            interval(metric, one.held_out_interval),
        )
    return [name, one.choices, error, ends, one.validation_method, held_out, around]


def _k_selection(study: Study, metric: str) -> Html | None:
    selection = study.k_selection
    if selection is None:
        return None
    best = "; ".join(
        f"{validation_name(method, weights)}: best K {selection.best(method, weights)}"
        for method, weights in selection.curves
    )

    def draw(ax: Axes) -> None:
        plot_k_selection(selection, score=metric, ax=ax).set(title="")
        drawing: Any = ax.get_figure(root=True)
        drawing.draw_without_rendering()  # the legend below leaves less room, and other ticks

    return figure(
        draw,
        name="k-selection",
        alt=f"Validation error of every K. {best}.",
        caption=f"Validation error of every K, with one standard error. {best}.",
    )
