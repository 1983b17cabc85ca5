"""The part of a page on the models that were compared, and the choices each made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.report.page.format import between
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.neighbors import SCORES, plot_k_curve, validation_name
from lookalike.studies.analysis_results import KCurve
from lookalike.studies.results import Candidate, Study
from lookalike.studies.summary import amount

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def candidates(study: Study) -> Html | None:
    """Return the table of models, the best first, then those left out and why."""
    if not study.candidates:
        return None
    measure = study.held_out.metric if study.held_out else "error"
    scored = [one for one in study.candidates if one.validation_error is not None]
    scored.sort(key=lambda one: (one.name != study.winner, one.validation_error))
    told = (
        "Each model made its own choices on the training rows, and was scored on training rows it "
        "had not learned from. The best of many looks better than it is: the honest figure is the "
        "one above."
    )
    head = ["model", "chosen", "score", "interval", "left out by"]
    lines = [_line(one, measure, one.name == study.winner) for one in scored]
    return join(
        [
            tag("p", told),
            table("Models, the best first", head, lines),
            _curves(study.k_curves),
            _left_out(study),
        ]
    )


def _line(one: Candidate, measure: str, wins: bool) -> list[object]:
    chosen = ", ".join(f"{name} {value}" for name, value in one.hyperparameters.items())
    title = tag("strong", one.title) if wins else one.title
    ends = between(measure, one.validation_interval) if one.validation_interval else ""
    score = amount(measure, one.validation_error) if one.validation_error is not None else ""
    name = join([title, tag("div", one.description, class_="soft")])
    return [name, chosen, score, ends, one.validation_method]


def _curves(curves: tuple[KCurve, ...]) -> Html | None:
    if not curves:
        return None
    names = [validation_name(curve.method, curve.weights) for curve in curves]
    best = "; ".join(
        f"{name}: best K {curve.best}" for name, curve in zip(names, curves, strict=True)
    )

    def draw(ax: Axes) -> None:
        for name, curve in zip(names, curves, strict=True):
            plot_k_curve(curve.k, curve.error, curve.standard_error, curve.best, label=name, ax=ax)
        ax.set(ylabel=SCORES[curves[0].metric], title="")

    return figure(
        draw,
        name="k-curve",
        alt=f"Validation error of every K. {best}.",
        caption=f"Validation error of every K, with one standard error. {best}.",
    )


def _left_out(study: Study) -> Html | None:
    absent = [[one.title, one.skipped] for one in study.candidates if one.skipped]
    return table("Models that were left out", ["model", "why"], absent) if absent else None
