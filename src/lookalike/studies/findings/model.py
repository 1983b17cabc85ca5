"""Claims on the selected model: what was skipped, its held-out error, and what it compares with."""

from __future__ import annotations

from lookalike.studies.evaluate.significance import compare_with_baseline
from lookalike.studies.findings.claim import HELD_OUT, Figures, claim
from lookalike.studies.findings.splits import is_for_other_rows
from lookalike.studies.format import format_list
from lookalike.studies.results import Candidate, Study
from lookalike.studies.scoring import KNOWN_SCORINGS
from lookalike.studies.tables import rank
from lookalike.studies.task import TASKS_BY_NAME

MAX_MODELS_NAMED = 3
MIN_CLASS_SUPPORT = 5  # held-out rows of a class whose recall says something
WIDE_ERROR_INTERVAL = 0.2  # of an error rate, from end to end
WIDE_RMSE_INTERVAL = 0.5  # relative to the RMSE
HEAVY_TAIL_RATIO = 2.0  # RMSE by mean absolute error; of normal residuals it is 1.25
NO_TIME = "the time budget was spent"


@claim("skipped", scope="the whole study", method="decisions and candidates of the study")
def skipped(study: Study, _: Figures) -> str | None:
    """Name what was not done, and the option that would do it."""
    late = late_work(study)
    models = [
        candidate for candidate in study.candidates if candidate.skipped and not candidate.reference
    ]
    failed = [candidate.title for candidate in models if not candidate.lacked_time]
    text = ""
    if late:
        text = f"Skipped for lack of time: {format_list(late)}. To do all of it: --time none."
    if failed:
        text += (
            f" Not compared: {format_list(failed, MAX_MODELS_NAMED)}; the list of models says why."
        )
    return text.strip()


def late_work(study: Study) -> list[str]:
    """Return the models and analyses that were left out for lack of time."""
    models = [
        candidate for candidate in study.candidates if candidate.skipped and not candidate.reference
    ]
    late = [candidate.title for candidate in models if candidate.lacked_time]
    skipped_steps = [candidate for candidate in study.decisions if candidate.choice == "skipped"]
    return late + [candidate.about for candidate in skipped_steps if _by_time(candidate[2])]


def _by_time(reason: str) -> bool:
    return reason == NO_TIME or Candidate("", "", "", skipped=reason).lacked_time


@claim("model", scope=HELD_OUT, method="error with its 95% interval")
def model(study: Study, write: Figures) -> str | None:
    """Name the selected model, its held-out error and that of the baseline."""
    scores, target = study.held_out, study.target
    if scores is None or target is None:
        return None
    winner = next(candidate for candidate in study.candidates if candidate.name == study.winner)
    chosen = ", ".join(f"{name} = {value}" for name, value in winner.hyperparameters.items())
    text = f"Best model: {winner.title}{f', {chosen}' if chosen else ''}. "
    text += f"Held-out {write.title} {write.estimate('held_out')}"
    if scores.r2 is not None:
        text += f", R² {write.score('held_out.r2', 'r2')}"
    if scores.mae is not None:
        text += f", MAE {write.score('held_out.mae', 'mae')}"
    title = TASKS_BY_NAME[study.task].baseline_title
    text += f"; baseline ({title}) {write.score('held_out.baseline')}. "
    text += f"Held out: {study.shape.split}."
    if winner.name == "baseline" and scores.baseline == 0:
        text += f" The target {target.name!r} is constant: there is nothing to predict."
    elif winner.name == "baseline":
        text += " No model had a better validation score than the baseline."
    return text


@claim("baseline", topic="model", scope=HELD_OUT, method="McNemar's test, or the interval of R²")
def baseline(study: Study, write: Figures) -> str | None:
    """Say where a model is not significantly better than the baseline."""
    scores = study.held_out
    if scores is None or study.winner == "baseline":
        return None
    compared = compare_with_baseline(scores)
    figures = f"{write.score('held_out.error')}, baseline {write.score('held_out.baseline')}"
    if compared == "worse":
        return f"The baseline has a significantly lower {write.title}: {figures}."
    if compared != "equal":
        return None
    return f"No significant difference from the {write.title} of the baseline detected: {figures}."


