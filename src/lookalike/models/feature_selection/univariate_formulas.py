"""The formulas of the filters: scores and p-values of all columns from gathered sums."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from scipy import special

from lookalike.kernels.moments import ColumnMoments
from lookalike.reductions.by_class import ClassSummary
from lookalike.reductions.class_sums import ClassSumSummary
from lookalike.reductions.columns import ColumnSummary
from lookalike.reductions.target_columns import TargetMoments
from lookalike.typing import AnyArray, Array

Summary: TypeAlias = ClassSummary | ClassSumSummary | ColumnMoments
# The scores of all columns, 0 for a constant one and NaN for one without a value; and their
# p-values, None where no test goes with the score.
FilterScores: TypeAlias = tuple[Array, Array | None]


def correlation_of_numbers(sums: TargetMoments) -> FilterScores:
    """Return Pearson's r of each column with the target, and its two-sided p-value."""
    r, columns = _correlation(sums), sums.columns
    return _finish(r, _f_test(_line(r, columns.count), 1.0, columns.count - 2), columns)


def f_of_numbers(
    sums: TargetMoments, *, center: bool = True, force_finite: bool | None = None
) -> FilterScores:
    """Return the F-statistic of a straight line through the target, and its p-value.

    Of a line through the origin where `center` is false. With `force_finite` a line without error
    has the largest number in place of infinity; with False a constant has NaN.
    """
    columns, free = sums.columns, 2 if center else 1
    x, y, cross = columns.scatter, sums.scatter, sums.cross
    if not center:
        x, y = x + columns.count * columns.mean**2, y + columns.count * sums.mean**2
        cross = cross + columns.count * columns.mean * sums.mean
    share = np.minimum(_ratio(cross, x) * _ratio(cross, y), 1.0)  # of the variance: 1 on a line
    F = _ratio(share * np.maximum(columns.count - free, 0.0), 1.0 - share)
    p = _f_test(F, 1.0, columns.count - free)
    scores, pvalues = _finish(F, p, columns) if center else (F, p)
    if force_finite is None:
        return scores, pvalues
    if force_finite:
        return np.where(np.isinf(scores), np.finfo(np.float64).max, scores), pvalues
    constant = (x == 0) | (y == 0)
    return np.where(constant, np.nan, scores), np.where(constant, np.nan, pvalues)  # type: ignore[arg-type]


def correlation_of_classes(sums: ClassSummary) -> FilterScores:
    """Return the correlation of each column with the classes, and its p-value.

    Of two classes Pearson's r with 0 and 1 for the first and the second; of more the correlation
    ratio, which is the largest r with any numbers that could be given to the classes.
    """
    between, within = _between_and_within(sums)
    ratio = np.sqrt(_ratio(between, between + within))
    if len(sums.classes) == 2:
        ratio = ratio * np.sign(sums.mean[1] - sums.mean[0])
    return _finish(ratio, _f_test(*_anova(sums)), sums)


def f_of_classes(sums: ClassSummary) -> FilterScores:
    """Return the F-statistic of the one-way analysis of variance, and its p-value."""
    F, low, high = _anova(sums)
    return _finish(F, _f_test(F, low, high), sums)


def snr_of_classes(sums: ClassSummary) -> FilterScores:
    """Return the distance of the class means over the sum of their deviations.

    Of two classes the second less the first; of more the largest of any pair.
    """
    deviation = np.sqrt(_ratio(sums.scatter, sums.count))
    pairs = [np.zeros(sums.mean.shape[1])] * (len(sums.classes) < 2)
    for low, high in combinations(range(len(sums.classes)), 2):
        met = (sums.count[low] > 0) & (sums.count[high] > 0)
        difference = np.where(met, sums.mean[high] - sums.mean[low], 0.0)
        pairs.append(_ratio(difference, deviation[low] + deviation[high]))
    best = pairs[0] if len(pairs) == 1 else np.abs(pairs).max(axis=0)
    return _finish(best, None, sums)


def chi_square_of_classes(sums: ClassSumSummary) -> FilterScores:
    """Return the chi-square of each column, taken as counts of something, and its p-value.

    NaN for a column that counts nothing at all.
    """
    observed = sums.total
    expected = _ratio(sums.count, sums.count.sum(axis=0)) * observed.sum(axis=0)
    chi2 = np.asarray(_ratio((observed - expected) ** 2, expected).sum(axis=0))
    counted = observed.sum(axis=0) > 0
    chi2 = np.where(counted, chi2, np.nan)
    scores, pvalues = _finish(chi2, special.chdtrc(len(sums.classes) - 1, chi2), sums)
    assert pvalues is not None, "chi-square has a test"
    return np.where(counted, scores, np.nan), np.where(counted, pvalues, np.nan)


