"""Held-out rows are never training rows, nor copies of them, nor earlier ones."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError
from lookalike.studies.effort import Effort
from lookalike.studies.select.split import split_by_time, split_rows, time_blocks
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK


def test_every_row_is_held_out_in_every_repeat_and_is_no_training_row_of_its_fold():
    y = np.array(["a"] * 30 + ["b"] * 10)
    split = split_rows(y, CLASSIFICATION_TASK, seed=1, decisions=Decisions())
    assert (len(split.parts), split.n_repeats) == (15, 3)
    for repeat in range(3):
        parts = split.parts[5 * repeat : 5 * repeat + 5]
        held = np.sort(np.concatenate([part for _, part in parts]))
        np.testing.assert_array_equal(held, np.arange(40))
    for train, part in split.parts:
        assert not set(train) & set(part)
        assert (y[part] == "b").sum() == 2
    assert "repeated 3 times" in split.description
    once = split.first_repeats(1)
    assert once.parts == split.parts[:5]
    assert "repeated" not in once.description


def test_with_many_rows_folds_are_not_repeated_and_with_very_many_one_is_held_out():
    y, effort = np.zeros(1000), Effort(cross_validated_rows=1500)
    once = split_rows(y, REGRESSION_TASK, seed=0, decisions=Decisions(), effort=effort)
    assert (len(once.parts), once.n_repeats, once.cross_validated) == (5, 1, True)
    one = split_rows(np.zeros(2000), REGRESSION_TASK, seed=0, decisions=Decisions(), effort=effort)
    assert (len(one.parts), one.cross_validated) == (1, True)
    assert len(one.parts[0][1]) == 400
    assert "400 of 2,000 rows" in one.description


def test_a_given_split_is_obeyed():
    test = np.arange(1000) >= 990
    given = split_rows(np.zeros(1000), REGRESSION_TASK, seed=0, is_test=test, decisions=Decisions())
    assert given.is_test
    np.testing.assert_array_equal(given.parts[0][1], np.arange(990, 1000))
    np.testing.assert_array_equal(np.sort(given.parts[0][0]), np.arange(990))


@pytest.mark.parametrize("n_rows", [300, 1500])
def test_rows_of_one_group_are_on_one_side(n_rows):
    groups = np.random.default_rng(0).integers(n_rows // 3, size=n_rows)
    groups = np.unique(groups, return_inverse=True)[1]
    y = np.arange(n_rows) % 2
    split = split_rows(y, CLASSIFICATION_TASK, seed=0, groups=groups, decisions=Decisions())
    for train, held_out in split.parts:
        assert not set(groups[train]) & set(groups[held_out])
        assert len(train) + len(held_out) == n_rows


def test_the_latest_rows_are_held_out_and_those_of_one_moment_stay_together():
    moment = np.array([3.0, 1, 2, 5, 4, 5, 5, 0, 1, 2])
    (train, held_out), *_ = split_by_time(moment, "t", seed=0, decisions=Decisions()).parts
    assert held_out.tolist() == [3, 5, 6]
    assert sorted(train) == [0, 1, 2, 4, 7, 8, 9]
    assert moment[train].max() < moment[held_out].min()
    with pytest.raises(LookalikeError, match="one time"):
        split_by_time(np.ones(5), "t", seed=0, decisions=Decisions())


def test_blocks_of_time_hold_consecutive_rows():
    moment = np.random.default_rng(0).permutation(100) // 2
    block = time_blocks(moment)
    assert block.max() == 9
    assert (np.diff(block[np.argsort(moment, kind="stable")]) >= 0).all()
    assert all(len(np.unique(block[moment == one])) == 1 for one in moment)
