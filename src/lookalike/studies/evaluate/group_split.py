"""Groups that a column names: the error of the selected model on values that it has not seen.

Rows of one patient, store or device are alike. Where each of them has several rows, random folds
hold out rows whose siblings the model has learned from, and its error is that for known values.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.bias_correction import OutOfFoldLosses, corrected_error
from lookalike.studies.evaluate.evaluation import HeldOutResult
from lookalike.studies.evaluate.fold_tests import mean_over_folds
from lookalike.studies.evaluation_results import OtherSplit
from lookalike.studies.load.columns import NAMED_ID
from lookalike.studies.load.copies import column_codes
from lookalike.studies.scoring import mean_losses
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK, Task
from lookalike.typing import AnyArray, Array, Rows

RefittedLoss = Callable[[AnyArray, AnyArray], "Array | None"]  # of training and held-out rows
MIN_GROUP_VALUES = 10  # of a column whose values may be of patients or devices
MIN_VALUES_BY_ROOT = 0.5  # for the root of the rows: of fewer, it is likely that all are known,
TIMES_KNOWN_ERROR = 2.0  # and the error of new ones is stated only where it is this much higher,
MIN_TOLD_SHARE = 0.5  # or where values explain so much of the typical number beside the target
MIN_ROWS_OF_VALUE = 2.0  # on average
MIN_ALIKE_SHARE = 0.1  # of the spread of the target that values explain, beyond chance
MIN_GROUPS_HELD_OUT = 2  # to compare errors; where time is short, some folds are left out
MAX_SAME_ERROR_P = 0.01  # below which the error of unseen values is another one
MAX_SAME_ERROR_P_OF_FEW = 0.05  # of few values, whose error must be much higher as well


def grouping_columns(context: StudyContext, task: Task) -> list[tuple[str, Rows]]:
    """Return columns whose values repeat and go with the target, with the value of every row.

    The one that explains most comes first. Numbers are among them where they are named as numbers
    of something are: a measurement that repeats does not name anything.
    """
    dataset, y = context.original, np.asarray(context.dataset.y)
    columns_by_share = []
    for name, kind in dataset.kinds.items():
        named = kind == "category" or (kind == "number" and NAMED_ID.search(name))
        if not named or name == dataset.text:
            continue
        codes = column_codes(dataset.column(name))
        n_values = len(np.unique(codes))
        if not MIN_GROUP_VALUES <= n_values <= len(y) / MIN_ROWS_OF_VALUE:
            continue
        alike = share_explained(codes, y, task)
        if alike >= MIN_ALIKE_SHARE:
            columns_by_share.append((alike, name, codes))
    columns_by_share.sort(key=lambda one: -one[0])
    return [(name, codes) for _, name, codes in columns_by_share]


def share_explained(codes: Rows, y: AnyArray, task: Task) -> float:
    """Return the share of the variance of the target between values, less what chance makes it.

    Examples
    --------
    >>> from lookalike.studies.task import REGRESSION_TASK
    >>> share_explained(np.repeat(np.arange(50), 4), np.repeat(np.arange(50.0), 4), REGRESSION_TASK)
    1.0
    """
    inverse, size = np.unique(codes, return_inverse=True, return_counts=True)[1:]
    if task is CLASSIFICATION_TASK:
        targets = np.asarray(y[:, None] == np.unique(y), np.float64)
    else:
        targets = np.asarray(y, np.float64)[:, None]
    targets = targets - targets.mean(axis=0)
    means = np.stack([np.bincount(inverse, column) / size for column in targets.T], axis=1)
    total = float((targets**2).sum())
    if total == 0 or len(size) == len(y):
        return 0.0
    left = float(((targets - means[inverse]) ** 2).sum()) / total
    return 1.0 - left * (len(y) - 1) / (len(y) - len(size))


def explained_features(context: StudyContext, name: str, codes: Rows) -> float:
    """Return the share of the variance between values, of the median column of numbers.

    A device or a person shifts what is measured; a town, a product or a class of ticket does not.
    """
    dataset = context.original
    shares = []
    for other, kind in dataset.kinds.items():
        if kind == "number" and other != name:
            values = np.asarray(dataset.column(other), np.float64)
            known = np.isfinite(values)
            shares.append(share_explained(codes[known], values[known], REGRESSION_TASK))
    return float(np.median(shares)) if shares else 0.0


def unseen_values(
    context: StudyContext, result: HeldOutResult, task: Task, refitted_loss: RefittedLoss
) -> OtherSplit | None:
    """Return the error where all rows of a value are held out together, if it is higher."""
    columns = grouping_columns(context, task)
    if not columns:
        return None
    name, groups = columns[0]
    y, rng = np.asarray(context.dataset.y), np.random.default_rng(context.options.seed)
    fold = task.folds(y, context.options.effort.folds, rng, groups=groups)
    _, known = mean_losses(result.predictions, task)
    if len(known) != len(y):
        return None
    loss, deadline = np.full(len(y), np.nan), context.budget.deadline()
    seconds = result.winner.seconds / (result.n_repeats * (int(fold.max()) + 1))  # of a fold
    for part in np.unique(fold).tolist():
        if why := deadline.refuses(seconds):
            if part == 0:
                context.decisions.add(f"error for new values of {name!r}", "skipped", why)
            break
        begin = time.monotonic()
        of_fold = refitted_loss(fold != part, fold == part)
        if of_fold is None:
            return None
        loss[fold == part], seconds = of_fold, time.monotonic() - begin
    done = np.flatnonzero(~np.isnan(loss))
    if len(np.unique(groups[done])) < MIN_GROUPS_HELD_OUT:
        return None
    loss, known, fold, groups = loss[done], known[done], fold[done], groups[done]
    test = mean_over_folds(loss - known, fold, groups)
    error = corrected_error(
        OutOfFoldLosses((result.winner.name,), loss[None, None], fold[None], groups),
        task,
        seed=context.options.seed,
    )
    few = len(np.unique(columns[0][1])) < MIN_VALUES_BY_ROOT * len(y) ** 0.5
    least = result.scores.interval[1]
    if few and explained_features(context, name, columns[0][1]) < MIN_TOLD_SHARE:
        least = max(least, TIMES_KNOWN_ERROR * result.scores.error)
    limit = MAX_SAME_ERROR_P_OF_FEW if few else MAX_SAME_ERROR_P
    if test.p_value >= limit or error.value <= least:
        return None
    title = f"all rows of each {name!r} held out together"
    context.decisions.add("groups", f"also evaluated with {title}", "the error is higher")
    return OtherSplit("groups", title, error.value, error.interval, len(done), column=name)
