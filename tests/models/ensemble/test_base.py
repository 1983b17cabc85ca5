"""Weighted ensembles as estimators: scikit-learn's contract, weights, files, errors."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from lookalike import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    Ridge,
    load,
    save,
)
from lookalike.errors import ParameterError
from lookalike.models.ensemble import WeightedEnsembleClassifier, WeightedEnsembleRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
LABELS = np.where(X[:, 0] + 0.3 * RNG.normal(size=80) > 0, "yes", "no")
NUMBERS = 2 * X[:, 0] + 0.1 * RNG.normal(size=80)
SMALL = {
    "classifier": WeightedEnsembleClassifier(
        [("one", KNeighborsClassifier(1)), ("five", KNeighborsClassifier(5))], cv=3
    ),
    "regressor": WeightedEnsembleRegressor(
        [("one", KNeighborsRegressor(1)), ("five", KNeighborsRegressor(5))], cv=3
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SMALL)
def test_scikit_learns_checks_pass(name):
    results = check_estimator(clone(SMALL[name]), on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


def test_predictions_are_the_weighted_mean_of_those_of_the_members():
    model = clone(SMALL["classifier"]).set_params(weights=[1.0, 3.0]).fit(X, LABELS)
    one, five = (KNeighborsClassifier(k).fit(X, LABELS).predict_proba(X[:9]) for k in (1, 5))
    np.testing.assert_allclose(model.predict_proba(X[:9]), 0.25 * one + 0.75 * five)
    numbers = clone(SMALL["regressor"]).set_params(weights="equal").fit(X, NUMBERS)
    one, five = (KNeighborsRegressor(k).fit(X, NUMBERS).predict(X[:9]) for k in (1, 5))
    np.testing.assert_allclose(numbers.predict(X[:9]), (one + five) / 2)


def test_a_member_that_is_no_use_out_of_fold_is_left_out():
    members = [("knn", KNeighborsRegressor(25)), ("ridge", Ridge())]
    model = WeightedEnsembleRegressor(members).fit(X, NUMBERS)
    assert [name for name, _ in model.members_] == ["ridge"]
    assert model.weights_.tolist() == [1.0]
    assert "ridge 100%" in model.decisions_[0].choice


@pytest.mark.parametrize("name", SMALL)
def test_a_file_gives_the_same_predictions(name, tmp_path):
    model = clone(SMALL[name]).fit(X, LABELS if name == "classifier" else NUMBERS)
    save(model, tmp_path / "model.lookalike")
    loaded = load(tmp_path / "model.lookalike")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert repr(loaded) == repr(model)


def test_a_row_is_predicted_alone_as_among_others():
    model = clone(SMALL["classifier"]).fit(X, LABELS)
    alone = np.vstack([model.predict_proba(row[None]) for row in X[:20]])
    np.testing.assert_array_equal(model.predict_proba(X[:20]), alone)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"estimators": [("a", KNeighborsClassifier()), ("a", KNeighborsClassifier())]}, "twice"),
        ({"estimators": [KNeighborsClassifier()]}, "pairs of a name and a model"),
        ({"weights": [1.0]}, "not those of 2 members"),
        ({"weights": [-1.0, 2.0]}, "0 or more"),
        ({"weights": "best"}, "out_of_fold"),
        ({"cv": 1}, "cv"),
    ],
)
def test_parameters_that_mean_nothing_are_refused_with_advice(changed, message):
    with pytest.raises(ParameterError, match=message):
        clone(SMALL["classifier"]).set_params(**changed).fit(X, LABELS)
