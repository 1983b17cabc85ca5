"""Data editing: what is kept answers as before, what is dropped was outvoted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from lookalike import CondensedNearestNeighbour, EditedNearestNeighbours, KNeighborsClassifier
from lookalike.errors import ParameterError, ShapeError

RNG = np.random.default_rng(2)
CENTRES = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
LABELS = RNG.integers(0, 3, size=300)
ROWS = CENTRES[LABELS] + RNG.normal(size=(300, 2))
NAMES = np.array(["a", "b", "c"])[LABELS]


def condensed_slowly(X, y):
    """FCNN by its definition: every kept row asks for the nearest stranger in its cell."""
    gaps = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    kept = []
    for label in np.unique(y):
        own = np.flatnonzero(y == label)
        to_mean = ((X[own] - X[own].mean(axis=0)) ** 2).sum(axis=1)
        kept.append(own[to_mean.argmin()])
    while True:
        kept = sorted(kept)
        owner = np.array(kept)[gaps[:, kept].argmin(axis=1)]
        asked = []
        for row in kept:
            cell = [q for q in np.flatnonzero((owner == row) & (y != y[row])) if q not in kept]
            if cell:
                asked.append(min(cell, key=lambda q, row=row: (gaps[q, row], q)))
        if not asked:
            return np.array(kept)
        kept += asked


@pytest.mark.parametrize(
    "model", [CondensedNearestNeighbour(), EditedNearestNeighbours()], ids=repr
)
@pytest.mark.filterwarnings("ignore:All ")
def test_scikit_learns_checks_pass(model):
    results = check_estimator(model, on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


def test_condensing_is_the_definition():
    model = CondensedNearestNeighbour().fit(ROWS, NAMES)
    np.testing.assert_array_equal(model.rows_, condensed_slowly(ROWS, NAMES))


def test_the_rows_kept_predict_the_label_of_every_row():
    model = CondensedNearestNeighbour().fit(ROWS, NAMES)
    assert model.consistent_
    assert model.agreement_ == 1.0
    assert len(model.rows_) < 150
    small = KNeighborsClassifier(1).fit(ROWS[model.rows_], NAMES[model.rows_])
    np.testing.assert_array_equal(small.predict(ROWS), NAMES)
    assert (
        "every training row is predicted correctly"
        in model.decisions_.about("consistent")[0].reason
    )


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(80)))
def test_the_order_of_the_rows_does_not_change_what_is_kept(order):
    order = np.array(order)
    here = CondensedNearestNeighbour().fit_select(ROWS[:80], LABELS[:80])
    there = CondensedNearestNeighbour().fit_select(ROWS[order], LABELS[order])
    np.testing.assert_array_equal(here, np.sort(order[there]))


def test_conflicting_duplicates_end_the_search_and_are_reported():
    rows = [[0.0], [0.0], [1.0], [5.0]]
    model = CondensedNearestNeighbour().fit(rows, ["a", "b", "a", "b"])
    assert not model.consistent_
    assert "exact duplicates of other labels" in model.decisions_.about("consistent")[0].reason


def test_editing_drops_the_rows_that_their_neighbors_outvote():
    model = EditedNearestNeighbours(repeats=1).fit(ROWS, NAMES)
    left_out = KNeighborsClassifier(3).fit(ROWS, NAMES).predict()
    np.testing.assert_array_equal(model.rows_, np.flatnonzero(left_out == NAMES))
    np.testing.assert_array_equal(model.dropped_[0], np.flatnonzero(left_out != NAMES))


def test_repeated_editing_ends_when_no_row_is_outvoted():
    model = EditedNearestNeighbours().fit(ROWS, NAMES)
    kept = model.rows_
    again = KNeighborsClassifier(3).fit(ROWS[kept], NAMES[kept]).predict()
    np.testing.assert_array_equal(again, NAMES[kept])
    assert len(model.dropped_) >= 2


def test_a_mislabeled_row_is_dropped():
    wrong = NAMES.copy()
    inside = int(((ROWS - CENTRES[0]) ** 2).sum(axis=1).argmin())
    wrong[inside] = "b"
    assert inside not in EditedNearestNeighbours().fit_select(ROWS, wrong)


def test_any_classifier_is_fitted_on_the_rows_kept():
    model = CondensedNearestNeighbour(KNeighborsClassifier(3)).fit(ROWS, NAMES)
    assert model.estimator_.n_samples_fit_ == len(model.rows_)
    np.testing.assert_array_equal(model.predict(ROWS), model.estimator_.predict(ROWS))


def test_rows_that_are_all_outvoted_are_kept_with_a_warning():
    with pytest.warns(UserWarning, match="All 4 rows left are outvoted"):
        model = EditedNearestNeighbours(n_neighbors=1).fit(
            [[0.0], [0.1], [5.0], [5.1]], list("abab")
        )
    assert model.rows_.tolist() == [0, 1, 2, 3]


def test_what_cannot_be_edited_is_an_error():
    with pytest.raises(ShapeError, match="n_samples = 3"):
        EditedNearestNeighbours().fit(ROWS[:3], NAMES[:3])
    with pytest.raises(ParameterError, match="repeats=0"):
        EditedNearestNeighbours(repeats=0).fit(ROWS, NAMES)
    with pytest.raises(ParameterError, match="engine='dask' leaves the rows in their source"):
        CondensedNearestNeighbour(engine="dask").fit(ROWS, NAMES)
