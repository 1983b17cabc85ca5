"""Association of a column with the target: one measure for each kind of pair, with its p-value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import special
from scipy.stats import rankdata

from lookalike.confidence import NORMAL_95_DEVIATIONS
from lookalike.studies.evaluate.fold_tests import holm
from lookalike.studies.format import Interval
from lookalike.studies.profile_results import Association
from lookalike.typing import AnyArray, Array, Rows

SPEARMAN_CORRELATION = "Spearman's rank correlation"
CORRELATION_RATIO = "correlation ratio of ranks"
CRAMERS_V = "Cramér's V"
ASSOCIATION_LEVEL = 0.05  # below which a corrected p-value means that an association was detected
MIN_ROWS_FOR_ASSOCIATION = 10  # with a value; of fewer nothing is said
MIN_ROWS_OF_CATEGORY = 10  # rows below which categories count as one


def association(column: AnyArray, target: AnyArray) -> Association | None:
    """Return the association of two columns; codes (integers) are categories, floats numbers.

    None where one of them is constant, or rows are fewer than 10. The p-value is not corrected
    yet; see `holm`.
    """
    n_rows = len(column)
    if (
        n_rows < MIN_ROWS_FOR_ASSOCIATION
        or (column == column[0]).all()
        or (target == target[0]).all()
    ):
        return None
    numbers = column.dtype.kind == "f", target.dtype.kind == "f"
    if all(numbers):
        return spearman(column, target)
    if not any(numbers):
        return cramers_v(column, target)
    return correlation_ratio(target, column) if numbers[0] else correlation_ratio(column, target)


def spearman(x: Array, y: Array) -> Association:
    """Return Spearman's rank correlation, its p-value (Student's t) and interval [Bonett00]."""
    n = len(x)
    rank_x, rank_y = rankdata(x), rankdata(y)
    value = float(np.clip(np.corrcoef(rank_x, rank_y)[0, 1], -1.0, 1.0))
    p_value = _f_test(value * value, 1, n - 2)
    return Association(
        SPEARMAN_CORRELATION, value, p_value, p_value < ASSOCIATION_LEVEL, n, _fisher(value, n)
    )


def _fisher(value: float, n: int) -> Interval:
    """Return the interval by Fisher's transformation, of variance (1 + r²/2) / (n − 3)."""
    if abs(value) >= 1:
        return value, value
    reach = NORMAL_95_DEVIATIONS * ((1 + value * value / 2) / (n - 3)) ** 0.5
    middle = float(np.arctanh(value))
    return float(np.tanh(middle - reach)), float(np.tanh(middle + reach))


def correlation_ratio(codes: Rows, numbers: Array) -> Association | None:
    """Return the correlation ratio of ranks between groups, and the p-value of the F-test.

    Groups of one row say nothing of the spread within: where nothing else is left, None.
    """
    codes = np.unique(codes, return_inverse=True)[1]
    rank = rankdata(numbers)
    n, size = len(rank), np.bincount(codes)
    if len(size) < 2 or n - len(size) < 1:
        return None
    deviation = rank - rank.mean()
    between = float((np.bincount(codes, deviation) ** 2 / size).sum())
    share = min(between / float(deviation @ deviation), 1.0)
    p_value = _f_test(share, len(size) - 1, n - len(size))
    adjusted = 1 - (1 - share) * (n - 1) / (n - len(size))
    return Association(
        CORRELATION_RATIO, max(adjusted, 0.0) ** 0.5, p_value, p_value < ASSOCIATION_LEVEL, n
    )


def _f_test(share: float, above: int, below: int) -> float:
    """Return the p-value of a share of explained variance."""
    if share >= 1:
        return 0.0
    return float(special.fdtrc(above, below, share / above / ((1 - share) / below)))


def cramers_v(first: Rows, second: Rows) -> Association | None:
    """Return the bias-corrected Cramér's V [Bergsma13], and the p-value of the chi-square test.

    Categories with fewer than 10 rows count as one, so that the test holds; None where only one is
    left.
    """
    a, b = _common(first), _common(second)
    n, rows, columns = len(a), int(a.max()) + 1, int(b.max()) + 1
    if rows < 2 or columns < 2:
        return None
    counts = np.bincount(a * columns + b, minlength=rows * columns).reshape(rows, columns)
    expected = counts.sum(axis=1)[:, None] * counts.sum(axis=0) / n
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    degrees = (rows - 1) * (columns - 1)
    excess = max(chi2 / n - degrees / (n - 1), 0.0)
    least = min(size - (size - 1) ** 2 / (n - 1) for size in (rows, columns)) - 1
    value = min((excess / least) ** 0.5, 1.0) if least > 0 else 0.0
    p_value = float(special.chdtrc(degrees, chi2))
    return Association(CRAMERS_V, value, p_value, p_value < ASSOCIATION_LEVEL, n)


def _common(codes: Rows) -> Rows:
    """Return codes from zero, those with few rows joined into one."""
    size = np.bincount(codes)
    joined = np.where(size[codes] < MIN_ROWS_OF_CATEGORY, len(size), codes)
    return np.unique(joined, return_inverse=True)[1]


def correct_associations(
    associations: Sequence[Association | None], level: float = ASSOCIATION_LEVEL
) -> list[Association | None]:
    """Return associations with p-values corrected for their number [Holm79].

    The chance that any of those detected is none is then at most `level`.
    """
    p = np.full(len(associations), 1.0)
    tested = [index for index, association in enumerate(associations) if association is not None]
    p[tested] = holm(
        [association.p_value for association in associations if association is not None]
    )
    return [
        None
        if association is None
        else replace(association, p_value=float(value), detected=bool(value < level))
        for association, value in zip(associations, p, strict=True)
    ]
