"""The section on limits: learning curve, estimated Bayes error, prototype selection."""

from __future__ import annotations

from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.learning_curve import plot_learning_curve
from lookalike.studies.findings.limits import bayes_error, prototype_selection
from lookalike.studies.format import count, interval, metric_title, percent, score
from lookalike.studies.results import Study


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
        percent="y" if metric == "error" else "",
    )
    title = metric_title(metric)
    head = ["rows", f"forecast {title}", "95% CI"]
    return tag("div", drawn, table("Forecast", head, lines), class_="pair")


def _bayes_error(study: Study) -> Html | None:
    bayes, finding = study.bayes_error, bayes_error(study)
    if bayes is None or finding is None:
        return None
    note = (
        "What any model reached bounds the Bayes error from above. From below it is an estimate: "
        "the errors of 1-NN and of models at fixed settings, on rows they were not fitted on, are "
        "extrapolated to infinitely many rows (as n^−1 and n^−1/2), where that of 1-NN is at most "
        "twice the Bayes error [Cover and Hart, 1967]."
    )
    head = ["on", "half of the rows", "all rows", "extrapolated limit, at least"]
    lines = [
        [one.title, percent(one.error_half), percent(one.error), percent(one.limit)]
        for one in (*bayes.representations, *bayes.references)
    ]
    head[0] = "1-NN on a representation, or model"
    inside = table("Errors that the estimate rests on", head, lines)
    details = tag("details", tag("summary", "Errors that the estimate rests on"), inside)
    return join(
        [tag("h3", "Estimated Bayes error"), tag("p", finding.text), tag("p", note), details]
    )


def _prototypes(study: Study) -> Html | None:
    finding = prototype_selection(study)
    if finding is None:
        return None
    return join([tag("h3", "Prototype selection (condensed 1-NN)"), tag("p", finding.text)])
