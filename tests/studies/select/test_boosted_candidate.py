"""Boosted trees of a study: how much of them a first look takes."""

import numpy as np

from lookalike.studies.select import boosted_candidate
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import CLASSIFICATION, REGRESSION


def test_a_first_look_at_many_classes_and_columns_takes_fewer_steps(monkeypatch):
    monkeypatch.setitem(boosted_candidate.TRIAL, "max_iter", 15)
    y = np.arange(50) % 10
    steps = boosted_candidate._trial_steps
    assert steps(TrainingRows(np.zeros((50, 64)), y, CLASSIFICATION, seed=0)) == 15
    assert steps(TrainingRows(np.zeros((50, 784)), y, CLASSIFICATION, seed=0)) == 7
    assert steps(TrainingRows(np.zeros((50, 5000)), y, CLASSIFICATION, seed=0)) == 5
    assert steps(TrainingRows(np.zeros((50, 784)), y, REGRESSION, seed=0)) == 15
