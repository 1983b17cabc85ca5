"""What a study says first: verdict, errors to compare, what to do next, what was skipped."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from lookalike.studies.analysis_results import AuditSummary
from lookalike.studies.effort import Effort
from lookalike.studies.evaluate.significance import compare_with_baseline, is_worse_later
from lookalike.studies.findings.model import late_work
from lookalike.studies.findings.reliability import is_miscalibrated
from lookalike.studies.findings.splits import is_for_other_rows
from lookalike.studies.format import Interval, count, format_list, interval, percent, score
from lookalike.studies.results import Candidate, HeldOutScores, MetricScore, Study
from lookalike.studies.tables import rank
from lookalike.studies.task import TASKS_BY_NAME

MAX_ACTIONS = 3
MAX_LEAKING_COLUMNS_NAMED = 2
MAX_SKIPPED_NAMED = 3
MANY_DUPLICATES = 0.01  # part of the rows, from which on they are worth a line
PARTLY_MISSING = 0.2  # of the cells of a column, from which on that is worth a line


@dataclass(frozen=True)
class Estimate:
    """An error to compare with others; of the Bayes error an interval alone."""

    kind: str  # baseline, selected, runner_up, bayes
    title: str
    value: float | None
    interval: Interval | None
    compared: float | None = None  # the validation error it was selected by, where not corrected


class Action(NamedTuple):
    """What to do next, and the section of the report that shows why."""

    text: str
    section: str


def verdict(study: Study) -> str:
    """Return in one line how good the selected model is, compared with the baseline."""
    scores = study.held_out
    if scores is None:
        stated = [claim.text for claim in study.summary if claim.kind != "skipped"]
        return stated[0] if stated else "There was no target: nothing is predicted."
    task, requested = TASKS_BY_NAME[study.task], requested_score(scores)
    error, ends = score(scores.metric, scores.error), interval(scores.metric, scores.interval)
    baseline = f"always guessing the {task.baseline_title}"
    if requested is not None:
        own_score = score(requested.name, requested.value)
        text = (
            f"{requested.title} {own_score} (95% CI {interval(requested.name, requested.interval)})"
        )
        if requested.baseline is None:
            return text
        return f"{text}; {baseline}: {score(requested.name, requested.baseline)}"
    text = f"{error} wrong" if scores.metric == "error" else f"{task.metric_title} {error}"
    text += f" (95% CI {ends})"
    if study.winner == "baseline":
        if scores.baseline == 0:
            return f"{text}: the target is constant, and there is nothing to predict"
        return f"{text} by {baseline}: no model had a better validation score"
    text += f"; {baseline}: {score(scores.metric, scores.baseline)}"
    compared = compare_with_baseline(scores)
    if compared == "equal":
        text += ", which is not a significant difference"
    elif compared == "worse":
        text += ", which is significantly better"
    for other in scores.other_splits:
        if other.kind == "groups":
            text += f"; with a new {other.column!r}: {score(scores.metric, other.error)}"
        if other.kind == "time" and is_worse_later(scores, other):
            text += f"; of the latest rows: {score(scores.metric, other.error)}"
    return text


def requested_score(scores: HeldOutScores) -> MetricScore | None:
    """Return the score that models were selected by, where that is not the error or RMSE."""
    if scores.scoring in ("", scores.metric):
        return None
    return next((score for score in scores.scores if score.name == scores.scoring), None)


def selected_model(study: Study) -> Candidate | None:
    """Return the candidate that was selected."""
    return next(
        (candidate for candidate in study.candidates if candidate.name == study.winner), None
    )


def estimates(study: Study) -> tuple[Estimate, ...]:
    """Return the errors of baseline, selected model and runner-up, and the Bayes error."""
    scores, selected = study.held_out, selected_model(study)
    if scores is None or selected is None:
        return ()
    baseline = f"baseline ({TASKS_BY_NAME[study.task].baseline_title})"
    compared = selected.validation_error if _is_corrected(study) else None
    estimates_shown = [
        Estimate("selected", selected.title, scores.error, scores.interval, compared)
    ]
    if (second := runner_up(study)) is not None:
        ends = second.validation_interval
        title = f"{second.title} (runner-up)"
        estimates_shown.append(Estimate("runner_up", title, second.validation_error, ends))
    bayes = study.bayes_error
    if bayes is not None and bayes.converged and not is_for_other_rows(study):
        ends = (bayes.low, bayes.high)
        estimates_shown.append(Estimate("bayes", "estimated Bayes error", None, ends))
    if selected.name != "baseline":
        ends = scores.baseline_interval
        estimates_shown.append(Estimate("baseline", baseline, scores.baseline, ends))
    return tuple(estimates_shown)


def comparison_note(study: Study) -> str:
    """Return how the error of the selected model differs from those that models are compared by."""
    if _has_test_rows(study):
        return "of the selected model on test rows, of the runner-up on validation rows"
    if _is_corrected(study):
        scores = study.held_out
        gain = (
            ""
            if scores is None or scores.refit_factor == 1.0
            else " and for learning from all rows"
        )
        return f"that of the selected model is corrected for its selection{gain} (ring: before)"
    return ""


def selection_note(study: Study) -> str:
    """Return why a model is kept though another has a lower error; empty where none has."""
    selected, second = selected_model(study), runner_up(study)
    if selected is None or second is None or selected.name == "baseline":
        return ""
    errors = selected.validation_error, second.validation_error
    if errors[0] is None or errors[1] is None or errors[0] <= errors[1]:
        return ""
    kept = [one for one in study.decisions if (one.about, one.choice) == ("ensemble", "kept")]
    equal = "; their errors are equal within noise" if second.equal_within_noise else ""
    return f"It is kept for its {kept[0].reason}{equal}." if kept else ""


def _is_corrected(study: Study) -> bool:
    """Return whether the selected model's error is seen to differ from its validation error."""
    scores, selected = study.held_out, selected_model(study)
    if scores is None or selected is None or selected.validation_error is None:
        return False
    shown = [score(scores.metric, value) for value in (scores.error, selected.validation_error)]
    return shown[0] != shown[1] and not _has_test_rows(study)