@claim("equal_models", topic="model", scope="models on the same rows", method="paired test")
def equal_models(study: Study, write: Figures) -> str | None:
    """Name the models that are equal to the selected one within noise, the best of them first."""
    scoring = "" if study.held_out is None else study.held_out.scoring
    index_of = {candidate.name: index for index, candidate in enumerate(study.candidates)}
    equal = [
        (index_of[candidate.name], candidate)
        for candidate in rank(study.candidates, scoring)
        if candidate.equal_within_noise
        and candidate.difference_interval
        and candidate.name != study.winner
    ]
    if not equal:
        return None
    named = [
        f"{candidate.title} ({write.interval(f'candidates.{index}.difference_interval')})"
        for index, candidate in equal[:MAX_MODELS_NAMED]
    ]
    more = len(equal) - len(named)
    return (
        f"Equal within noise to the selected model (95% CI of the difference of the "
        f"{write.title}): {format_list(named)}{f' and {more} more' if more else ''}."
    )


@claim("references", topic="model", scope="models in the same folds", method="validation errors")
def references(study: Study, write: Figures) -> str | None:
    """Name references with a smaller validation error than the selected model."""
    if study.held_out is None:
        return None
    winner_index = next(
        i for i, candidate in enumerate(study.candidates) if candidate.name == study.winner
    )
    winner_error = write.score(f"candidates.{winner_index}.validation_error")
    better = []
    for other, candidate in enumerate(study.candidates):
        if candidate.reference and candidate.gap is not None and candidate.gap < 0:
            error = write.score(f"candidates.{other}.validation_error")
            if error != winner_error:
                better.append(f"{candidate.title.removeprefix('Reference: ')} ({error})")
    if not better:
        return None
    return (
        f"In the same validation, {format_list(better)} had a smaller {write.title} "
        f"than the selected model ({winner_error}): a reference, which is not kept."
    )


@claim("requested_score", topic="model", scope=HELD_OUT, method="score with its 95% interval")
def requested_score(study: Study, write: Figures) -> str | None:
    """State the score that the model was selected by, and balanced accuracy with rare classes."""
    scores = study.held_out
    if scores is None:
        return None
    wanted = {scores.scoring} - {"", scores.metric}
    if study.target is not None and study.target.rare_classes:
        wanted.add("balanced_accuracy")
    parts = []
    for index, one in enumerate(scores.scores):
        if one.name not in wanted:
            continue
        path, title = f"held_out.scores.{index}", KNOWN_SCORINGS[one.name].title
        text = f"{title[:1].upper()}{title[1:]} {write.score(f'{path}.value', one.name)} "
        text += f"(95% CI {write.interval(f'{path}.interval', one.name)})"
        if one.baseline is not None:
            text += f", baseline {write.score(f'{path}.baseline', one.name)}"
        parts.append(text + ".")
    return " ".join(parts)


@claim(
    "rare_classes",
    topic="model",
    scope=HELD_OUT,
    method="recall with Wilson's 95% interval, variance enlarged for training sets",
)
def rare_classes(study: Study, write: Figures) -> str | None:
    """State the recall of rare classes, or that there are too few rows of them."""
    scores = study.held_out
    rare = dict([] if study.target is None else study.target.rare_classes)
    if scores is None or not rare:
        return None
    known, unknown = [], []
    for index, scores_of_class in enumerate(scores.classes):
        if scores_of_class.label not in rare:
            continue
        path = f"held_out.classes.{index}"
        text = f"{scores_of_class.label!r} ({rare[scores_of_class.label]:.1%} of the rows)"
        if scores_of_class.support < MIN_CLASS_SUPPORT:
            unknown.append(f"{text} with n = {write.count(f'{path}.support')}")
        elif scores_of_class.recall is not None and scores_of_class.recall_interval is not None:
            figures = write.estimate(path, ("recall", "recall_interval", "support"), "error")
            known.append(f"{text} {figures}")
    text = ""
    if known:
        known = known[:MAX_MODELS_NAMED]
        plural = "class" if len(known) == 1 else "classes"
        text = f"Recall of the rare {plural} {format_list(known)}. "
    if unknown:
        named = format_list(unknown[:MAX_MODELS_NAMED])
        text += f"Too few held-out rows for the recall of {named}."
    return text.strip()


