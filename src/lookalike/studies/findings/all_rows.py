"""Claims on all rows, where models were compared on a sample of them."""

from __future__ import annotations

from lookalike.studies.all_rows.linear_leaks import MAX_COLUMNS_OF_COVARIANCE
from lookalike.studies.findings.claim import Figures, claim
from lookalike.studies.format import format_list, metric_title
from lookalike.studies.results import Study

MAX_COLUMNS_NAMED = 3


@claim("all_rows", scope="all rows, and the sample of them", method="passes over all rows")
def all_rows(study: Study, write: Figures) -> str | None:
    """State what was read, and what was looked for in all rows or in the sample alone."""
    survey = study.all_rows
    if survey is None:
        return None
    text = (
        f"All {write.count('all_rows.n_rows', 'row')} were read: models were compared on a random "
        f"sample of {write.count('all_rows.n_compared')}. "
    )
    if survey.n_duplicates:
        about = "About " if survey.duplicates_estimated else ""
        verb = "repeats" if round(survey.n_duplicates) == 1 else "repeat"
        copies = write.count("all_rows.n_duplicates", "row")
        text += f"{about}{copies} {verb} another in every feature. "
    if study.task != "exploratory":
        text += _screened(study)
    return text.strip()


def _screened(study: Study) -> str:
    """Return which screens for leakage went over all rows, and which over the sample."""
    kinds = [] if study.all_rows is None else [column.kind for column in study.all_rows.columns]
    numbers = sum(kind not in ("category", "text") for kind in kinds)
    text = "Single columns that nearly determine the target in the sample were checked over all "
    if study.task != "regression":
        return f"{text}rows; combinations of columns were looked for in the sample alone."
    if numbers > MAX_COLUMNS_OF_COVARIANCE:
        return f"{text}rows; linear and other combinations of columns in the sample alone."
    return (
        f"{text}rows, and linear combinations of numbers were looked for in all rows; other "
        "combinations of columns in the sample alone."
    )


@claim(
    "all_rows_leakage",
    topic="all_rows",
    scope="all rows",
    method="variance or classes that a column determines",
)
def all_rows_leakage(study: Study, _: Figures) -> str | None:
    """Name the columns that nearly determine the target over all rows."""
    survey = study.all_rows
    if survey is None:
        return None
    parts = []
    if survey.determining:
        parts.append(f"{_columns(survey.determining)} nearly determined the target")
    if survey.summed:
        named = format_list([repr(name) for name in survey.summed])
        parts.append(f"a linear combination of {named} nearly determined the target")
    if survey.filled_for_one_class:
        verb = "is" if len(survey.filled_for_one_class) == 1 else "are"
        named = _columns(survey.filled_for_one_class)
        parts.append(f"{named} {verb} filled almost only for one class")
    if not parts:
        return None
    return f"Over all rows {'; '.join(parts)}: check for leakage."


def _columns(names: tuple[str, ...]) -> str:
    return format_list([repr(name) for name in names], MAX_COLUMNS_NAMED)


@claim(
    "all_rows_error",
    topic="all_rows",
    scope="kept model, all held-out rows",
    method="error and 95% interval of all held-out rows; forecast by the learning curve",
)
def all_rows_error(study: Study, write: Figures) -> str | None:
    """State the error of the selected model on all held-out rows."""
    survey = study.all_rows
    if survey is None or survey.scores is None:
        return None
    path = "all_rows.scores"
    text = (
        f"On all held-out rows the {write.title} of the selected model is "
        f"{write.estimate(path)}; baseline {write.score(f'{path}.baseline')}. "
    )
    if survey.scores.fitted_on_all:
        rows = write.count(f"{path}.n_train")
        return f"{text}It learns by sums and was fitted again on all {rows} training rows."
    text += "It was fitted on the training rows of the sample."
    curve = study.learning_curve
    if curve is None or survey.sample_error is None or survey.forecast_error is None:
        return text
    return (
        f"{text} On the learning curve ({curve.k}-NN, continued as a power law) the "
        f"{metric_title(curve.score)} is {write.score('all_rows.sample_error', curve.score)} with "
        f"as many rows as the sample, and {write.score('all_rows.forecast_error', curve.score)} "
        f"(95% CI {write.interval('all_rows.forecast_interval', curve.score)}) is forecast with "
        "all."
    )
