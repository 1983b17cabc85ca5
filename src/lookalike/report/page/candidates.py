"""The section on model selection: the candidates, their hyperparameters and validation errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.leaderboard import leaderboard
from lookalike.report.page.svg import figure
from lookalike.report.plots.neighbors import plot_k_selection, validation_name
from lookalike.studies.results import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REFERENCES_NOTE = (
    " References are models of other kinds at their defaults: they take no part in the selection "
    "and are not kept."
)
CANDIDATES_NOTE = (
    "All models predicted the same held-out rows, fold by fold, with hyperparameters tuned on the "
    "other folds. The smallest of several validation errors is optimistic: the held-out error of "
    "the selected model is corrected for that, or comes from a test set. A model that was stopped "
    "early cannot be selected."
) + REFERENCES_NOTE


def candidates(study: Study) -> Html | None:
    """Return the models as dots with intervals, then those that were not compared and why."""
    if not study.candidates or study.held_out is None:
        return None
    skipped = [
        [candidate.title, candidate.skipped] for candidate in study.candidates if candidate.skipped
    ]
    return join(
        [
            leaderboard(study),
            tag("p", CANDIDATES_NOTE),
            _k_selection(study, study.held_out.metric),
            table("Not compared", ["model", "reason"], skipped) if skipped else None,
        ]
    )


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
        percent="y" if metric == "error" else "",
    )
