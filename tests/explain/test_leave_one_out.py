"""Leave-one-out predictions are those of the estimator, and effects of labels are exact."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from lookalike import KNeighborsClassifier, KNeighborsRegressor
from lookalike.errors import LookalikeError
from lookalike.explain.leave_one_out import leave_one_out

LETTERS = np.array(list("abcd"))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_curve_is_that_of_the_selection_of_k(weights, grouped):
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    groups = np.arange(300) // 3 if grouped else None
    model = KNeighborsClassifier(3, weights=weights).fit(X, y)
    each = leave_one_out(model, groups=groups)
    curve = model.select(groups=groups).curves["loo", weights]
    assert np.array_equal(each.error, curve.scores["error"])
    if not grouped:
        assert np.array_equal(each.predicted(), model.predict())


def test_the_curve_of_a_regressor_is_that_of_the_selection_of_k():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    model = KNeighborsRegressor(4, weights="distance").fit(X, y)
    curve = model.select().curves["loo", "distance"].scores["rmse"]
    assert leave_one_out(model).error == pytest.approx(curve, rel=1e-12)


@st.composite
def relabelings(draw):
    """Draw rows on a grid, so that distances tie, with labels, groups, and labels to change."""
    n_rows = draw(st.integers(6, 24))
    cells = st.integers(0, 3)
    rows = draw(st.lists(st.tuples(cells, cells), min_size=n_rows, max_size=n_rows))
    codes = draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))
    codes[0], codes[1] = 0, 1
    changes = draw(
        st.lists(st.tuples(st.integers(0, n_rows - 1), st.integers(0, 3)), min_size=1, max_size=4)
    )
    grouped = draw(st.booleans())
    return np.array(rows, float), np.array(codes), changes, grouped


@given(
    relabelings(),
    st.sampled_from(["uniform", "distance"]),
    st.sampled_from(["grow", "nearest", "fewer", "prior"]),
    st.integers(1, 4),
)
def test_the_effect_of_a_label_equals_counting_everything_again(drawn, weights, ties, k):
    X, codes, changes, grouped = drawn
    groups = np.arange(len(X)) // 2 if grouped else None
    labels = np.append(LETTERS[codes], LETTERS)  # every class keeps a row far away
    X = np.vstack([X, [[50.0 + i, 0.0] for i in range(4)]])
    groups = None if groups is None else np.append(groups, groups.max() + 1 + np.arange(4))

    def fitted(y):
        model = KNeighborsClassifier(k, weights=weights, ties=ties).fit(X, y)
        return leave_one_out(model, groups=groups)

    each = fitted(labels)
    for row, code in changes:
        label = str(LETTERS[code])
        effect = each.relabel_effect(row, label)
        after = labels.copy()
        after[row] = label
        again = fitted(after)
        changed = np.flatnonzero(each.predicted() != again.predicted())
        assert effect.rows.tolist() == changed.tolist()
        assert effect.predicted_after.tolist() == again.predicted()[changed].tolist()
        assert effect.error_before == each.error_at(each.selected)
        assert effect.error_after == again.error_at(each.selected)
        if ties != "prior":
            others = np.arange(len(labels)) != row
            mended = (each.predicted() != labels)[others].sum()
            mended -= (again.predicted() != after)[others].sum()
            assert each.harm(np.array([row]), np.array([label]))[0] == mended
        each = each.relabeled(row, label)
        labels = after
        assert np.array_equal(each.predictions.value, again.predictions.value)


def test_the_effect_of_a_number_equals_averaging_everything_again():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    each = leave_one_out(KNeighborsRegressor(3).fit(X, y))
    effect = each.relabel_effect(7, 5.0)
    y[7] = 5.0
    again = leave_one_out(KNeighborsRegressor(3).fit(X, y))
    assert effect.error_after == again.error_at(3)
    assert effect.rows.tolist() == np.flatnonzero(each.predicted() != again.predicted()).tolist()


def test_ranges_of_k_cover_every_k_and_follow_the_predictions():
    X, y = load_digits(return_X_y=True)
    each = leave_one_out(KNeighborsClassifier(3).fit(X[:200], y[:200]))
    for row in range(0, 200, 11):
        runs = each.ranges(row)
        assert runs[0][0] == 1
        assert runs[-1][1] == each.k[-1]
        for (_, last, before), (first, _, after) in pairwise(runs):
            assert first == last + 1
            assert after != before
        for first, last, predicted in runs:
            assert {each.predicted(k)[row] for k in range(first, last + 1)} == {predicted}


def test_models_with_weights_and_other_models_are_refused():
    weighted = KNeighborsClassifier(1).fit([[0.0], [1.0]], [0, 1], sample_weight=[1.0, 2.0])
    with pytest.raises(LookalikeError, match="sample weights"):
        leave_one_out(weighted)
    with pytest.raises(LookalikeError, match="not a class of the model"):
        leave_one_out(KNeighborsClassifier(1).fit([[0.0], [1.0]], [0, 1])).relabel_effect(0, "x")
