"""One search, every choice: the curves equal those of rows really left out."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut, LeaveOneOut, StratifiedKFold

from lookalike import KNeighborsClassifier, KNeighborsRegressor
from lookalike.errors import ParameterError, ShapeError

RNG = np.random.default_rng(3)
ROWS = np.round(RNG.normal(size=(90, 3)), 1)
LABELS = (ROWS[:, 0] + RNG.normal(size=90) > 0).astype(int) + (ROWS[:, 1] > 1)
TARGET = ROWS[:, 0] + RNG.normal(size=90)
GROUPS = RNG.integers(0, 12, size=90)
K = range(1, 9)


def left_out(kind, splits, targets, k, method, **parameters):
    """Answers for the rows of each split by a model fitted on the others, slowly."""
    answer = None
    for train, test in splits:
        model = kind(k, **parameters).fit(ROWS[train], targets[train])
        found = getattr(model, method)(ROWS[test])
        answer = np.zeros((90, *np.shape(found)[1:]), found.dtype) if answer is None else answer
        answer[test] = found
    return answer


def splitter(method, groups):
    if method == "loo":
        split = LeaveOneOut() if groups is None else LeaveOneGroupOut()
    else:
        split = StratifiedKFold(5) if groups is None else GroupKFold(5)
    return list(split.split(ROWS, LABELS, groups))


@pytest.mark.parametrize("method", ["loo", "cv"])
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["rows", "groups"])
@pytest.mark.parametrize("ties", ["grow", "nearest", "fewer"])
def test_errors_of_every_k_equal_those_of_rows_really_left_out(method, groups, ties):
    model = KNeighborsClassifier(ties=ties, k_max=8).fit(ROWS, LABELS)
    selection = model.select(groups=groups)
    for weights in ("uniform", "distance"):
        curve = selection.curves[method, weights]
        for k in K:
            answer = left_out(
                KNeighborsClassifier,
                splitter(method, groups),
                LABELS,
                k,
                "predict",
                ties=ties,
                weights=weights,
            )
            assert curve.scores["error"][k - 1] == pytest.approx(
                np.mean(answer != LABELS), abs=1e-15
            )
            assert curve.scores["balanced_accuracy"][k - 1] == pytest.approx(
                balanced_accuracy_score(LABELS, answer), abs=1e-14
            )


def test_leave_one_out_errors_equal_a_brute_count_over_all_distances():
    X, y = load_digits(return_X_y=True)
    X, y = np.round(X[:400] / 4), y[:400]  # few values, so that many distances are equal
    found = KNeighborsClassifier("loo", k_max=25).fit(X, y).selection_.curves["loo", "uniform"]
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    for k in range(1, 26):
        wrong = 0
        for i in range(400):
            reach = np.sort(squared[i])[k - 1]
            while True:  # all rows as near as the k-th vote, and the next shells while level
                votes = np.bincount(y[squared[i] <= reach], minlength=10)
                if np.count_nonzero(votes == votes.max()) == 1:
                    break
                reach = squared[i][squared[i] > reach].min()
            wrong += votes.argmax() != y[i]
        assert found.scores["error"][k - 1] == pytest.approx(wrong / 400, abs=1e-15)


def test_log_loss_of_every_k_is_that_of_the_shares_of_rows_left_out():
    curve = KNeighborsClassifier(k_max=8).fit(ROWS, LABELS).select().curves["loo", "uniform"]
    for k in K:
        share = left_out(KNeighborsClassifier, splitter("loo", None), LABELS, k, "predict_proba")
        assert curve.scores["log_loss"][k - 1] == pytest.approx(log_loss(LABELS, share), rel=1e-12)


@pytest.mark.parametrize("weights", ["uniform", "distance", "function"])
def test_errors_of_numbers_equal_those_of_rows_really_left_out(weights):
    weigh = (lambda d: np.exp(-d)) if weights == "function" else weights
    model = KNeighborsRegressor(k_max=8, weights=weigh).fit(ROWS, TARGET)
    curve = model.select(weights=[weigh]).curves[
        "loo", "<lambda>" if weights == "function" else weights
    ]
    for k in K:
        answer = left_out(
            KNeighborsRegressor, splitter("loo", None), TARGET, k, "predict", weights=weigh
        )
        gap = answer - TARGET
        assert curve.scores["mse"][k - 1] == pytest.approx(np.mean(gap**2), rel=1e-12)
        assert curve.scores["rmse"][k - 1] == pytest.approx(np.sqrt(np.mean(gap**2)), rel=1e-12)
        assert curve.scores["mae"][k - 1] == pytest.approx(np.mean(np.abs(gap)), rel=1e-12)


def test_standard_errors_are_over_rows_and_over_folds():
    selection = KNeighborsClassifier(k_max=8).fit(ROWS, LABELS).select()
    answer = left_out(KNeighborsClassifier, splitter("loo", None), LABELS, 3, "predict")
    wrong = (answer != LABELS).astype(float)
    found = selection.curves["loo", "uniform"].standard_errors["error"][2]
    assert found == pytest.approx(wrong.std(ddof=1) / np.sqrt(90), rel=1e-12)
    answer = left_out(KNeighborsClassifier, splitter("cv", None), LABELS, 3, "predict")
    each = [np.mean(answer[test] != LABELS[test]) for _, test in splitter("cv", None)]
    found = selection.curves["cv", "uniform"].standard_errors["error"][2]
    assert found == pytest.approx(np.std(each, ddof=1) / np.sqrt(5), rel=1e-12)


@pytest.mark.parametrize("kind", [KNeighborsClassifier, KNeighborsRegressor])
@pytest.mark.parametrize("method", ["loo", "cv"])
def test_the_best_k_is_chosen_and_used(kind, method):
    targets = LABELS if kind is KNeighborsClassifier else TARGET
    model = kind(method, k_max=8).fit(ROWS, targets)
    curve = model.selection_.curves[method, "uniform"]
    assert model.n_neighbors_ == 1 + curve.scores[model.selection_.score].argmin()
    fixed = kind(model.n_neighbors_).fit(ROWS, targets)
    np.testing.assert_array_equal(model.predict(ROWS), fixed.predict(ROWS))
    assert model.selection_.one_standard_error(method) >= model.n_neighbors_
    assert model.decisions_.about("n_neighbors")[0].choice == str(model.n_neighbors_)


def test_all_curves_come_from_one_search_of_all_rows():
    model = KNeighborsClassifier(k_max=8).fit(ROWS, LABELS)
    asked = []
    query = type(model.space_.index).query

    def watched(index, rows, k, **how):
        asked.append(len(rows))
        return query(index, rows, k, **how)

    with mock.patch.object(type(model.space_.index), "query", watched):
        model.select()
    assert asked.count(90) == 1
    assert sum(asked[1:]) < 90  # a few rows whose ties needed more neighbors


def test_k_max_shrinks_to_what_rows_left_out_leave():
    model = KNeighborsClassifier("loo").fit(ROWS[:8], [0, 1] * 4)
    assert model.selection_.k.tolist() == [1, 2, 3, 4, 5, 6]  # folds of 2 leave 6 rows
    assert model.decisions_.about("k_max")[0].choice == "6"


def test_guides_are_the_root_of_n_and_it_made_odd():
    assert KNeighborsClassifier().fit(ROWS, LABELS).select().guides == {"sqrt_n": 9, "odd": 9}


def test_what_cannot_be_chosen_is_an_error():
    with pytest.raises(ParameterError, match="groups matter where K is chosen"):
        KNeighborsClassifier(3).fit(ROWS, LABELS, groups=GROUPS)
    with pytest.raises(ShapeError, match="groups has shape"):
        KNeighborsClassifier("loo").fit(ROWS, LABELS, groups=GROUPS[:4])
    with pytest.raises(ShapeError, match="n_samples = 1"):
        KNeighborsRegressor("loo").fit([[0.0]], [1.0])
    selection = KNeighborsClassifier("loo").fit(ROWS, LABELS).selection_
    with pytest.raises(ParameterError, match="no curve of method 'loop'"):
        selection.best("loop")
    with pytest.raises(ParameterError, match="score='mse' is not known"):
        selection.best("loo", score="mse")


@pytest.mark.parametrize("kind", [KNeighborsClassifier, KNeighborsRegressor])
def test_a_sample_of_rows_may_be_held_out_with_all_others_as_neighbors(kind):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    model = kind(3, k_max=6).fit(X, y)
    whole, same = model.select(), model.select(rows=np.arange(120))
    for key, curve in whole.curves.items():
        for score, values in curve.scores.items():
            np.testing.assert_allclose(same.curves[key].scores[score], values, atol=1e-14)
    some = rng.permutation(120)[:40]
    part = model.select(rows=some)
    assert part.n_rows == 40
    near = kind(1).fit(X, y).kneighbors(n_neighbors=1, return_distance=False)[some, 0]
    assert part.curves["loo", "uniform"].scores[part.score][0] == pytest.approx(
        np.mean((y[near] - y[some]) ** 2)
    )
    with pytest.raises(ParameterError, match="numbers from 0 to 119"):
        model.select(rows=[120])


@pytest.mark.parametrize("ties", ["grow", "nearest"])
def test_in_sample_scores_are_those_of_the_training_rows_themselves(ties):
    rng = np.random.default_rng(12)
    X, y = rng.integers(0, 5, size=(40, 2)).astype(float), rng.choice(["a", "b"], size=40)
    model = KNeighborsClassifier("loo", ties=ties, k_max=6).fit(X, y)
    for k in range(1, 7):
        fixed = KNeighborsClassifier(k, ties=ties).fit(X, y)
        error = np.mean(fixed.predict(X) != y)
        assert model.selection_.in_sample["uniform"].scores["error"][k - 1] == pytest.approx(error)
    numbers = KNeighborsRegressor("loo", k_max=6).fit(X, X[:, 0])
    mse = np.mean((KNeighborsRegressor(4).fit(X, X[:, 0]).predict(X) - X[:, 0]) ** 2)
    assert numbers.selection_.in_sample["uniform"].scores["mse"][3] == pytest.approx(mse)


def test_guides_are_decisions_to_compare_with():
    rng = np.random.default_rng(13)
    model = KNeighborsClassifier("loo").fit(rng.normal(size=(100, 2)), rng.integers(0, 2, 100))
    assert "10, odd 11" in str(model.decisions_.about("guide for n_neighbors")[0].choice)