def chi_square_of_tables(tables: Sequence[Array]) -> FilterScores:
    """Return the chi-square of each table of counts, and its p-value."""
    results = []
    for full in tables:
        table = full[full.sum(axis=1) > 0][:, full.sum(axis=0) > 0]
        if not table.size:
            results.append((np.nan, np.nan))
            continue
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        chi2 = float(((table - expected) ** 2 / expected).sum())
        degrees = (table.shape[0] - 1) * (table.shape[1] - 1)
        results.append((chi2, float(special.chdtrc(degrees, chi2)) if degrees else 1.0))
    scores, pvalues = np.array(results).T
    return scores, pvalues


def information_of_tables(tables: Sequence[Array]) -> FilterScores:
    """Return the mutual information of each table of counts, in nats."""
    return np.array([_information(table) for table in tables]), None


def varies(sums: Any) -> AnyArray:
    """Return which columns have more than one value, by moments or by tables of counts."""
    if isinstance(sums, ClassSumSummary):
        return sums.varies
    if isinstance(sums, TargetMoments):
        return varies(sums.columns)
    if isinstance(sums, (ClassSummary, ColumnSummary, ColumnMoments)):
        return np.asarray(sums.most > sums.least)
    return np.array([np.count_nonzero(table.sum(axis=1)) > 1 for table in sums])


def jackknife_error(parts: Array) -> Array:
    r"""Return the standard error of a score, from its values with one group left out each.

    .. math:: s^2 = \frac{G-1}{G} \sum_g (\theta_{(g)} - \bar\theta)^2

    [Efron82].
    """
    finite = np.where(np.isfinite(parts), parts, np.nan)
    return np.asarray(np.sqrt((len(parts) - 1) * finite.var(axis=0)))


def _information(table: Array) -> float:
    total = table.sum()
    if total == 0:
        return np.nan
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if np.count_nonzero(rows) == 1 or np.count_nonzero(columns) == 1:
        return 0.0
    terms = table * total / np.where(table > 0, np.outer(rows, columns), 1.0)
    log = np.log(terms, out=np.zeros_like(terms), where=table > 0)
    return max(0.0, float((table * log).sum() / total))


def _correlation(sums: TargetMoments) -> Array:
    r = _ratio(sums.cross, np.sqrt(sums.columns.scatter) * np.sqrt(sums.scatter))
    return np.clip(r, -1.0, 1.0)


def _line(r: Array, count: Array) -> Array:
    """Return the F-statistic of a line that explains r^2 of the variance."""
    return _ratio(r**2 * np.maximum(count - 2, 0.0), 1.0 - r**2)


def _anova(sums: ClassSummary) -> tuple[Array, Array, Array]:
    """Return F and its two degrees of freedom."""
    between, within = _between_and_within(sums)
    groups = (sums.count > 0).sum(axis=0)
    low, high = groups - 1.0, sums.count.sum(axis=0) - groups
    return _ratio(between * np.maximum(high, 0.0), within * low), low, high


def _between_and_within(sums: ClassSummary) -> tuple[Array, Array]:
    start = sums.mean[np.argmax(sums.count > 0, axis=0), np.arange(sums.mean.shape[1])]
    shifted = sums.mean - start  # from the mean of a class with rows, so that offsets do no harm
    difference = shifted - _ratio((sums.count * shifted).sum(axis=0), sums.count.sum(axis=0))
    return (sums.count * difference**2).sum(axis=0), sums.scatter.sum(axis=0)


def _f_test(F: Array, low: Array | float, high: Array) -> Array:
    """Return the p-value of F, 1 where there are too few rows to test."""
    able = (np.asarray(low) > 0) & (high > 0)
    p = special.fdtrc(np.where(able, low, 1.0), np.where(able, high, 1.0), F)
    return np.where(able, np.where(np.isinf(F), 0.0, p), 1.0)


def _finish(scores: Array, pvalues: Array | None, sums: Summary) -> FilterScores:
    """Return the scores: 0 and a p-value of 1 for a constant column, NaN for an empty one."""
    empty, constant = ~np.isfinite(sums.least), ~varies(sums)

    def filled(values: Array, of_constant: float) -> Array:
        return np.where(empty, np.nan, np.where(constant, of_constant, values))

    p = None if pvalues is None else filled(np.asarray(pvalues), 1.0)
    return filled(scores, 0.0), p


def _ratio(above: Array, below: Array) -> Array:
    """Return above / below; a number over zero is infinite, zero over zero is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(above == 0, 0.0, above / below)
