"""The target of a study: its task, and labels as they came."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.decisions import Decisions
from lookalike.studies.load.target import recognize_target, suggest_target
from lookalike.studies.results import ColumnDescription


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (np.array(["a", "b"] * 10), "classification"),
        (np.arange(20) % 3, "classification"),
        (np.array([1, 10, 11, 2] * 5), "classification"),
        (np.arange(20) % 3 + 0.5, "regression"),
        (np.arange(20), "regression"),
        (np.arange(1000) % 60, "regression"),
    ],
)
def test_the_task_follows_from_the_target(y, task):
    assert recognize_target(y, "y", "auto", Decisions()).task == task


def test_integer_labels_of_a_file_are_integers():
    target = recognize_target(
        np.array([1.0, 2.0, 1.0, 2.0] * 5), "y", "classification", Decisions()
    )
    assert target.summary().classes == (1, 2)
    assert target.read(np.array([2.0])).tolist() == [2]


def test_29_ordered_integers_in_4000_rows_are_numbers_and_it_is_recorded():
    y = np.random.default_rng(0).integers(1, 30, size=4000).astype(float)
    decisions = Decisions()
    assert recognize_target(y, "rings", "auto", decisions).task == "regression"
    assert decisions.about("task")[0].choice == "regression"
    forced = recognize_target(y, "rings", "classification", Decisions())
    assert (forced.task, forced.values.dtype.kind) == ("classification", "i")


def described(*columns):
    return [
        ColumnDescription(name, kind, "feature", missing, distinct, "")
        for name, kind, missing, distinct in columns
    ]


def test_a_last_column_of_two_values_is_suggested_as_the_target_with_the_reason():
    columns = described(("income", "number", 0, 90), ("repaid", "category", 0, 2))
    name, why = suggest_target(columns, 100)
    assert name == "repaid"
    assert why == "the last column, with 2 distinct values"


def test_a_column_with_the_name_of_a_target_is_suggested_wherever_it_is():
    columns = described(("Class", "category", 0, 3), ("width", "number", 0, 90))
    assert suggest_target(columns, 100) == ("Class", "by its name")


@pytest.mark.parametrize(
    "last",
    [
        ("z", "number", 0, 90),
        ("z", "category", 5, 2),
        ("z", "category", 0, 60),
        ("z", "text", 0, 9),
    ],
)
def test_other_last_columns_are_not_suggested(last):
    assert suggest_target(described(("a", "number", 0, 90), last), 100) is None
