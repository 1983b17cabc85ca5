"""Label spreading in a study: rows without a target are used, and only labeled rows are scored."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons

import lookalike
from lookalike.studies.select.spreading_candidate import SpreadingClassifier


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(500, noise=0.06, random_state=0)
    label = np.where(y == 1, "upper", "lower").astype(object)
    known = np.sort(np.random.default_rng(0).permutation(500)[:24])
    label[np.setdiff1d(np.arange(500), known)] = None
    table = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "part": "same", "class": label})
    return table, known


def test_rows_without_a_target_help_a_candidate_and_labeled_rows_alone_are_scored(moons):
    table, known = moons
    result = lookalike.study(table, target="class", time="60s", effort="quick")
    by_name = {candidate.name: candidate for candidate in result.candidates}
    spreading = by_name["spreading"]
    assert spreading.reference
    assert spreading.hyperparameters["rows without a target"] == "476"
    assert spreading.validation_error < by_name["nearest"].validation_error
    assert spreading.n_rows == len(known)
    assert "476 shown to label spreading" in str(result.decisions)
    assert "LabelSpreading" not in str(result.model)


def test_a_study_of_labeled_rows_has_no_such_candidate(moons):
    table, known = moons
    result = lookalike.study(table.loc[known], target="class", time="60s", effort="quick")
    assert "spreading" not in {candidate.name for candidate in result.candidates}


def test_classes_reach_rows_that_are_far_from_every_labeled_row():
    X, moon = make_moons(500, noise=0.05, random_state=0)
    label = np.array(["lower", "upper"])[moon]
    known = np.array([X[:, 0].argmin(), X[:, 0].argmax()])  # one end of each moon
    others = np.setdiff1d(np.arange(500), known)
    held_out, unlabeled = others[::2], others[1::2]
    model = SpreadingClassifier().spread(X[known], label[known], X[unlabeled])
    nearest = lookalike.KNeighborsClassifier(1).fit(X[known], label[known])
    assert np.mean(model.predict(X[held_out]) != label[held_out]) < 0.02
    assert np.mean(nearest.predict(X[held_out]) != label[held_out]) > 0.3
    np.testing.assert_allclose(model.predict_proba(X[held_out]).sum(axis=1), 1.0)
