"""A study: the whole path from rows to verdict, judged by an independent computation."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

import lookalike
from lookalike.studies.results import SCHEMA, Study


@pytest.fixture(scope="module")
def digits() -> Study:
    return lookalike.study("digits")


def test_the_winner_of_digits_errs_on_the_rows_on_which_scikit_learns_model_errs(digits):
    X, y = load_digits(return_X_y=True)
    found = digits.predictions
    train = np.setdiff1d(np.arange(len(X)), found.row)
    winner = next(one for one in digits.candidates if one.name == digits.winner)
    assert winner.name == "knn_weighted"
    judge = KNeighborsClassifier(int(winner.choices["K"]), weights="distance")
    answers = judge.fit(X[train], y[train].astype(str)).predict(X[found.row])
    np.testing.assert_array_equal(found.answer, answers)
    assert digits.estimate.error == (answers != y[found.row].astype(str)).mean()


def test_the_held_out_rows_are_a_fifth_with_the_classes_in_proportion(digits):
    counts = np.unique(digits.predictions.truth, return_counts=True)[1]
    assert digits.shape.held_out_rows == 360
    assert counts.min() >= 34
    assert counts.max() <= 38


def test_the_json_has_the_schema_and_only_what_json_can_hold(digits):
    found = json.loads(digits.to_json())
    assert found["schema"] == SCHEMA
    assert found["shape"]["rows"] == 1797
    assert "predictions" not in found
    assert found["estimate"]["error"] == digits.estimate.error


def without_timings(found: dict) -> dict:
    found.pop("seconds")
    found.pop("stages")
    for one in found["candidates"]:
        one.pop("seconds")
    return found


def test_the_same_seed_gives_the_same_study_but_for_its_timings():
    one, other = (without_timings(lookalike.study("iris", seed=3).to_dict()) for _ in range(2))
    assert one == other


def test_the_verdict_is_printed_and_shown_in_notebooks_escaped(digits):
    assert str(digits).startswith("Best model: K nearest neighbours")
    assert "<li>Best model" in digits._repr_html_()


def test_numbers_are_judged_by_their_root_mean_square():
    found = lookalike.study("diabetes")
    truth, answer = found.predictions.truth, found.predictions.answer
    assert found.task == "regress"
    assert found.estimate.error == pytest.approx(np.sqrt(np.mean((truth - answer) ** 2)))
    assert found.estimate.interval[0] < found.estimate.error < found.estimate.interval[1]
    assert len(found.predictions.row) == 442
