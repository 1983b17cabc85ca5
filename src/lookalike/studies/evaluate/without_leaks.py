"""The held-out error of a study without the columns that leak the target."""

from __future__ import annotations

from dataclasses import replace

from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError
from lookalike.studies.analysis_results import TargetLeakage
from lookalike.studies.analyze.leakage import find_leaks
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.evaluation import evaluate
from lookalike.studies.select.model_selection import few_threads
from lookalike.studies.select.split import Split
from lookalike.studies.task import Task


def search_leakage(context: StudyContext, task: Task, split: Split) -> TargetLeakage | None:
    """Return the leaks, and the held-out error without their columns; None where there are none."""
    with context.budget.stage("leakage"), few_threads(context.dataset):
        leaks = find_leaks(context.dataset, task, context.features, context.options.seed)
    if not leaks:
        return None
    leaking = {name for one in leaks if one.used for name in one.columns}
    for one in leaks:
        columns = ", ".join(map(repr, one.columns))
        done = "used all the same" if one.used else "not used"
        verb = "determines" if len(one.columns) == 1 else "determine"
        reason = f"nearly {verb} the target ({one.kind}: {one.method})"
        context.decisions.add("leakage", f"{columns}: {done}", reason)
    kept = {name: kind for name, kind in context.features.items() if name not in leaking}
    if not leaking or not kept:
        return TargetLeakage(leaks)
    alone = replace(context, features=kept, decisions=Decisions())
    try:
        result = evaluate(alone, task, split.first_repeats(1))
    except LookalikeError as error:
        context.decisions.add("error without leaking columns", "skipped", str(error))
        return TargetLeakage(leaks)
    scores = result.scores
    if result.winner.name == "baseline" and any(one.skipped for one in result.candidates):
        reason = "the time budget was spent before a model could be compared"
        context.decisions.add("error without leaking columns", "skipped", reason)
        return TargetLeakage(leaks)
    return TargetLeakage(leaks, scores.error, scores.interval, result.winner.title, scores.n_rows)