def _has_test_rows(study: Study) -> bool:
    """Return whether the selected model was scored on other rows than the candidates."""
    others = [candidate for candidate in study.candidates if _may_be_kept(candidate, study.winner)]
    return bool(others) and all(candidate.held_out_error is None for candidate in others)


def runner_up(study: Study) -> Candidate | None:
    """Return the second best candidate by what models were selected by, if there is one."""
    scoring = "" if study.held_out is None else study.held_out.scoring
    ranked = rank(study.candidates, scoring)
    return next((candidate for candidate in ranked if _may_be_kept(candidate, study.winner)), None)


def _may_be_kept(candidate: Candidate, winner: str | None) -> bool:
    other = candidate.name not in (winner, "baseline")
    return (
        other
        and candidate.validation_error is not None
        and not (candidate.reference or candidate.stopped)
    )


def actions(study: Study) -> tuple[Action, ...]:
    """Return what to do next, the most important first."""
    answers = (rule(study) for rule in ACTION_RULES)
    return tuple(action for action in answers if action is not None)[:MAX_ACTIONS]


def _leaks(study: Study) -> Action | None:
    leaks = () if study.leakage is None else study.leakage.leaks
    names = list(dict.fromkeys(repr(name) for leak in leaks for name in leak.columns))
    if not names:
        return None
    return Action(f"Check {format_list(names, MAX_LEAKING_COLUMNS_NAMED)} for leakage", "leakage")


def _groups(study: Study) -> Action | None:
    others = () if study.held_out is None else study.held_out.other_splits
    unseen = [split.column for split in others if split.kind == "groups"]
    if not unseen:
        return None
    return Action(f"To predict new values of {unseen[0]!r}: --groups {unseen[0]}", "held-out")


def _rare_classes(study: Study) -> Action | None:
    """Name the rare class that a model selected by its error misses most."""
    stated = any(one.kind == "thresholds" for one in study.summary)
    scores = study.held_out
    if scores is None or requested_score(scores) is not None:
        return None
    if study.winner == "baseline" and any(one.kind == "rare_classes" for one in study.summary):
        return Action("No model finds the rare class: --scoring balanced_accuracy", "held-out")
    if not stated:
        return None
    rare = {one.label for one in study.thresholds}
    found = [one for one in scores.classes if one.label in rare and one.recall is not None]
    worst = min(found, key=lambda one: one.recall or 0.0, default=None)
    if worst is None or worst.recall is None:
        return None
    share = f"Only {percent(worst.recall)}" if worst.recall else "None"
    text = f"{share} of class {worst.label!r} is found: --scoring balanced_accuracy"
    return Action(text, "held-out")


