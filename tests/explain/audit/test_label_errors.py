"""The probability that a label is wrong is calibrated, continuous, and fair to rare classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from lookalike import audit
from lookalike.errors import ShapeError
from lookalike.explain import out_of_fold_probabilities
from lookalike.explain.audit.label_errors import best_cutoff, label_errors


def overlapping(n, rng, apart=2.5):
    """Three normal groups that overlap."""
    y = rng.integers(3, size=n)
    corner = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.87]])
    return apart * corner[y] + rng.normal(size=(n, 2)), y


def changed(y, share, rng):
    """Change a share of the labels to another class."""
    wrong = rng.random(len(y)) < share
    return np.where(
        wrong, (y + rng.integers(1, y.max() + 1, size=len(y))) % (y.max() + 1), y
    ), wrong


def found(X, y):
    return audit(X, y, probabilities=[out_of_fold_probabilities(LogisticRegression(), X, y)])


def test_changed_labels_of_classes_that_overlap_are_found():
    rng = np.random.default_rng(0)
    X, y = overlapping(1500, rng)
    given, wrong = changed(y, 0.05, rng)
    flagged = found(X, given).rows("mislabel")
    hits = wrong[flagged].sum()
    assert 2 * hits / (len(flagged) + wrong.sum()) > 0.5


def test_probabilities_are_right_on_average_in_every_range():
    probability, wrong = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = overlapping(1000, rng)
        given, is_wrong = changed(y, 0.08, rng)
        probability.append(found(X, given).mislabel)
        wrong.append(is_wrong)
    p, w = np.concatenate(probability), np.concatenate(wrong)
    for low, high in ((0.0, 0.1), (0.1, 0.4), (0.4, 0.8), (0.8, 1.0)):
        here = (p >= low) & (p <= high)
        chance = 3 * np.sqrt(p[here].mean() * (1 - p[here].mean()) / here.sum())
        assert abs(p[here].mean() - w[here].mean()) < 0.03 + chance


def test_noise_is_seen_through_the_bold_probabilities_of_a_linear_model():
    flagged = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        z = 14 * rng.normal(size=400)  # log odds
        y = (rng.random(400) < 1 / (1 + np.exp(-z))).astype(int)
        given, wrong = changed(y, 0.05, rng)
        share = 1 / (1 + np.exp(-z))
        probability, _, _, cutoff, _ = label_errors([np.column_stack([1 - share, share])], given)
        flagged.append(np.count_nonzero((probability >= cutoff) & wrong) / wrong.sum())
    assert min(flagged) > 0.6


def test_scores_are_a_ranking_and_not_one_number():
    rng = np.random.default_rng(1)
    X, y = overlapping(800, rng, apart=8.0)
    given, _ = changed(y, 0.1, rng)
    result = audit(X, given)
    flagged = result.rows("mislabel")
    assert len(flagged) > 50
    assert len(np.unique(result.mislabel[flagged])) > 0.9 * len(flagged)
    assert (np.diff(result.mislabel[flagged]) <= 0).all()


def test_clean_rows_of_a_rare_class_are_not_flagged_wholesale():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = (rng.random(2000) < 0.03).astype(int)
        X = rng.normal(size=(2000, 5)) + 1.5 * y[:, None] * np.array([1, 1, 0, 0, 0])
        assert len(audit(X, y).rows("mislabel")) <= 2
        flagged = found(X, y).rows("mislabel")
        assert len(flagged) <= 0.005 * 2000
        assert y[flagged].sum() < y.sum() / 5


def test_few_rows_of_classes_that_overlap_much_are_not_flagged_without_significant_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = (X[:, 0] + 0.5 * X[:, 1] ** 2 + 1.2 * rng.normal(size=300) > 0.5).astype(int)
    assert len(found(X, y).rows("mislabel")) == 0


def test_parameters_of_some_rows_find_the_wrong_labels_of_all(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = overlapping(3000, rng, apart=5)
    given, wrong = changed(y, 0.05, rng)
    shares = [out_of_fold_probabilities(LogisticRegression(), X, given)]
    every, _, noise, *_ = label_errors(shares, given)
    monkeypatch.setattr("lookalike.explain.audit.label_errors.MOST_FITTED", 1000)
    some, _, of_some, cutoff, _ = label_errors(shares, given)
    assert abs(of_some - noise) < 0.015
    assert np.corrcoef(some, every)[0, 1] > 0.98
    assert np.mean(some[wrong] >= cutoff) > 0.85


@pytest.mark.parametrize("seed", [1, 4])
def test_a_class_without_votes_is_not_taken_for_impossible(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=1000)
    X = rng.normal(size=(1000, 3))
    X[:, 0] += 2 * y
    votes = out_of_fold_probabilities(KNeighborsClassifier(8), X, y)
    assert len(audit(X, y, probabilities=[votes]).rows("mislabel")) <= 5


def test_rows_unlike_all_classes_are_not_flagged_where_wrong_labels_are_seldom():
    rng = np.random.default_rng(1)
    y = rng.integers(20, size=2000)
    sure = np.full((2000, 20), 0.1 / 19)
    sure[np.arange(2000), y] = 0.9
    strange = np.arange(12)  # no class fits them well, their own least of all
    sure[strange] = 0.999 / 19
    sure[strange, y[strange]] = 0.001
    wrong = np.arange(20, 40)
    given = y.copy()
    given[wrong] = (y[wrong] + 1) % 20
    probability, suggested, noise, cutoff, _ = label_errors([sure, sure], given)
    flagged = np.flatnonzero(probability >= cutoff)
    assert noise < 0.02
    assert not np.isin(flagged, strange).any()
    assert np.isin(wrong, flagged).mean() > 0.5
    assert np.array_equal(suggested[wrong], y[wrong])


def test_a_label_without_any_error_still_has_an_order():
    rng = np.random.default_rng(2)
    X, y = overlapping(300, rng)
    result = found(X, y)
    assert result.cutoff > 1
    assert len(result.rows("mislabel")) == 0
    assert len(np.unique(result.mislabel)) > 250
    assert len(result.rows("mislabel", least=0.0)) == 300


def test_a_class_of_two_rows_is_not_judged():
    rng = np.random.default_rng(3)
    X, y = overlapping(200, rng, apart=8.0)
    y = y.copy()
    y[:2] = 3
    assert (audit(X, y).mislabel[:2] == 0).all()


def test_the_cutoff_has_the_largest_expected_f1():
    rng = np.random.default_rng(4)
    probability = rng.beta(0.1, 0.5, size=400)
    expected = [
        2 * probability[probability >= cut].sum() / ((probability >= cut).sum() + probability.sum())
        for cut in probability
    ]
    assert best_cutoff(probability) == pytest.approx(max(expected) / 2)


def test_probabilities_of_other_classes_are_refused():
    X, y = overlapping(60, np.random.default_rng(0))
    with pytest.raises(ShapeError, match="60 rows of 3 classes"):
        audit(X, y, probabilities=[np.full((60, 2), 0.5)])


def test_one_class_has_no_errors():
    probability, _, _, cutoff, _ = label_errors([np.ones((5, 1))], np.zeros(5, np.int64))
    assert not probability.any()
    assert cutoff > 1


def test_overlapping_classes_are_rarely_called_wrong_beyond_doubt():
    """Two normal classes, no label is wrong; the model knows the true probabilities."""
    clear = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        codes = rng.integers(2, size=200)
        right = expit(2 * (rng.normal(2 * codes, 1.0) - 1))
        other = expit(2 * (rng.normal(2 * codes, 1.0) - 1))
        shares = [np.column_stack([1 - one, one]) for one in (right, other)]
        clear += label_errors(shares, codes).is_clear
    assert clear <= 3
    codes = rng.integers(2, size=600)
    far = expit(4 * (rng.normal(4 * codes, 1.0) - 2))
    flipped = np.where(rng.random(600) < 0.05, 1 - codes, codes)
    assert label_errors([np.column_stack([1 - far, far])] * 2, flipped).is_clear
