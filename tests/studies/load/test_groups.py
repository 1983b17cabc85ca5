"""Identical rows and groups of a column are found and joined."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.load.groups import duplicate_groups, given_groups, group_rows, take_groups


def table(**columns):
    rows = {name: np.array(values, object) for name, values in columns.items()}
    return Dataset(rows, dict.fromkeys(rows, "category"), np.arange(len(next(iter(rows.values())))))


def test_rows_are_identical_that_are_equal_in_every_feature():
    rows = np.array([[1.0, np.nan, 7], [0.0, 2, 8], [1, np.nan, 9], [-0.0, 2, 1], [3, 2, 2]])
    dataset = Dataset(rows, dict.fromkeys("abc", "number"), np.arange(5))
    assert duplicate_groups(dataset, ["a", "b"]).tolist() == [0, 1, 0, 1, 2]
    assert duplicate_groups(dataset, ["a", "b", "c"]).tolist() == [0, 1, 2, 3, 4]


def test_rows_without_a_value_and_empty_texts_are_identical_to_none():
    assert duplicate_groups(table(a=["x", None, None, "x"]), ["a"]).tolist() == [0, 1, 2, 0]
    texts = Dataset(
        {"t": np.array(["A car!", "car a", "", None, "bus"], object)},
        {"t": "text"},
        np.arange(5),
        text="t",
    )
    assert duplicate_groups(texts, ["t"]).tolist() == [0, 0, 1, 2, 3]


def test_a_row_that_is_identical_to_one_of_another_group_joins_the_two():
    decisions = Decisions()
    identical = np.r_[[0, 1, 2, 0], np.arange(3, 60)]
    column = np.r_[["p", "p", "q", "q"], np.arange(57).astype(str)]
    groups = group_rows(identical, len(identical), column, decisions)
    assert len(set(groups[:4])) == 1
    assert len(set(groups)) == 58
    assert any(one.about == "identical rows" for one in decisions)


def test_groups_that_cannot_be_used_are_errors():
    dataset = table(a=["x", "y", "z"])
    with pytest.raises(LookalikeError, match="groups='b' is not a column"):
        take_groups(dataset, "b")
    with pytest.raises(LookalikeError, match="all one"):
        group_rows(None, 3, np.array(["p", "p", "p"]), Decisions())
    with pytest.raises(LookalikeError, match="one group for every row"):
        given_groups([1, 2], np.arange(3))