def _flagged(
    kind: str, one: str, many: str, least: float = 0.0
) -> Callable[[Study], Action | None]:
    def rule(study: Study) -> Action | None:
        audit = study.audit
        n_rows = 0 if audit is None else audit.counts.get(kind, 0)
        if audit is None or not n_rows or n_rows < least * audit.n_rows:
            return None
        return Action(_counted(audit, n_rows, one, many), f"audit-{kind}")

    return rule


def _counted(audit: AuditSummary, n_rows: int, one: str, many: str) -> str:
    words = audit.target_title
    return count(n_rows, one.format(target=words), many.format(target=words))


def _missing(study: Study) -> Action | None:
    columns = [column for column in study.columns if column.role != "dropped"]
    worst = max(columns, key=lambda column: column.missing, default=None)
    share = 0.0 if worst is None else worst.missing / max(study.shape.n_rows, 1)
    if worst is None or share < PARTLY_MISSING:
        return None
    return Action(f"{worst.name} is {percent(share)} missing", "columns")


def _similar_labels(study: Study) -> Action | None:
    profile = None if study.target is None else study.target.profile
    alerts = () if profile is None else profile.alerts
    if not any(one.kind == "similar_labels" for one in alerts):
        return None
    return Action("Labels differ by case or spaces only: write those of one class alike", "columns")


def _equal_models(study: Study) -> Action | None:
    if study.winner == "baseline":  # the verdict says that no model is better
        return None
    n_equal = sum(
        candidate.equal_within_noise
        and candidate.difference_interval is not None
        and candidate.name != study.winner
        for candidate in study.candidates
    )
    if not n_equal:
        return None
    models = count(n_equal, "other model is", "other models are")
    return Action(f"{models} equal within noise: choose by speed or simplicity", "models")


def _calibration(study: Study) -> Action | None:
    if not is_miscalibrated(study):
        return None
    return Action("Probabilities need calibration", "calibration")


def _more_rows(study: Study) -> Action | None:
    if not any(claim.kind == "learning_curve" for claim in study.summary):
        return None
    return Action("More rows would lower the error", "limits")


def _no_target(study: Study) -> Action | None:
    if study.task != "exploratory":
        return None
    return Action("Name a column to predict: --target COLUMN", "columns")


ACTION_RULES: tuple[Callable[[Study], Action | None], ...] = (
    _no_target,
    _groups,
    _leaks,
    _similar_labels,
    _rare_classes,
    _flagged("mislabel", "{target} to check", "{target}s to check"),
    _flagged("conflict", "duplicate with another {target}", "duplicates with different {target}s"),
    _missing,
    _equal_models,
    _calibration,
    _more_rows,
    _flagged("duplicate", "exact duplicate", "exact duplicates", MANY_DUPLICATES),
    _flagged("near_duplicate", "near duplicate", "near duplicates", MANY_DUPLICATES),
)


def left_out_rows(study: Study) -> list[str]:
    """Return how many rows were not studied, and why; nothing where all were."""
    found = (one for one in study.decisions if one.about == "rows")
    return [f"rows: {one.choice}, {one.reason}" for one in found]


def skipped_work(study: Study) -> str:
    """Return in one sentence what was left out for lack of time; "" where nothing was."""
    late = late_work(study)
    return f"Skipped for lack of time: {format_list(late, MAX_SKIPPED_NAMED)}." if late else ""


def complete_command(study: Study) -> str:
    """Return the command, or the option, that repeats the study without a limit of time."""
    options = study.origin
    plain = options is not None and isinstance(options.X, str) and options.y is None
    if not plain or options.dialect or not isinstance(options.test, (str, type(None))):
        return "--time none"
    given = {name: getattr(options, name) for name in ("target", "text", "test", "split", "groups")}
    if not isinstance(given["groups"], (str, type(None))):
        return "--time none"
    for name in ("task", "scoring", "metric"):
        given[name] = None if getattr(options, name) == "auto" else getattr(options, name)
    words = ["lookalike", "study", options.X]
    for name, value in given.items():
        words += [] if value is None else [f"--{name}", str(value)]
    for column in options.drop:
        words += ["--drop", column]
    if options.models:
        words += ["--models", ",".join(options.models)]
    words += ["--seed", str(options.seed)] if options.seed else []
    words += ["--effort", "quick"] if _is_quick(options.effort) else []
    return shlex.join([*words, "--time", "none"])


def _is_quick(effort: Effort) -> bool:
    """Return whether an effort is the quick one, and not because the environment says so."""
    quick = (Effort.quick(), Effort.quick().with_libraries(True))
    return effort in quick and Effort.named(None) != Effort.quick()
