"""Tests of significance that sentences of a study rest on."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.stats import binomtest

from lookalike.explain.dimension import Dimension
from lookalike.studies.evaluation_results import OtherSplit
from lookalike.studies.results import HeldOutScores

SIGNIFICANCE_LEVEL = 0.05
WIDER_INTERVAL = 1.31  # reach of a 99% interval by that of a 95% interval


def compare_with_baseline(scores: HeldOutScores) -> Literal["better", "worse", "equal", ""]:
    """Return how a model compares with the baseline on the same rows; "" where unknown.

    Of numbers R² compares them, of classes McNemar's exact test, which takes the rows on which one
    of them alone is right.
    """
    if scores.r2_interval is not None:
        low, high = scores.r2_interval
        return "worse" if high < 0 else "better" if low > 0 else "equal"
    if not scores.confusion_matrix:
        return ""
    matrix = np.array(scores.confusion_matrix, np.float64) / scores.n_repeats
    share = matrix.sum(axis=1) / matrix.sum()
    common = int(np.abs(share - (1 - scores.baseline)).argmin())  # what the baseline predicts
    model_alone = round(np.trace(matrix) - matrix[common, common])
    baseline_alone = round(matrix[common].sum() - matrix[common, common])
    differ = model_alone + baseline_alone
    if differ == 0 or binomtest(model_alone, differ).pvalue >= SIGNIFICANCE_LEVEL:
        return "equal"
    return "worse" if baseline_alone > model_alone else "better"


def dimension_is_lower(dimension: Dimension | None, n_features: int) -> bool:
    """Return whether the intrinsic dimension is significantly below that of independent features.

    That is the number of features, and no more than what is estimated where each is shuffled.
    """
    if dimension is None:
        return False
    least = n_features if dimension.shuffled is None else dimension.shuffled[0]
    return dimension.interval[1] < min(n_features, least)


def is_worse_later(scores: HeldOutScores, later: OtherSplit) -> bool:
    """Return whether the error on the latest rows is higher than random splits let expect.

    With dated rows whose targets are not alike in time, the lower limit of the difference must be
    above 0 with 99% confidence, by the squared distances to the ends of both 95% intervals (MOVER)
    [Zou08].
    """
    if later.autocorrelation is not None:
        return later.error > scores.interval[1]
    reach = (later.error - later.interval[0]) ** 2 + (scores.interval[1] - scores.error) ** 2
    return bool(later.error - scores.error > WIDER_INTERVAL * reach**0.5)
