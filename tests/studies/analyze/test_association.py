"""Associations equal those of SciPy and of the filters, and noise is not called an association."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import lookalike
from lookalike.studies.analyze.association import (
    association,
    correct_associations,
    correlation_ratio,
    cramers_v,
)


def test_two_numbers_have_spearmans_correlation_with_its_p_value_and_an_interval():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80).round(1)
    y = x + rng.normal(size=80)
    found, expected = association(x, y), stats.spearmanr(x, y)
    assert found.measure == "Spearman's rank correlation"
    assert found.value == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.interval[0] < found.value < found.interval[1]


def test_a_number_and_classes_have_the_correlation_ratio_of_ranks_of_the_filters():
    rng = np.random.default_rng(1)
    classes = rng.integers(3, size=90)
    x = rng.normal(size=90) + classes
    found = association(x, classes)
    ranks = stats.rankdata(x)[:, None]
    scores, pvalues = lookalike.feature_selection.pearson(ranks, classes.astype(str))
    share = float(scores[0]) ** 2
    assert found.p_value == pytest.approx(float(pvalues[0]))
    assert found.value == pytest.approx((1 - (1 - share) * 89 / 87) ** 0.5)
    assert association(classes, x).value == pytest.approx(found.value)


def test_categories_and_classes_have_cramers_v_with_the_p_value_of_the_chi_square_test():
    rng = np.random.default_rng(2)
    a = rng.integers(4, size=400)
    b = np.where(rng.random(400) < 0.3, a % 2, rng.integers(2, size=400))
    found = cramers_v(a, b)
    table = np.histogram2d(a, b, (4, 2))[0]
    expected = stats.chi2_contingency(table, correction=False)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert 0 < found.value < (expected.statistic / 400) ** 0.5


def test_a_copy_has_association_1_and_rare_categories_count_as_one():
    codes = np.arange(300) % 3
    assert cramers_v(codes, codes).value == pytest.approx(1.0)
    assert correlation_ratio(codes, codes.astype(float)).value == pytest.approx(1.0)
    identifiers = np.arange(300)
    assert cramers_v(identifiers, codes) is None  # one category of rare ones is left


def test_constant_columns_and_few_rows_have_no_association():
    x = np.arange(20.0)
    assert association(np.ones(20), x) is None
    assert association(x[:9], x[:9]) is None


def test_among_noise_columns_nothing_is_detected_more_often_than_the_level():
    alarms = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.integers(3, size=120)
        numbers = [association(rng.normal(size=120), y) for _ in range(10)]
        codes = [association(rng.integers(4, size=120), y) for _ in range(10)]
        alarms += any(one.detected for one in correct_associations([*numbers, *codes]))
    assert alarms <= 6  # 2 are expected at 5%


def test_holm_multiplies_the_least_p_value_by_the_number_of_tests():
    rng = np.random.default_rng(3)
    found = [association(rng.normal(size=50), rng.normal(size=50)) for _ in range(4)]
    least = min(one.p_value for one in found)
    corrected = correct_associations([None, *found])
    assert corrected[0] is None
    assert min(one.p_value for one in corrected[1:]) == pytest.approx(min(4 * least, 1.0))
