"""Training rows of candidates: their size as measured, and selections on very many of them."""

import numpy as np
import pytest

from lookalike import KNeighborsClassifier
from lookalike.studies.select import training_rows
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import CLASSIFICATION_TASK

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 4))
Y = (X[:, 0] > 0).astype(int)


def test_the_time_of_a_search_is_measured_with_many_rows(monkeypatch):
    assert TrainingRows(X, Y, CLASSIFICATION_TASK, seed=0).size.search == pytest.approx(
        1e-9 * 600**2 * 1.5
    )
    monkeypatch.setattr(training_rows, "UNMEASURED_ROWS", 100)
    size = TrainingRows(X, Y, CLASSIFICATION_TASK, seed=0).size
    assert (size.rows, size.columns, size.classes) == (600, 4, 2)
    assert 0 < size.search < 10
    assert size.first(300).search == pytest.approx(size.search / 4)


def test_k_of_very_many_rows_is_selected_on_some_of_them(monkeypatch):
    monkeypatch.setattr(training_rows, "MOST_HELD_OUT", 100)
    training = TrainingRows(X, Y, CLASSIFICATION_TASK, seed=0)
    assert training.k_selection.n_rows == 100
    error = training.k_selection.curves["loo", "uniform"].scores["error"]
    assert error.min() < 0.15


def test_neighbors_of_every_k_share_one_index_and_predict_as_if_fitted():
    training = TrainingRows(X, Y, CLASSIFICATION_TASK, seed=0)
    one, five = training.fitted_neighbors(1, "uniform"), training.fitted_neighbors(5, "distance")
    assert one.space_.index is five.space_.index
    assert one.decisions_ is not five.decisions_
    fitted = KNeighborsClassifier(5, weights="distance").fit(X, Y)
    np.testing.assert_array_equal(five.predict_proba(X + 0.1), fitted.predict_proba(X + 0.1))
    assert five.get_params() == fitted.get_params()
