"""Tests of a mean over held-out rows of several folds, and their correction for many tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t

from lookalike.studies.format import Interval
from lookalike.typing import Array, Rows


class MeanTest(NamedTuple):
    """A mean over held-out rows, its 95% interval, and the p-value of a mean of at most 0."""

    mean: float
    interval: Interval
    p_value: float


def mean_over_folds(values: Array, fold: Rows, groups: Rows | None = None) -> MeanTest:
    r"""Test whether the mean of a value of held-out rows is above 0 for other models and rows.

    Its variance is that over rows (or groups of rows), and that of the models: by how much the
    means of folds vary more than their rows explain [DerSimonian86], τ². Models of folds share
    most of their training rows, so that J of them count as :math:`(1/J + 1/(J-1)) τ^2` [Nadeau03].
    Student's t has one degree of freedom less than rows (or groups) have a value other than 0: a
    mean of a few rows is not normal.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        One value of every held-out row.
    fold : ndarray of shape (n_rows,)
        The fold of each, a number from zero.
    groups : ndarray of shape (n_rows,), optional
        Rows of one group are not independent.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> tested = mean_over_folds(rng.normal(0.5, 1.0, 500), np.arange(500) % 5)
    >>> tested.mean > 0.4, tested.p_value < 0.01
    (True, True)
    """
    n_rows, mean = len(values), float(values.mean())
    units = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_units = int(units.max()) + 1
    n_changed = int(np.count_nonzero(np.bincount(units, np.abs(values))))
    if n_units < 2 or n_changed < 2:
        return MeanTest(mean, (min(mean, 0.0), max(mean, 0.0)), 1.0)
    sums = np.bincount(units, values - mean)
    variance = float(sums @ sums) / n_rows**2 * n_units / (n_units - 1)
    variance += _variance_of_models(values, fold, variance)
    if variance == 0:
        return MeanTest(mean, (mean, mean), 0.0 if mean > 0 else 1.0)
    reach = float(t.ppf(0.975, n_changed - 1)) * variance**0.5
    p_value = float(t.sf(mean / variance**0.5, n_changed - 1))
    return MeanTest(mean, (mean - reach, mean + reach), p_value)


def _variance_of_models(values: Array, fold: Rows, of_rows: float) -> float:
    """Return what models of other training rows add to the variance of the mean."""
    size = np.bincount(fold)
    size = size[size > 0]
    n_folds = len(size)
    if n_folds < 2:
        return 0.0
    means = np.bincount(fold, values)[np.bincount(fold) > 0] / size
    by_rows = of_rows * len(values) * float((1 / size).mean())  # of the mean of one fold
    between = max(float(means.var(ddof=1)) - by_rows, 0.0)
    return (1 / n_folds + 1 / (n_folds - 1)) * between


def holm(p_values: ArrayLike, n_tests: int | None = None) -> Array:
    """Return p-values adjusted for their number [Holm79], or for more tests than are given.

    Examples
    --------
    >>> holm([0.01, 0.5, 0.02]).tolist()
    [0.03, 0.5, 0.04]
    """
    given = np.asarray(p_values, np.float64)
    n_tests = len(given) if n_tests is None else n_tests
    order = np.argsort(given, kind="stable")
    steps = given[order] * (n_tests - np.arange(len(given)))
    adjusted = np.empty(len(given))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
