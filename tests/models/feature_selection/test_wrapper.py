"""Subsets of columns: the path of the search, its reference, and bad input."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier as PeerClassifier
from sklearn.neighbors import KNeighborsRegressor as PeerRegressor
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from lookalike import KNeighborsClassifier, StandardScaler
from lookalike.errors import (
    ColumnError,
    MagnitudeError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.feature_selection import SelectByWrapper, select_exhaustively
from lookalike.models.feature_selection.wrapper import default_neighbors
from lookalike.progress import listening

IRIS = load_iris(return_X_y=True)
CANCER = (StandardScaler().fit_transform(load_breast_cancer().data), load_breast_cancer().target)
DIABETES = load_diabetes(return_X_y=True)


def loo_accuracy(X, y, columns, k=5):
    """Return the leave-one-out accuracy on some columns, by the classifier of the package."""
    model = KNeighborsClassifier(k).fit(X[:, list(columns)], y)
    return float(np.mean(model.predict(None) == y))


@pytest.mark.parametrize(
    "model",
    [
        SelectByWrapper(),
        SelectByWrapper(direction="backward", n_neighbors=1),
        SelectByWrapper(direction="floating", k="one_se"),
        SelectByWrapper(DecisionTreeClassifier(random_state=0), cv=2, task="classification", k=1),
    ],
    ids=["forward", "backward", "floating", "tree"],
)
def test_it_is_an_estimator_of_scikit_learns_kind(model):
    results = check_estimator(model, on_skip=None, on_fail=None)
    assert not [r["check_name"] for r in results if r["status"] == "failed"]


def slow_path(X, y, direction):
    """Return the sets that a greedy search meets, scored one by one."""
    d = X.shape[1]
    current = set() if direction == "forward" else set(range(d))
    path = [] if direction == "forward" else [(tuple(range(d)), loo_accuracy(X, y, range(d)))]
    while len(current) != (d if direction == "forward" else 1):
        if direction == "forward":
            moves = [
                (loo_accuracy(X, y, sorted(current | {c})), -c) for c in set(range(d)) - current
            ]
            current |= {-max(moves)[1]}
        else:
            moves = [(loo_accuracy(X, y, sorted(current - {c})), c) for c in current]
            current -= {max(moves)[1]}
        path.append((tuple(sorted(current)), loo_accuracy(X, y, sorted(current))))
    return sorted(path, key=lambda step: len(step[0]))


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_the_path_is_that_of_a_search_that_fits_every_set(direction):
    X, y = CANCER[0][::3, :9], CANCER[1][::3]
    model = SelectByWrapper(direction=direction).fit(X, y)
    assert [(step.features, step.score) for step in model.path_] == slow_path(X, y, direction)
    best = max(model.path_, key=lambda step: (step.score, -len(step.features)))
    assert model.get_support(indices=True).tolist() == list(best.features)
    assert model.score_ == best.score
    step = model.path_[3]
    expected = np.sqrt(step.score * (1 - step.score) / (len(y) - 1))
    np.testing.assert_allclose(step.standard_error, expected)


def test_a_floating_search_is_never_behind_a_forward_one():
    X, y = CANCER[0][:, :14], CANCER[1]
    forward = SelectByWrapper().fit(X, y)
    floating = SelectByWrapper(direction="floating").fit(X, y)
    for plain, better in zip(forward.path_, floating.path_, strict=True):
        assert better.score >= plain.score
        assert better.score == loo_accuracy(X, y, better.features)
    assert floating.n_evaluated_ > forward.n_evaluated_


def test_leave_one_out_equals_scikit_learns_where_nothing_is_tied():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    step = SelectByWrapper(k=3, n_neighbors=3).fit(X, y).path_[-1]
    expected = cross_val_score(PeerClassifier(3), X, y, cv=LeaveOneOut()).mean()
    np.testing.assert_allclose(step.score, expected)
    numbers = X[:, 0] + 0.1 * rng.normal(size=60)
    step = SelectByWrapper(k=3, n_neighbors=3).fit(X, numbers).path_[-1]
    scores = cross_val_score(
        PeerRegressor(3), X, numbers, cv=LeaveOneOut(), scoring="neg_mean_squared_error"
    )
    np.testing.assert_allclose(step.score, scores.mean())
    np.testing.assert_allclose(step.standard_error, scores.std(ddof=1) / np.sqrt(60))


def test_other_scores_of_the_neighbors():
    X, y = CANCER
    accuracy = SelectByWrapper(k=2, scoring="accuracy").fit(X, y).path_[-1]
    balanced = SelectByWrapper(k=2, scoring="balanced_accuracy").fit(X, y).path_[-1]
    said = KNeighborsClassifier(5).fit(X[:, list(balanced.features)], y).predict(None)
    expected = np.mean([np.mean(said[y == c] == c) for c in (0, 1)])
    np.testing.assert_allclose(balanced.score, expected)
    assert accuracy.score >= np.mean(said == y)
    X, y = DIABETES
    squared, r2 = (SelectByWrapper(k=2, scoring=s).fit(X, y) for s in (None, "r2"))
    np.testing.assert_allclose(r2.score_, 1 + squared.score_ / y.var())
    absolute = SelectByWrapper(k=2, scoring="neg_mean_absolute_error").fit(X, y)
    assert -80 < absolute.score_ < 0


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_another_estimator_goes_the_way_of_scikit_learns_selector(direction):
    X, y = DIABETES
    model = SelectByWrapper(LinearRegression(), direction=direction, k=4, cv=3).fit(X, y)
    expected = SequentialFeatureSelector(
        LinearRegression(), direction=direction, n_features_to_select=4, cv=3
    ).fit(X, y)
    np.testing.assert_array_equal(model.get_support(), expected.get_support())
    scores = cross_val_score(LinearRegression(), X[:, model.get_support()], y, cv=3)
    np.testing.assert_allclose(model.score_, scores.mean())
    np.testing.assert_allclose(model.standard_error_, scores.std(ddof=1) / np.sqrt(3))


def test_the_smallest_set_within_a_standard_error_is_chosen():
    model = SelectByWrapper(k="one_se").fit(*CANCER)
    best = max(model.path_, key=lambda step: (step.score, -len(step.features)))
    limit = best.score - best.standard_error
    assert model.score_ >= limit
    size = model.get_support().sum()
    assert all(step.score < limit for step in model.path_ if len(step.features) < size)


def test_a_search_may_end_early_and_says_so():
    whole = SelectByWrapper().fit(*CANCER)
    early = SelectByWrapper(stop="one_se").fit(*CANCER)
    assert early.path_ == whole.path_[: len(early.path_)]
    assert len(early.path_) < len(whole.path_)
    last, before = early.path_[-1], early.path_[-2]
    assert last.score < before.score + before.standard_error
    assert early.decisions_.about("stop")
    back = SelectByWrapper(direction="backward", stop="one_se").fit(*CANCER)
    best = max(step.score for step in back.path_)
    assert back.path_[0].score < best <= back.path_[1].score + 0.1
    assert len(back.path_) < 30


def test_a_search_ends_at_the_largest_set_asked_for():
    assert len(SelectByWrapper(max_features=3).fit(*CANCER).path_) == 3


def test_of_equal_sets_the_lower_column_stays():
    X = np.column_stack([IRIS[0][:, 1], IRIS[0][:, 2], IRIS[0][:, 2]])
    for direction in ("forward", "backward"):
        model = SelectByWrapper(direction=direction, k=1).fit(X, IRIS[1])
        assert model.get_support(indices=True) == [1]


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(62, 2000)), np.repeat([0, 1], 31)
    X[:, 777] += 6 * y
    model = SelectByWrapper(max_features=3).fit(X, y)
    assert model.get_support(indices=True).tolist() == [777]


def test_a_constant_column_is_never_selected():
    X = np.column_stack([np.full(150, 2.0), IRIS[0]])
    for direction in ("forward", "backward", "floating"):
        model = SelectByWrapper(direction=direction, k=4).fit(X, IRIS[1])
        assert model.get_support(indices=True).tolist() == [1, 2, 3, 4]
        assert "1 never selected" in str(model.decisions_)
    with pytest.raises(ShapeError, match="No column of X varies"):
        SelectByWrapper().fit(np.ones((9, 2)), np.arange(9) % 2)


class StoppedError(Exception):
    pass


def test_an_interrupted_search_goes_on_where_it_stopped():
    X, y = CANCER
    model = SelectByWrapper(warm_start=True)

    def stop(label, done, total):
        if done == 4:
            raise StoppedError

    with pytest.raises(StoppedError), listening(stop):
        model.fit(X, y)
    assert not hasattr(model, "path_")
    model = pickle.loads(pickle.dumps(model)).fit(X, y)
    whole = SelectByWrapper().fit(X, y)
    assert model.path_ == whole.path_
    assert model.n_evaluated_ == whole.n_evaluated_
    assert "from 4 columns on" in str(model.decisions_)


def test_a_longer_search_goes_on_from_a_shorter_one():
    model = SelectByWrapper(k=3, warm_start=True).fit(*CANCER)
    assert model.set_params(k=6).fit(*CANCER).path_ == SelectByWrapper(k=6).fit(*CANCER).path_
    assert "from 3 columns on" in str(model.decisions_)
    model.set_params(k=2).fit(*IRIS)
    assert "the rows or the parameters differ" in str(model.decisions_)
    assert len(model.path_) == 2


def test_columns_of_uneven_scale_are_said():
    X, y = load_breast_cancer(return_X_y=True)
    assert "dominates the distances" in str(SelectByWrapper(k=1).fit(X, y).decisions_)
    assert not SelectByWrapper(k=1).fit(*CANCER).decisions_.about("scale")


def test_it_keeps_the_columns_of_a_frame_and_stands_in_a_pipeline():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(IRIS[0], columns=["a", "b", "c", "d"])
    model = SelectByWrapper().fit(frame, IRIS[1])
    assert list(model.transform(frame).columns) == model.get_feature_names_out().tolist()
    pipe = make_pipeline(SelectByWrapper(k=2), KNeighborsClassifier(3))
    assert pipe.fit(frame, IRIS[1]).score(frame, IRIS[1]) > 0.9


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"estimator": "knn"}, ParameterError, "'knn-loo'"),
        ({"estimator": 5}, ParameterTypeError, "has no fit"),
        ({"direction": "sideways"}, ParameterError, "'forward', 'backward', 'floating'"),
        ({"k": 9}, ParameterError, "k=9 is out of range"),
        ({"k": "some"}, ParameterError, "'best', 'one_se'"),
        ({"cv": 3}, ParameterError, "is leave-one-out"),
        ({"scoring": "r2"}, ParameterError, "'accuracy', 'balanced_accuracy'"),
        ({"n_neighbors": 150}, ParameterError, "n_neighbors <= 149"),
        ({"n_neighbors": 0}, ParameterError, "n_neighbors=0"),
        ({"estimator": LinearRegression(), "n_neighbors": 2}, ParameterError, "is for 'knn-loo'"),
        ({"stop": "soon"}, ParameterError, "None, 'one_se'"),
        ({"stop": "one_se", "k": 2}, ParameterError, "may end the search before"),
        ({"max_features": 2, "direction": "backward"}, ParameterError, "max_features limits"),
    ],
)
def test_a_wrong_parameter_is_said(parameters, error, words):
    with pytest.raises(error, match=words):
        SelectByWrapper(**parameters).fit(*IRIS)


def test_bad_rows_are_said():
    X, y = IRIS
    holes = X.copy()
    holes[4, 2] = np.nan
    with pytest.raises(MissingValueError, match="row 4, column 'x2'"):
        SelectByWrapper().fit(holes, y)
    with pytest.raises(ShapeError, match="one class only"):
        SelectByWrapper().fit(X, np.zeros(150, int))
    with pytest.raises(MagnitudeError, match=r"at row \d+, column \d: squared distances overflow"):
        SelectByWrapper().fit(X * 1e160, y)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ColumnError, match="column 'town'"):
        SelectByWrapper().fit(pandas.DataFrame({"town": ["a", "b"] * 75}), y)


def test_both_optimal_sets_of_the_five_truth_values_are_found():
    x1, x2, x5 = np.array(list(itertools.product([0, 1], repeat=3))).T
    X = np.column_stack([x1, x2, 1 - x2, 1 - x5, x5])
    found = select_exhaustively(X, x1 | x2, n_neighbors=1)
    assert found.subsets == ((0, 1), (0, 2))
    assert found.score == 1.0
    assert found.n_evaluated == 31
    assert found.named() == [("x0", "x1"), ("x0", "x2")]


def test_every_subset_is_evaluated():
    X, y = IRIS
    found = select_exhaustively(X, y)
    scores = {
        columns: loo_accuracy(X, y, columns)
        for size in range(1, 5)
        for columns in itertools.combinations(range(4), size)
    }
    assert found.n_evaluated == len(scores)
    best = max(scores.values())
    assert found.score == best
    least = min(len(c) for c, score in scores.items() if score == best)
    assert set(found.subsets) == {c for c, s in scores.items() if s == best and len(c) == least}
    for size, steps in enumerate(found.path, start=1):
        top = max(score for columns, score in scores.items() if len(columns) == size)
        assert {step.features for step in steps} == {
            c for c, s in scores.items() if len(c) == size and s == top
        }


def test_sets_of_few_columns_are_searched_with_any_estimator():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(DIABETES[0][:, :6], columns=list("abcdef"))
    found = select_exhaustively(X, DIABETES[1], LinearRegression(), max_size=2, cv=3)
    assert found.n_evaluated == 6 + 15
    assert len(found.path) == 2
    assert len(found.named()[0]) <= 2


def test_too_many_sets_are_refused():
    with pytest.raises(ParameterError, match="1073741823 sets of up to 30"):
        select_exhaustively(*CANCER)
    with pytest.raises(ParameterError, match="max_size=9"):
        select_exhaustively(*IRIS, max_size=9)


def test_eight_rows_are_scored_by_one_neighbor_and_show_both_optimal_subsets():
    x1, x2, x5 = np.array(list(itertools.product([0, 1], repeat=3))).T
    X = np.column_stack([x1, x2, 1 - x2, 1 - x5, x5])
    assert select_exhaustively(X, x1 | x2).subsets == ((0, 1), (0, 2))
    assert [default_neighbors(n) for n in (2, 8, 9, 24, 25, 10_000)] == [1, 1, 3, 3, 5, 5]
