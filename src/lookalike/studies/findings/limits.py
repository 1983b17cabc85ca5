"""Claims on limits: the estimated Bayes error, the learning curve, prototype selection."""

from __future__ import annotations

from lookalike.studies.findings.claim import Figures, claim
from lookalike.studies.findings.splits import is_for_other_rows
from lookalike.studies.format import interval, is_percentage, metric_title, percent, score
from lookalike.studies.results import Study

VISIBLE_DIFFERENCE = 0.05  # of errors, that held-out rows must be able to show
UNWEIGHTED_NEIGHBORS = ("nearest", "knn")  # names of candidates
MIN_FORECAST_GAIN = 0.002  # by which twice the rows must lower an error rate


@claim(
    "bayes_error",
    scope="any model, new rows of the same distribution",
    method="95% interval of the best model; 1-NN and learning curves extrapolated",
)
def bayes_error(study: Study, write: Figures) -> str | None:
    """State the estimated Bayes error where both ends are known; else it says nothing new."""
    bayes, scores = study.bayes_error, study.held_out
    if bayes is None or scores is None or not bayes.converged or bayes.low == 0:
        return None  # the upper end alone repeats the interval of the error
    if is_for_other_rows(study):
        return None
    best = f"{bayes.reached.title.removeprefix('Reference: ')}, {bayes.reached.method}"
    ends = interval("error", (bayes.low, bayes.high))
    text = (
        f"Estimated Bayes error {write.text('bayes_error.low|bayes_error.high', ends)} (upper end: "
        f"95% CI of {best}; lower end, from {write.count('bayes_error.n_rows')} rows: limits of "
        f"1-NN on {bayes.representation.title} by Cover and Hart's bound, and of "
        f"{_named(bayes.curve.title)} by its learning curve)."
    )
    if scores.interval[0] > bayes.high:
        own_error = write.percent("held_out.error")
        text += f" The held-out error of {own_error} is above it: a better model is possible."
    return text


def _named(title: str) -> str:
    """Return the name of a reference in a sentence.

    >>> _named("random forest"), _named("5-NN"), _named("logistic regression")
    ('a random forest', '5-NN', 'logistic regression')
    """
    return f"a {title}" if title.startswith(("random", "decision")) else title


@claim("learning_curve", scope="K nearest neighbors, leave-one-out", method="power law")
def learning_curve(study: Study, write: Figures) -> str | None:
    """Say by how much more rows would lower the error of the kept model, where that is K-NN."""
    curve, ahead = study.learning_curve, study.forecast
    if curve is None or ahead is None or not _is_of_kept_model(study, curve.k):
        return None
    if is_for_other_rows(study):
        return None
    metric = curve.score
    now, twice = float(ahead.error[0]), float(ahead.error[1])
    ends = float(ahead.low[1]), float(ahead.high[1])
    little = is_percentage(metric) and now - twice < MIN_FORECAST_GAIN
    if ends[1] >= now or little or score(metric, twice) == score(metric, now):
        return None  # no gain that is more than the uncertainty of the forecast
    around = write.text("forecast.low.1|forecast.high.1", interval(metric, ends))
    return (
        f"Learning curve ({curve.k}-NN, continued as a power law): {metric_title(metric)} "
        f"{write.score('forecast.error.0', metric)} with all rows, forecast "
        f"{write.score('forecast.error.1', metric)} (95% CI {around}) with twice the rows and "
        f"{write.score('forecast.error.3', metric)} with ten times the rows."
    )


def _is_of_kept_model(study: Study, k: int) -> bool:
    """Return whether the model that is kept is a majority or mean of `k` neighbors."""
    kept = next(
        (candidate for candidate in study.candidates if candidate.name == study.winner), None
    )
    chosen = {} if kept is None else kept.hyperparameters
    unweighted = chosen.get("weights", "uniform") == "uniform"
    return study.winner in UNWEIGHTED_NEIGHBORS and unweighted and chosen.get("K") == str(k)


@claim("prototype_selection", scope="1-NN, the same held-out rows", method="Wilson's interval")
def prototype_selection(study: Study, write: Figures) -> str | None:
    """Compare 1-NN on prototypes with 1-NN on all training rows, where a difference would be seen.

    It is shown in the report alone.
    """
    selection = study.prototype_selection
    if selection is None:
        return None
    low, high = selection.interval
    if high - low > 2 * VISIBLE_DIFFERENCE or low > selection.error_all_rows:
        return None
    path = "prototype_selection"
    share = percent(selection.n_prototypes / selection.n_train)
    lower = high < selection.error_all_rows
    compared = "a significantly lower error" if lower else "no significant difference detected"
    return (
        f"Prototype selection (condensed 1-NN): {write.count(f'{path}.n_prototypes')} of "
        f"{write.count(f'{path}.n_train')} training rows ({share}) have a held-out error of "
        f"{write.estimate(path, ('error', 'interval', 'n_held_out'), 'error')}, all of them "
        f"{write.percent(f'{path}.error_all_rows')}: {compared}."
    )
