"""The error of the selected model where rows are held out otherwise: copies, groups, by time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lookalike.errors import LookalikeError
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.evaluation import HeldOutResult
from lookalike.studies.evaluate.group_split import unseen_values
from lookalike.studies.evaluate.refit import refitted_loss
from lookalike.studies.evaluation_results import OtherSplit
from lookalike.studies.load.groups import duplicate_groups, row_keys
from lookalike.studies.load.time_order import ORDER_OF_ROWS, recorded_order
from lookalike.studies.select.split import Split, earlier_rows
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import AnyArray, Array, Rows

ALIKE_IN_TIME = 0.3  # least lag-1 autocorrelation of targets that are ordered by a column
ALIKE_IN_FILE = 0.5  # and by their place in the file alone
MIN_ROWS_FOR_OTHER_SPLITS = 50
MIN_ROWS_FOR_ONE_FOLD = 1000  # of a random split, from which on one of its folds says enough
AUTOCORRELATION_DEVIATIONS = 5.0  # by which the autocorrelation must exceed that of a random order
# Part of the steps that rise, or fall, where rows are sorted by their target.
SORTED_STEPS_SHARE = 0.95


def with_other_splits(
    context: StudyContext, result: HeldOutResult, task: Task, split: Split
) -> HeldOutResult:
    """Return the result with the errors of other splits, where they differ from its own."""
    found: list[OtherSplit] = []
    with context.budget.stage("other splits"):
        given = context.test is not None or context.is_test is not None
        if given or context.time is not None:
            distinct = _without_copies(context, result, task, split)
            found += [distinct] if distinct is not None else []
        elif context.identical is not None:
            copies = _with_copies(context, result, task)
            found += [copies] if copies is not None else []
        if not given and context.time is None and context.options.groups is None:
            unseen = unseen_values(
                context,
                result,
                task,
                lambda train, held_out: _refitted(context, result, task, train, held_out),
            )
            found += [unseen] if unseen is not None else []
        if not given and context.time is None:
            later = _by_time(context, result, task)
            found += [later] if later is not None else []
    scores = replace(result.scores, other_splits=tuple(found))
    return replace(result, scores=scores)


def _without_copies(
    context: StudyContext, result: HeldOutResult, task: Task, split: Split
) -> OtherSplit | None:
    """Return the error on the test rows that are identical to no training row."""
    features = tuple(context.features)
    train, held_out = split.parts[0]
    if context.test is not None:
        known = set(row_keys(context.dataset, features)) - {None}
        copied = np.array([key in known for key in row_keys(context.test, features)])
        places = context.test.row
    else:
        identical = duplicate_groups(context.dataset, features)
        copied = np.isin(identical[held_out], identical[train])
        places = context.dataset.row[held_out]
    if not copied.any() or copied.all():
        return None
    kept = np.isin(result.predictions.row, places[~copied])
    loss = task.loss(result.predictions.y_pred[kept], result.predictions.y_true[kept])
    score = task.score(loss, "")
    n_rows, n_copies = int(kept.sum()), int(copied.sum())
    description = "the test rows that are identical to no training row"
    return OtherSplit("distinct", description, score.value, score.interval, n_rows, n_copies)


def _with_copies(context: StudyContext, result: HeldOutResult, task: Task) -> OtherSplit | None:
    """Return the error of a random split, in which identical rows may be on both sides."""
    y, identical = np.asarray(context.dataset.y), context.identical
    if identical is None:
        return None
    effort = context.options.effort
    fold = task.folds(y, effort.folds, np.random.default_rng(context.options.seed))
    tested = np.unique(fold) if len(y) < MIN_ROWS_FOR_ONE_FOLD else np.array([0])
    losses, n_copies = [], 0
    for row in tested:
        held_out = fold == row
        n_copies += int(np.isin(identical[held_out], identical[~held_out]).sum())
        loss = _refitted(context, result, task, ~held_out, held_out)
        if loss is None:
            return None
        losses.append(loss)
    if not n_copies:
        return None
    score = task.score(np.concatenate(losses), "")
    description = "a random split, identical rows on both sides"
    n_rows = sum(map(len, losses))
    return OtherSplit("duplicates", description, score.value, score.interval, n_rows, n_copies)


def _by_time(context: StudyContext, result: HeldOutResult, task: Task) -> OtherSplit | None:
    """Return the error on the latest fifth, where rows are dated or those in a row are alike.

    A relation that changes with time shows in dated rows only on the latest of them.
    """
    y = np.asarray(context.dataset.y)
    if len(y) < MIN_ROWS_FOR_OTHER_SPLITS or context.dataset.text is not None:
        return None
    moment, title = recorded_order(context.original)
    alike = lag_one(y[np.argsort(moment, kind="stable")], task)
    dated = title != ORDER_OF_ROWS
    least = ALIKE_IN_TIME if dated else ALIKE_IN_FILE
    is_alike = (
        alike is not None and alike >= least and alike * len(y) ** 0.5 >= AUTOCORRELATION_DEVIATIONS
    )
    if alike is None or not (is_alike or dated):
        return None
    try:
        earlier = earlier_rows(moment)
    except LookalikeError:
        return None
    if task is CLASSIFICATION_TASK and len(np.unique(y[earlier])) < len(np.unique(y)):
        return None  # the latest rows are of classes that there were none of before
    loss = _refitted(context, result, task, earlier, ~earlier)
    if loss is None:
        return None
    reason = f"lag-1 autocorrelation {alike:.2f}" if is_alike else "rows are dated"
    context.decisions.add("rows in time", _comparison(title), reason)
    score = task.score(loss, "")
    description = f"the latest {len(loss):,} of {len(y):,} rows by {title}"
    later = OtherSplit(
        "time",
        description,
        score.value,
        score.interval,
        len(loss),
        column=title.removeprefix("column ").strip("'") if dated else "",
    )
    return _with_persistence(later, alike, y, moment, task) if is_alike else later


def _with_persistence(
    later: OtherSplit, alike: float, y: AnyArray, moment: Array, task: Task
) -> OtherSplit:
    """Return the split of a series with the error of the target of the row before."""
    score = task.score(persistence_loss(y, moment, earlier_rows(moment), task), "")
    return replace(
        later,
        autocorrelation=alike,
        persistence=score.value,
        persistence_interval=score.interval,
    )


def persistence_loss(y: AnyArray, moment: Array, earlier: AnyArray, task: Task) -> Array:
    """Return the losses on the later rows of predicting that the target stays as it was."""
    order = np.argsort(moment, kind="stable")
    before = np.empty_like(y)
    before[order[1:]], before[order[0]] = y[order[:-1]], y[order[0]]
    return task.loss(before[~earlier], y[~earlier])


def _comparison(title: str) -> str:
    return f"also evaluated on the latest fifth by {title}"


def lag_one(y: AnyArray, task: Task) -> float | None:
    """Return how alike targets are that follow each other; None where rows are sorted by target.

    Of numbers the autocorrelation of lag 1; of classes by how much more often neighbors agree
    than in a random order, from 0 to 1.
    """
    if task is CLASSIFICATION_TASK:
        classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        same = codes[1:] == codes[:-1]
        by_chance = float(((counts / len(y)) ** 2).sum())
        if len(classes) < 2 or (~same).sum() <= 2 * len(classes):
            return None
        return (float(same.mean()) - by_chance) / (1 - by_chance)
    steps = np.diff(y)
    if (steps >= 0).mean() > SORTED_STEPS_SHARE or (steps <= 0).mean() > SORTED_STEPS_SHARE:
        return None
    deviation = y - y.mean()
    total = float((deviation**2).sum())
    return float((deviation[1:] * deviation[:-1]).sum()) / total if total > 0 else None


def _refitted(
    context: StudyContext, result: HeldOutResult, task: Task, train: AnyArray, held_out: AnyArray
) -> Array | None:
    """Return the losses on held-out rows of the selected model, fitted to other training rows."""
    rng = np.random.default_rng(context.options.seed)
    rows: Rows = rng.permutation(np.flatnonzero(train))
    model = result.selection.model
    return refitted_loss(context, model, task, rows, np.flatnonzero(held_out))
