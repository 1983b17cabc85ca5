"""The held-out error of a study without the columns that leak the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError
from lookalike.progress import steps_of
from lookalike.studies.analysis_results import Leak, TargetLeakage
from lookalike.studies.analyze.leakage import find_leaks
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.evaluation import evaluate
from lookalike.studies.evaluation_results import OtherSplit
from lookalike.studies.format import format_list
from lookalike.studies.load.groups import group_rows
from lookalike.studies.select.prepared_rows import few_threads
from lookalike.studies.select.split import Split, split_rows
from lookalike.studies.task import Task

LEAST_IDENTIFIER_GROUPS = 10
MAX_COLUMNS_IN_STEP = 2  # that the line of progress names


def search_leakage(
    context: StudyContext, task: Task, split: Split, *, others: Sequence[OtherSplit] = ()
) -> TargetLeakage | None:
    """Return the leaks, and the held-out error without their columns; None where there are none.

    `others` are the other splits of the study; rows of a group that differ from others stay
    together.
    """
    series = any(one.autocorrelation is not None for one in others)
    with context.budget.stage("leakage"), few_threads(context.dataset):
        seed = context.options.seed
        leaks = find_leaks(context.dataset, task, context.features, seed, series=series)
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
    alone, split = replace(context, features=kept, decisions=Decisions()), split.first_repeats(1)
    unseen = [one.column for one in others if one.kind == "groups" and one.column in leaking]
    grouping = unseen[0] if unseen else _repeated_identifier(context, leaks)
    if grouping:
        alone, split = _held_out_together(alone, task, grouping)
    try:
        with steps_of(f"without {format_list(sorted(map(repr, leaking)), MAX_COLUMNS_IN_STEP)}"):
            result = evaluate(alone, task, split)
    except LookalikeError as error:
        context.decisions.add("error without leaking columns", "skipped", str(error))
        return TargetLeakage(leaks, groups=grouping)
    scores = result.scores
    if result.winner.name == "baseline" and any(one.skipped for one in result.candidates):
        reason = "the time budget was spent before a model could be compared"
        context.decisions.add("error without leaking columns", "skipped", reason)
        return TargetLeakage(leaks, groups=grouping)
    return TargetLeakage(
        leaks, scores.error, scores.interval, result.winner.title, scores.n_rows, grouping
    )


def _repeated_identifier(context: StudyContext, leaks: tuple[Leak, ...]) -> str:
    """Return the leaking identifier that several rows share each value of, "" where none is.

    Such rows are of one person or device: without the identifier the others still tell which.
    """
    given = context.test is not None or context.is_test is not None or context.time is not None
    if given or context.options.groups is not None:
        return ""
    for leak in leaks:
        if leak.kind == "identifier" and leak.used and len(leak.columns) == 1:
            values = [str(value) for value in context.dataset.column(leak.columns[0]).tolist()]
            if LEAST_IDENTIFIER_GROUPS <= len(set(values)) <= len(values) / 2:
                return leak.columns[0]
    return ""


def _held_out_together(context: StudyContext, task: Task, name: str) -> tuple[StudyContext, Split]:
    """Return the rows with those of one value of a column as groups, and how they are held out."""
    dataset = context.dataset
    groups = group_rows(context.identical, len(dataset), dataset.column(name), context.decisions)
    split = split_rows(
        np.asarray(dataset.y),
        task,
        seed=context.options.seed,
        decisions=context.decisions,
        groups=groups,
        effort=context.options.effort,
    )
    return replace(context, dataset=replace(dataset, groups=groups)), split.first_repeats(1)
