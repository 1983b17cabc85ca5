"""Findings on limits: the estimated Bayes error, the learning curve, prototype selection."""

from __future__ import annotations

from lookalike.studies.analysis_results import PrototypeSelection
from lookalike.studies.findings.evidence import StatedFigures
from lookalike.studies.format import interval, is_percentage, metric_title, percent, score
from lookalike.studies.results import Finding, Study

VISIBLE = 0.05  # difference of errors that held-out rows must be able to show
LEAST_POINTS = 0.002  # by which twice the rows must lower an error rate to be worth a sentence


def on_bayes_error(study: Study) -> Finding | None:
    """State the estimated Bayes error with its method, and what remains to be gained."""
    bayes, scores = study.bayes_error, study.held_out
    if bayes is None or scores is None:
        return None
    say = StatedFigures()
    high = say.share("bayes_error.high", bayes.high)
    best = f"{bayes.reached.title.removeprefix('Reference: ')}, {bayes.reached.method}"
    if not bayes.converged:
        n_rows = say.count("bayes_error.n_rows", bayes.n_rows)
        text = (
            f"Estimated Bayes error: at most {high} (upper end of the 95% CI of {best}). How far "
            f"below cannot be said from {n_rows} rows: "
        )
        curve = bayes.curve
        if bayes.undecided == "baseline":
            text += "no model is clearly better than the baseline."
        elif bayes.undecided == "kinds":
            least = say.share("bayes_error.curve.error", curve.error)
            other = say.share("bayes_error.other_kind.error", bayes.other_kind.error)
            text += (
                f"kinds of models differ, with a cross-validated error of {least} of "
                f"{_named(curve.title)} and {other} of {_named(bayes.other_kind.title)}, at fixed "
                "settings."
            )
        else:
            half = say.share("bayes_error.curve.error_half", curve.error_half)
            full = say.share("bayes_error.curve.error", curve.error)
            text += (
                f"with half of them the error of {_named(curve.title)} is {half}, with all {full}."
            )
        return say.finding("bayes_error", text)
    if bayes.low == 0:
        text = f"Estimated Bayes error at most {high} (upper end of the 95% CI of {best})."
        return say.finding("bayes_error", text)
    ends = say("bayes_error.low|bayes_error.high", interval("error", (bayes.low, bayes.high)))
    say.figures.pop("bayes_error.high")
    n_rows = say.count("bayes_error.n_rows", bayes.n_rows)
    text = (
        f"Estimated Bayes error {ends} (upper end: 95% CI of {best}; lower end, from {n_rows} "
        f"rows: limits of 1-NN on {bayes.representation.title} by Cover and Hart's bound, and of "
        f"{_named(bayes.curve.title)} by its learning curve)."
    )
    if scores.interval[0] > bayes.high:
        own = say.share("held_out.error", scores.error)
        text += f" The held-out error of {own} is above it: a better model is possible."
    return say.finding("bayes_error", text)


def _named(title: str) -> str:
    """Return the name of a reference in a sentence.

    >>> _named("random forest"), _named("5-NN"), _named("logistic regression")
    ('a random forest', '5-NN', 'logistic regression')
    """
    return f"a {title}" if title.startswith(("random", "decision")) else title


def on_more_rows(study: Study) -> Finding | None:
    """Say by how much more rows would lower the error of K neighbors, where it would."""
    curve, ahead = study.learning_curve, study.forecast
    if curve is None or ahead is None:
        return None
    say, metric = StatedFigures(), curve.score
    now, twice, _, ten = (float(error) for error in ahead.error)
    high = float(ahead.high[1])
    little = is_percentage(metric) and now - twice < LEAST_POINTS
    if high >= now or little or score(metric, twice) == score(metric, now):
        return None  # no gain that is more than the uncertainty of the forecast
    title = metric_title(metric)
    text = (
        f"Learning curve ({curve.k}-NN, continued as a power law): {title} "
        f"{say.score('forecast.error.0', metric, now)} with all rows, forecast "
        f"{say.score('forecast.error.1', metric, twice)} (95% CI "
        f"{say('forecast.low.1|forecast.high.1', interval(metric, (float(ahead.low[1]), high)))}) "
        f"with twice the rows and {say.score('forecast.error.3', metric, ten)} with ten times the "
        "rows."
    )
    return say.finding("learning_curve", text)


def on_prototypes(selection: PrototypeSelection) -> Finding | None:
    """Compare 1-NN on prototypes with 1-NN on all training rows; None where rows are too few.

    The held-out rows must be so many that a difference of 5 points would be seen.
    """
    low, high = selection.interval
    if high - low > 2 * VISIBLE or low > selection.error_all_rows:
        return None
    say = StatedFigures()
    path = "prototype_selection"
    share = percent(selection.n_prototypes / selection.n_train)
    error = say.estimate(
        "error",
        (f"{path}.error", selection.error),
        (f"{path}.interval", selection.interval),
        (f"{path}.n_held_out", selection.n_held_out),
    )
    full = say.share(f"{path}.error_all_rows", selection.error_all_rows)
    lower = high < selection.error_all_rows
    compared = "a significantly lower error" if lower else "no significant difference detected"
    text = (
        "Prototype selection (condensed 1-NN): "
        f"{say.count(f'{path}.n_prototypes', selection.n_prototypes)} of "
        f"{say.count(f'{path}.n_train', selection.n_train)} training rows ({share}) have a "
        f"held-out error of {error}, all of them {full}: {compared}."
    )
    return say.finding("prototype_selection", text)
