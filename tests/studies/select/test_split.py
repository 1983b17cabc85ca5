"""Held-out rows are never training rows."""

from __future__ import annotations

import numpy as np

from lookalike.decisions import Decisions
from lookalike.studies.select.split import split_rows
from lookalike.studies.task import CLASSIFICATION, REGRESSION


def test_every_row_is_held_out_once_and_is_no_training_row_of_its_fold():
    y = np.array(["a"] * 30 + ["b"] * 10)
    split = split_rows(y, CLASSIFICATION, seed=1, is_test=None, decisions=Decisions())
    held = np.sort(np.concatenate([part for _, part in split.parts]))
    np.testing.assert_array_equal(held, np.arange(40))
    for train, part in split.parts:
        assert not set(train) & set(part)
        assert (y[part] == "b").sum() == 2


def test_a_fifth_is_held_out_of_many_rows_and_a_given_split_is_obeyed():
    y = np.zeros(1000)
    split = split_rows(y, REGRESSION, seed=0, is_test=None, decisions=Decisions())
    assert len(split.parts[0][1]) == 200
    test = np.arange(1000) >= 990
    given = split_rows(y, REGRESSION, seed=0, is_test=test, decisions=Decisions())
    np.testing.assert_array_equal(given.parts[0][1], np.arange(990, 1000))
    np.testing.assert_array_equal(np.sort(given.parts[0][0]), np.arange(990))
