"""The finding on all rows, where models were compared on a sample of them."""

from __future__ import annotations

from lookalike.studies.all_rows.linear_leaks import MOST_COLUMNS
from lookalike.studies.analysis_results import AllRows
from lookalike.studies.findings.evidence import StatedFigures
from lookalike.studies.format import listed
from lookalike.studies.results import Finding, Study
from lookalike.studies.task import TASKS

NAMED = 3  # columns in a sentence


def on_all_rows(study: Study) -> Finding | None:
    """State what holds for all rows, and what rests on the sample."""
    found = study.all_rows
    if found is None:
        return None
    say = StatedFigures()
    rows = say.count("all_rows.n_rows", found.n_rows, "row")
    sample = say.count("all_rows.n_compared", found.n_compared)
    text = f"All {rows} were read: models were compared on a random sample of {sample}. "
    text += _scores(study, found, say)
    if found.n_duplicates:
        about = "About " if found.duplicates_estimated else ""
        copies = say.count("all_rows.n_duplicates", found.n_duplicates, "row")
        verb = "repeats" if round(found.n_duplicates) == 1 else "repeat"
        text += f"{about}{copies} {verb} another in every feature. "
    if found.determining:
        named = [repr(name) for name in found.determining]
        text += f"Over all rows {listed(named, NAMED)} nearly determined the target: check for "
        text += "leakage. "
    if found.summed:
        named = [repr(name) for name in found.summed]
        text += f"Over all rows a linear combination of {listed(named)} nearly determined the "
        text += "target: check for leakage. "
    if found.filled_for_one_class:
        named = [repr(name) for name in found.filled_for_one_class]
        verb = "is" if len(named) == 1 else "are"
        text += f"Over all rows {listed(named, NAMED)} {verb} filled almost only for one class: "
        text += "check for leakage. "
    if study.task != "exploratory":
        text += _screened(study, found)
    return say.finding("all_rows", text.strip())


def _screened(study: Study, found: AllRows) -> str:
    """Return which screens for leakage went over all rows, and which over the sample."""
    numbers = sum(column.kind not in ("category", "text") for column in found.columns)
    text = "Single columns that nearly determine the target in the sample were checked over all "
    if study.task != "regression":
        return f"{text}rows; combinations of columns were looked for in the sample alone. "
    if numbers > MOST_COLUMNS:
        return f"{text}rows; linear and other combinations of columns in the sample alone. "
    return (
        f"{text}rows, and linear combinations of numbers were looked for in all rows; other "
        "combinations of columns in the sample alone. "
    )


def _scores(study: Study, found: AllRows, say: StatedFigures) -> str:
    scores = found.scores
    if scores is None:
        return ""
    error = say.estimate(
        scores.metric,
        ("all_rows.scores.error", scores.error),
        ("all_rows.scores.interval", scores.interval),
        ("all_rows.scores.n_rows", scores.n_rows),
    )
    title = TASKS[study.task].metric_title
    text = f"On all held-out rows the {title} of the selected model is {error}; baseline "
    text += f"{say.score('all_rows.scores.baseline', scores.metric, scores.baseline)}. "
    if scores.fitted_on_all:
        count = say.count("all_rows.scores.n_train", scores.n_train)
        text += f"It learns by sums and was fitted again on all {count} training rows. "
    else:
        text += f"It was fitted on the training rows of the sample.{_forecast(study, found, say)} "
    return text


def _forecast(study: Study, found: AllRows, say: StatedFigures) -> str:
    """Return what the learning curve says of the size of the sample, and of all rows."""
    curve, ends = study.learning_curve, found.forecast_interval
    if curve is None or found.sample_error is None or found.forecast_error is None or ends is None:
        return ""
    metric = curve.score
    return (
        f" On the learning curve ({curve.k}-NN, continued as a power law) the "
        f"{'error' if metric == 'error' else metric.upper()} is "
        f"{say.score('all_rows.sample_error', metric, found.sample_error)} with as many rows as "
        f"the sample, and {say.score('all_rows.forecast_error', metric, found.forecast_error)} "
        f"(95% CI {say.interval('all_rows.forecast_interval', metric, ends)}) is forecast with all."
    )
