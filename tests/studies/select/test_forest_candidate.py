"""The forest of a study: which trees are grown, and what their score is measured on."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes

import lookalike
from lookalike.studies.select import forest_candidate
from lookalike.studies.select.forest_candidate import CLASSIFIERS, fit_forest
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import CLASSIFICATION, REGRESSION


def test_the_kind_of_trees_with_the_least_error_on_folds_is_grown():
    X, y = load_breast_cancer(return_X_y=True)
    model, chosen, score, rows = fit_forest(TrainingRows(X, y, CLASSIFICATION, seed=0))
    fold, errors = CLASSIFICATION.folds(y, 3), []
    for option in CLASSIFIERS:
        few = lookalike.ForestNeighborsClassifier(
            forest_candidate.TRIAL_TREES,
            bootstrap=option["splitter"] == "best",
            random_state=0,
            **option,
        )
        parts = [
            few.fit(X[fold != j], y[fold != j]).score(X[fold == j], y[fold == j]) for j in (0, 1, 2)
        ]
        errors.append(1 - np.average(parts, weights=np.bincount(fold)))
    best = CLASSIFIERS[int(np.argmin(errors))]
    assert {name: getattr(model, name) for name in best} == best
    assert model.bootstrap == (best["splitter"] == "best")
    assert chosen["trees"] == str(model.n_estimators)
    assert score.method == "out-of-bag"
    drawn = clone(model).set_params(bootstrap=True).fit(X, y)
    assert score.value == pytest.approx(drawn.oob_error_)
    assert score.interval[0] < score.value < score.interval[1] < 0.1
    assert rows == 0


def test_rows_of_a_group_are_not_scored_by_trees_that_drew_one_of_them():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 3)), rng.integers(2, size=150)
    twice = TrainingRows(
        np.repeat(X, 2, axis=0),
        np.repeat(y, 2),
        CLASSIFICATION,
        seed=0,
        groups=np.repeat(np.arange(150), 2),
    )
    alone = TrainingRows(twice.Z, twice.y, CLASSIFICATION, seed=0)
    assert fit_forest(alone)[2].value < 0.2  # copies of a row know its label
    assert 0.35 < fit_forest(twice)[2].value < 0.65


def test_large_groups_are_cross_validated():
    X, y = load_diabetes(return_X_y=True)
    groups = np.arange(len(y)) % 6
    training = TrainingRows(X, y, REGRESSION, seed=0, groups=groups)
    score = fit_forest(training)[2]
    assert score.method == "cross-validation, 5 folds"
    assert 45 < score.value < 70


def test_rows_that_the_memory_budget_has_no_room_for_are_left_out():
    X, y = load_breast_cancer(return_X_y=True)
    room = 4 * forest_candidate.TREES * forest_candidate.ROW_BYTES * 300
    with lookalike.config(memory=room):
        model, chosen, _, _ = fit_forest(TrainingRows(X, y, CLASSIFICATION, seed=0))
    assert model.n_samples_fit_ == 300
    assert chosen["rows"] == "300 of 569, at random"
