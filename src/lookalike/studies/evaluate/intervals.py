"""Confidence intervals of held-out scores: over rows, groups of rows, and repeated splits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.stats import t

from lookalike.confidence import wilson
from lookalike.studies.format import Interval
from lookalike.studies.results import Predictions
from lookalike.studies.scoring import recalls
from lookalike.typing import AnyArray, Array, Rows

BOOTSTRAP_DRAWS = 1000  # of the bootstrap
CONFIDENCE_LEVEL = 0.95


def bootstrap(
    statistic: Callable[[AnyArray], float],
    n_rows: int,
    seed: int,
    *,
    groups: Rows | None = None,
    draws: int = BOOTSTRAP_DRAWS,
) -> Interval:
    """Return the 95% bootstrap interval of a statistic of rows; groups are drawn as a whole."""
    rng = np.random.default_rng(seed)
    drawn = [statistic(rows) for rows in _samples(n_rows, groups, draws, rng)]
    finite = [value for value in drawn if np.isfinite(value)]
    if not finite:
        return float("nan"), float("nan")
    low, high = np.quantile(finite, [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2])
    return float(low), float(high)


def _samples(
    n_rows: int, groups: Rows | None, draws: int, rng: np.random.Generator
) -> Iterator[AnyArray]:
    if groups is None or len(np.unique(groups)) == n_rows:
        for _ in range(draws):
            yield rng.integers(n_rows, size=n_rows)
        return
    codes = np.unique(groups, return_inverse=True)[1]
    size = np.bincount(codes)
    order, begin = np.argsort(codes, kind="stable"), np.cumsum(size) - size
    for _ in range(draws):
        drawn = rng.integers(len(size), size=len(size))
        n_members = size[drawn]
        position = np.arange(n_members.sum()) - np.repeat(
            np.cumsum(n_members) - n_members, n_members
        )
        yield order[np.repeat(begin[drawn], n_members) + position]


def corrected_resampled(values: Array, test_share: float, least: float = 0.0) -> Interval:
    r"""Return the 95% interval of the mean of a score over repeated cross-validation.

    Training sets of the folds overlap, so that the scores of folds are correlated. The variance
    of their mean is estimated as

    .. math:: \left(\frac{1}{J} + \frac{n_2}{n_1}\right) S^2

    with J scores, S² their variance, and n_2 held-out rows for n_1 training rows [Nadeau03]; the
    interval is Student's with J − 1 degrees of freedom.

    Parameters
    ----------
    values : ndarray of shape (J,)
        The score of every fold of every repeat.
    test_share : float
        Held-out rows per training row.
    least : float
        What S² is at least: the variance that a score has by its rows alone.

    Examples
    --------
    >>> low, high = corrected_resampled(np.array([0.1, 0.2, 0.15, 0.12, 0.18]), 0.25)
    >>> round(low, 3), round(high, 3)
    (0.073, 0.227)
    """
    mean, n_scores = float(values.mean()), len(values)
    if n_scores < 2:
        return mean, mean
    variance = (1 / n_scores + test_share) * max(float(values.var(ddof=1)), least)
    reach = float(t.ppf((1 + CONFIDENCE_LEVEL) / 2, n_scores - 1)) * variance**0.5
    return mean - reach, mean + reach


def root_mean_interval(squares: Array) -> Interval:
    """Return the 95% interval of the root of a mean: Student's, of the logarithm of the mean.

    Squared errors are skewed, so that an interval of the mean itself, or a bootstrap of it, is too
    low where rows are few.

    Examples
    --------
    >>> low, high = root_mean_interval(np.array([1.0, 4.0, 9.0, 4.0, 1.0, 0.0, 4.0, 1.0]))
    >>> round(low, 2), round(high, 2)
    (1.15, 2.6)
    """
    n_rows, mean = len(squares), float(squares.mean())
    if n_rows < 2 or mean == 0:
        return mean**0.5, mean**0.5
    error = float(squares.std(ddof=1)) / (n_rows**0.5 * mean)
    reach = float(t.ppf((1 + CONFIDENCE_LEVEL) / 2, n_rows - 1)) * error
    return float((mean * np.exp(-reach)) ** 0.5), float((mean * np.exp(reach)) ** 0.5)


def hull(first: Interval, second: Interval) -> Interval:
    """Return the interval from the smaller low end to the larger high end."""
    return min(first[0], second[0]), max(first[1], second[1])


def recall_interval(rows: Predictions, value: float) -> Interval:
    """Return an interval as wide as that of the mean recall, from Wilson's of every class.

    A bootstrap of rows without an error has no width; this has. The squared distances to the
    ends of the recalls are added up (MOVER) [Zou08].
    """
    classes, counts = np.unique(rows.y_true, return_counts=True)
    ends = [wilson(float(r), int(n)) for r, n in zip(recalls(rows), counts, strict=True)]
    gaps = [(r - low, high - r) for r, (low, high) in zip(recalls(rows), ends, strict=True)]
    below, above = (float(np.sqrt(sum(g**2 for g in gap))) for gap in zip(*gaps, strict=True))
    return value - below / len(classes), value + above / len(classes)
