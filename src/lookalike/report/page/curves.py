"""The part of a page on what more rows would bring, and what no model can beat."""

from __future__ import annotations

from lookalike.explain.bounds import BayesBracket
from lookalike.report.page.format import between, count, percent, spaced
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.learning_curve import plot_learning_curve
from lookalike.studies.results import Study
from lookalike.studies.summary import amount


def more_rows(study: Study) -> Html | None:
    """Return the learning curve, the bracket of the best possible error, and the condensed set."""
    parts = [_curve(study), _bracket(study), _condensed(study)]
    return join(parts) if any(parts) else None


def _curve(study: Study) -> Html | None:
    curve, ahead = study.learning_curve, study.forecast
    if curve is None or ahead is None:
        return None
    measure = curve.score
    lines = [
        [spaced(n), amount(measure, error), between(measure, (low, high))]
        for n, error, low, high in zip(
            ahead.train_sizes, ahead.error, ahead.low, ahead.high, strict=True
        )
    ]
    first, last = curve.error[0], curve.error[-1]
    alt = (
        f"Learning curve: with {curve.train_sizes[0]} rows {amount(measure, first)}, "
        f"with {curve.train_sizes[-1]} rows {amount(measure, last)}."
    )
    drawn = figure(
        lambda ax: plot_learning_curve(curve, ax=ax).set(title=""),
        name="learning",
        alt=alt,
        caption=f"Error of the {_voters(curve.k)} against rows, and where it is heading.",
    )
    listed = table("What more rows would bring", ["rows", "forecast", "interval"], lines)
    return tag("div", drawn, listed, class_="pair")


def _voters(k: int) -> str:
    return "nearest neighbor" if k == 1 else f"{k} nearest neighbors"


def least_reached(study: Study, bracket: BayesBracket) -> float:
    """Return the upper end of the bracket, or the error of the winner where that is less."""
    error = bracket.high if study.held_out is None else study.held_out.error
    return min(error, bracket.high) if error >= bracket.low else bracket.high


def _bracket(study: Study) -> Html | None:
    found = study.bayes_error
    if found is None:
        return None
    told = (
        f"One nearest neighbor errs on {percent(found.error)} of "
        f"{count(found.n_rows or 0, 'row')}. In the limit of many rows its error is at most twice "
        "that of the best possible model [Cover and Hart, 1967], so the best possible error lies "
        f"between {percent(found.low)} and {percent(found.high)}; with the doubt of the sample, "
        f"between {percent(found.interval[0])} and {percent(found.interval[1])}."
    )
    reached = least_reached(study, found)
    if reached < found.high:
        told += f" The model shows that {percent(reached)} can be reached."
    return join([tag("h3", "What no model can beat"), tag("p", told)])


def _condensed(study: Study) -> Html | None:
    found = study.prototype_selection
    if found is None:
        return None
    share = percent(found.n_prototypes / found.n_train)
    told = (
        f"{count(found.n_prototypes, 'row')} of {spaced(found.n_train)} ({share}) answer "
        f"the held-out rows by one nearest neighbor with {percent(found.error)} errors "
        f"(95 %: {between('error', found.interval)}), where all of them give "
        f"{percent(found.error_all_rows)}."
    )
    return join([tag("h3", "How few rows do as well"), tag("p", told)])
