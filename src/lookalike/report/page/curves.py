"""The section on limits: learning curve, estimated Bayes error, prototype selection."""

from __future__ import annotations

from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.learning_curve import plot_learning_curve
from lookalike.studies.format import count, interval, percent, score
from lookalike.studies.results import Study
from lookalike.studies.summary import bound_applies, on_bayes_error, on_prototypes


def limits(study: Study) -> Html | None:
    """Return the learning curve, the estimated Bayes error, and the prototypes."""
    parts = [_learning_curve(study), _bayes_error(study), _prototypes(study)]
    return join(parts) if any(parts) else None


def _learning_curve(study: Study) -> Html | None:
    curve, ahead = study.learning_curve, study.forecast
    if curve is None or ahead is None:
        return None
    metric = curve.score
    lines = [
        [count(n), score(metric, error), interval(metric, (low, high))]
        for n, error, low, high in zip(
            *(values.tolist() for values in (ahead.train_sizes, *ahead[1:])), strict=True
        )
    ]
    sizes, errors = curve.train_sizes.tolist(), curve.error.tolist()
    alt = (
        f"Learning curve: {score(metric, errors[0])} with {count(sizes[0], 'row')}, "
        f"{score(metric, errors[-1])} with {count(sizes[-1], 'row')}."
    )
    drawn = figure(
        lambda ax: plot_learning_curve(curve, ax=ax).set(title=""),
        name="learning-curve",
        alt=alt,
        caption=f"Learning curve of {curve.k}-NN (leave-one-out), continued as a power law.",
    )
    title = "error" if metric == "error" else metric.upper()
    head = ["rows", f"forecast {title}", "95% CI"]
    return tag("div", drawn, table("Forecast", head, lines), class_="pair")


def _bayes_error(study: Study) -> Html | None:
    bayes, finding = study.bayes_error, on_bayes_error(study)
    if bayes is None or study.held_out is None or finding is None:
        return None
    text = finding.text
    if bound_applies(bayes, study.held_out):
        text += (
            f" In the limit of many rows the error of 1-NN, here {percent(bayes.error)} by "
            "leave-one-out, is at most twice the Bayes error [Cover and Hart, 1967]; with fewer "
            "rows the lower end may be too high."
        )
    return join([tag("h3", "Estimated Bayes error"), tag("p", text)])


def _prototypes(study: Study) -> Html | None:
    if study.prototype_selection is None:
        return None
    text = on_prototypes(study.prototype_selection).text
    return join([tag("h3", "Prototype selection (condensed 1-NN)"), tag("p", text)])