@claim(
    "thresholds",
    topic="model",
    scope=HELD_OUT,
    method="thresholds of one half of the rows, measured on the other; Wilson's interval",
)
def thresholds(study: Study, write: Figures) -> str | None:
    """State what another threshold gives for rare classes.

    It is stated where it finds significantly more, and more than among as many rows at random.
    """
    scores = study.held_out
    index_of = {} if scores is None else {one.label: i for i, one in enumerate(scores.classes)}
    parts = []
    for index, one in enumerate(study.thresholds):
        scores_of_class = (
            None
            if scores is None or one.label not in index_of
            else scores.classes[index_of[one.label]]
        )
        if (
            scores is None
            or scores_of_class is None
            or scores_of_class.recall is None
            or not one.precision
        ):
            continue
        by_chance = one.recall * one.n_rows / one.precision / scores.n_rows  # rows predicted
        if one.recall_interval[0] <= max(scores_of_class.recall, by_chance):
            continue
        path, before = f"thresholds.{index}", f"held_out.classes.{index_of[one.label]}"
        names = ("recall", "recall_interval", "n_rows")
        text = f"{one.label!r} from a probability of {write.percent(f'{path}.threshold')} on has "
        text += f"a recall of {write.estimate(path, names, 'error')}"
        text += f" instead of {write.percent(f'{before}.recall')}"
        text += f", a precision of {write.percent(f'{path}.precision')}"
        if scores_of_class.precision is not None:
            text += f" instead of {write.percent(f'{before}.precision')}"
        parts.append(text)
    if not parts:
        return None
    return (
        f"Another threshold: to predict {'; '.join(parts[:MAX_MODELS_NAMED])}. To select a model "
        "by balanced accuracy: --scoring balanced_accuracy."
    )


@claim("few_rows", topic="model", scope=HELD_OUT, method="width of the 95% interval")
def few_rows(study: Study, write: Figures) -> str | None:
    """Say that the error is known only roughly, where its interval is wide."""
    scores = study.held_out
    if scores is None or not scores.error or is_for_other_rows(study):
        return None
    low, high = scores.interval
    width = high - low if scores.metric == "error" else (high - low) / scores.error
    least = WIDE_ERROR_INTERVAL if scores.metric == "error" else WIDE_RMSE_INTERVAL
    if width < least:
        return None
    return (
        f"Too few rows for a precise estimate: from {write.count('held_out.n_rows', 'row')} the "
        f"{write.title} is only known to be {write.interval('held_out.interval')}; four times as "
        "many would about halve that range."
    )


@claim("heavy_tails", topic="model", scope=HELD_OUT, method="mean and median absolute residual")
def heavy_tails(study: Study, write: Figures) -> str | None:
    """State mean and median absolute error where few large residuals make up the RMSE."""
    scores, residuals = study.held_out, study.residuals
    if scores is None or scores.mae is None or residuals is None or scores.metric != "rmse":
        return None
    if residuals.median_absolute is None or scores.error < HEAVY_TAIL_RATIO * scores.mae:
        return None
    if is_for_other_rows(study):
        return None
    return (
        f"A few large residuals dominate the RMSE of {write.score('held_out.error')}: the mean "
        f"absolute error is {write.score('held_out.mae', 'mae')}, half of the predictions are "
        f"within {write.score('residuals.median_absolute', 'mae')} of the target."
    )
