"""Rows are read into memory, as many as fit, and split by a column."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.data import open_source
from lookalike.decisions import Decisions
from lookalike.errors import ColumnError
from lookalike.settings import config
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.load.read import read, split_off


def objects(values):
    column = np.empty(len(values), object)
    column[:] = values
    return column


def test_a_split_column_has_two_values_of_which_one_says_test():
    values = objects(["train", "Test", "train"])
    rows = {"x": np.arange(3.0), "part": values}
    dataset = Dataset(rows, {"x": "number", "part": "category"}, np.arange(3))
    left, test = split_off(dataset, "part")
    assert left.names == ["x"]
    assert test.tolist() == [False, True, False]
    with pytest.raises(ColumnError, match="Give a column of two values"):
        split_off(dataset, "x")


def test_rows_beyond_the_memory_budget_are_sampled_and_numbered():
    X = np.arange(2000.0)[:, None]
    decisions = Decisions()
    with config(memory=48 * 500):
        dataset = read(open_source(X, X[:, 0]), decisions, seed=0)
    assert len(dataset) == 500
    np.testing.assert_array_equal(dataset.rows[:, 0], dataset.row)
    np.testing.assert_array_equal(dataset.y, dataset.row)
    assert 800 < dataset.row.mean() < 1200
    assert decisions.about("rows")


def test_rows_of_an_array_in_memory_are_read_without_a_copy_and_cannot_be_written_to():
    X = np.random.default_rng(0).normal(size=(2_000, 300))
    dataset = read(open_source(X), Decisions(), seed=0)
    assert np.shares_memory(dataset.rows, X)
    assert not dataset.rows.flags.writeable
    assert X.flags.writeable
    np.testing.assert_array_equal(dataset.rows, X)
