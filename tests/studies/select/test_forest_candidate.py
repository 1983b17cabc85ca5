"""The forest of a study: which trees are grown."""

import numpy as np
from sklearn.datasets import load_breast_cancer

import lookalike
from lookalike.studies.effort import Effort
from lookalike.studies.select import forest_candidate
from lookalike.studies.select.forest_candidate import (
    CLASSIFIER_OPTIONS,
    MAX_COLUMNS_TRIED_IN_HALF,
    fit_extra_trees,
    fit_forest,
)
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import CLASSIFICATION_TASK

EFFORT = Effort.quick()


def training_rows(X, y):
    return TrainingRows(X, y, CLASSIFICATION_TASK, seed=0, effort=EFFORT)


def test_the_kind_of_trees_with_the_least_error_on_folds_is_grown():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = fit_forest(training_rows(X, y))
    model = fitted.steps[0][1]
    fold, errors = CLASSIFICATION_TASK.folds(y, 3), []
    for option in CLASSIFIER_OPTIONS:
        few = lookalike.ForestNeighborsClassifier(
            EFFORT.trial_trees, bootstrap=True, random_state=0, **option
        )
        parts = [
            few.fit(X[fold != j], y[fold != j]).score(X[fold == j], y[fold == j]) for j in (0, 1, 2)
        ]
        errors.append(1 - np.average(parts, weights=np.bincount(fold)))
    best = CLASSIFIER_OPTIONS[int(np.argmin(errors))]
    assert {name: getattr(model, name) for name in best} == best
    assert model.bootstrap
    assert fitted.hyperparameters["trees"] == str(model.n_estimators) == "20"


def test_trees_of_random_thresholds_take_all_rows_and_few_columns_of_very_many():
    X, y = load_breast_cancer(return_X_y=True)
    wide = np.tile(X, (1, MAX_COLUMNS_TRIED_IN_HALF // X.shape[1] + 1))
    for rows, looked_at in ((X, 0.5), (wide, "sqrt")):
        model = fit_extra_trees(training_rows(rows[:100], y[:100])).steps[0][1]
        assert (model.splitter, model.max_features) == ("random", looked_at)
        assert not model.bootstrap


def test_rows_that_the_memory_budget_has_no_room_for_are_left_out():
    X, y = load_breast_cancer(return_X_y=True)
    room = 4 * EFFORT.forest_trees * forest_candidate.TREE_ROW_BYTES * 300
    with lookalike.config(memory=room):
        fitted = fit_forest(training_rows(X, y))
    assert fitted.steps[0][1].n_samples_fit_ == 300
    assert fitted.hyperparameters["rows"] == "300 of 569, at random"
