"""The kept model fitted again to other training rows, and what it gains by learning from all.

Losses of a fold are of models that learned from the other folds alone. Where a loss falls with the
number of rows as :math:`a + c / n`, those rows that the last fold adds lower it by the share 1/K of
what the second half of the other folds did [cf. Burman89].
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from scipy.stats import t
from sklearn.base import BaseEstimator, clone

from lookalike.errors import LookalikeError
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.kept_interval import variance_over_units
from lookalike.studies.select.split import Split
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import Array, Rows

MAX_ROWS_OF_GAIN = 1000  # beyond which a fold more changes the error by less than its interval


def refitted_loss(
    context: StudyContext, model: BaseEstimator, task: Task, train: Rows, held_out: Rows
) -> Array | None:
    """Return the losses on held-out rows of a model fitted again; None where it cannot be."""
    part, test = context.dataset.take(train), context.dataset.take(held_out)
    if task is CLASSIFICATION_TASK and len(np.unique(np.asarray(part.y))) < 2:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = clone(model).fit(part.source(), part.y)
            return task.loss(fitted.predict(test.source()), np.asarray(test.y))
    except (LookalikeError, ValueError) as error:
        context.decisions.add("other splits", "skipped", str(error))
        return None


def loss_of_half(
    context: StudyContext, model: BaseEstimator, task: Task, split: Split, seconds: float
) -> Array | None:
    """Return the loss of every row by the model, fitted to half of what its fold learns from.

    None where rows are many, where a fold does not fit the time, or where it cannot be fitted.
    `seconds` is what fitting it to a fold takes.
    """
    n_rows, groups = len(context.dataset), context.dataset.groups
    if n_rows >= MAX_ROWS_OF_GAIN or split.n_folds < 2:
        return None
    if why := context.budget.deadline().refuses(split.n_folds * seconds):
        context.decisions.add("gain of all rows", "skipped", why)
        return None
    losses = np.empty(n_rows)
    for train, held_out in split.first_repeats(1).parts:
        loss = refitted_loss(context, model, task, half_of(train, groups), held_out)
        if loss is None:
            return None
        losses[held_out] = loss
    return losses


def half_of(train: Rows, groups: Rows | None) -> Rows:
    """Return the first half of rows in random order, or those of the first half of their groups."""
    if groups is None:
        return train[: len(train) // 2]
    first = np.sort(np.unique(groups[train], return_index=True)[1])
    half = groups[train[first[: len(first) // 2]]]
    return train[np.isin(groups[train], half)]


class Gain(NamedTuple):
    """By what factor learning from all rows lowers a mean loss: surely, and as it is expected."""

    sure: float
    expected: float


def gain_of_all_rows(of_half: Array, own: Array, size: Array, mean: float, n_folds: int) -> Gain:
    """Return what learning from all rows leaves of a mean loss; 1 without a gain.

    What is sure is that of the lower end of the 95% interval of the gain.

    Parameters
    ----------
    of_half, own : array of shape (units,)
        Summed losses of every row, or group, by models of half of the rows of a fold, and of all.
    size : array of shape (units,)
        Rows of every unit.
    mean : float
        The mean loss, corrected for the selection: `own` is too low by chance.
    n_folds : int
        How many folds there are.

    Examples
    --------
    >>> ones = np.ones(100)
    >>> gain_of_all_rows(3 * ones, 2 * ones, ones, 2.0, 5)
    Gain(sure=0.9, expected=0.9)
    """
    n_rows, n_units = float(size.sum()), len(size)
    if mean <= 0 or n_units < 2:
        return Gain(1.0, 1.0)
    error = variance_over_units(of_half - own, size) ** 0.5
    optimism = max(mean - float(own.sum()) / n_rows, 0.0)
    half_gain = float((of_half - own).sum()) / n_rows - optimism
    reach = float(t.ppf(0.975, n_units - 1)) * error
    sure, expected = (
        1.0 - min(max(gain, 0.0), mean) / (n_folds * mean)  # a is not negative
        for gain in (half_gain - reach, half_gain)
    )
    return Gain(sure, expected)
