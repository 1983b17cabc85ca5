"""The part of a page on the models that were compared, and the choices each made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.report.page.format import between
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
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
    told = "; ".join(f"{_named(curve)}: best K {curve.best}" for curve in curves)
    return figure(
        lambda ax: plot_k_curves(curves, ax),
        name="k-curve",
        alt=f"Score of left-out rows for every K. {told}.",
        caption=f"Left-out score of every K, from one search. {told}. Bands: one standard error.",
    )


def _named(curve: KCurve) -> str:
    """Return how votes counted and how rows were left out, in words."""
    votes = {"uniform": "equal votes", "distance": "nearer ones count more"}
    left = {"loo": "each row left out", "cv": "folds left out"}
    return f"{votes.get(curve.weights, curve.weights)}, {left[curve.method]}"


def plot_k_curves(curves: tuple[KCurve, ...], ax: Axes) -> None:
    """Draw the score of every K with one standard error, and mark the best."""
    for number, curve in enumerate(curves):
        color = f"C{number}"
        ax.plot(curve.k, curve.error, color=color, marker=".", label=_named(curve))
        low = [e - s for e, s in zip(curve.error, curve.standard_error, strict=True)]
        high = [e + s for e, s in zip(curve.error, curve.standard_error, strict=True)]
        ax.fill_between(curve.k, low, high, color=color, alpha=0.12, lw=0)
        best = curve.error[curve.k.index(curve.best)]
        ax.plot(curve.best, best, "o", ms=9, mfc="none", color=color)
    ax.set(xlabel="K", ylabel="error" if curves[0].metric == "error" else "RMSE")
    ax.locator_params(axis="x", integer=True)
    ax.legend(fontsize="small")


def _left_out(study: Study) -> Html | None:
    absent = [[one.title, one.skipped] for one in study.candidates if one.skipped]
    return table("Models that were left out", ["model", "why"], absent) if absent else None
