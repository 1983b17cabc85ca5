"""Class probabilities of the label audit come from models that did not see the row's label."""

import numpy as np

import lookalike
from lookalike.decisions import Decisions
from lookalike.studies.analyze.class_probabilities import WINNER_TITLE, class_probabilities
from lookalike.studies.evaluate import choose_finalists
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.select.budget import Deadline

ROWS = np.random.default_rng(0).normal(size=(60, 2))
LABELS = np.where(ROWS[:, 0] > 0, "b", "a")
DATASET = Dataset(ROWS, {"x": "number", "y": "number"}, np.arange(60), LABELS)


def probabilities(out_of_fold, deadline=None):
    decisions = Decisions()
    deadline = deadline or Deadline(None)
    result = class_probabilities(
        out_of_fold, DATASET, ROWS, deadline=deadline, seed=0, decisions=decisions
    )
    return result, decisions


def test_the_winner_has_its_out_of_fold_probabilities_row_by_row():
    shares = np.random.default_rng(1).dirichlet([1, 1], 60)
    order = np.random.default_rng(2).permutation(60)
    result, _ = probabilities((np.arange(60), shares))
    np.testing.assert_array_equal(result[WINNER_TITLE], shares)
    assert result["a random forest"].shape == (60, 2)
    assert (
        WINNER_TITLE not in probabilities((np.sort(order[:50]), shares[:50]))[0]
    )  # not of all rows
    assert WINNER_TITLE not in probabilities(None)[0]


def test_a_forest_for_which_there_is_no_time_is_left_out_with_a_decision():
    result, decisions = probabilities(None, Deadline(0.0))
    assert result == {}
    assert decisions[0].choice == "without a random forest"


def test_of_a_study_they_are_by_models_of_other_folds(monkeypatch):
    monkeypatch.setattr(choose_finalists, "CALIBRATED_CANDIDATES", 0)  # parameters of other rows
    few = slice(48)
    study = lookalike.study(ROWS[few], LABELS[few], models=["lda"], time=None)
    row, shares = study.out_of_fold
    for fold, (model, train) in enumerate(study.fold_models):
        held_out = study.predictions.row[study.predictions.fold == fold]
        assert not set(train) & set(held_out)
        np.testing.assert_allclose(
            shares[np.searchsorted(row, held_out)], model.predict_proba(ROWS[held_out])
        )
