"""Each column is described by what it holds, and dropped where it says nothing of other rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lookalike.decisions import Decisions
from lookalike.studies.load.columns import describe_columns
from lookalike.studies.load.dataset import Dataset

WORDS = [f"word{number}" for number in range(40)]


def objects(values):
    column = np.empty(len(values), object)
    column[:] = values
    return column


@pytest.mark.parametrize(
    ("name", "kind", "values", "found", "role"),
    [
        ("x", "number", np.linspace(0, 1, 40), "number", "feature"),
        ("x", "number", np.arange(40) % 7, "ordinal", "feature"),
        ("x", "number", np.arange(40) % 2, "boolean", "feature"),
        ("x", "number", np.arange(40) + 5.0, "identifier", "dropped"),
        ("user_id", "number", np.random.default_rng(0).permutation(40), "identifier", "dropped"),
        ("age", "number", np.random.default_rng(0).permutation(40), "number", "feature"),
        ("x", "number", np.full(40, np.nan), "empty", "dropped"),
        ("x", "number", np.full(40, 3), "constant", "dropped"),
        ("x", "category", objects(["a", "b"] * 20), "category", "feature"),
        ("x", "text", objects(WORDS), "identifier", "dropped"),
        ("x", "text", objects([f"{word} is a word" for word in WORDS]), "text", "feature"),
        ("x", "date", np.arange(40).astype("datetime64[D]"), "date", "feature"),
    ],
)
def test_a_column_is_described_by_its_values(name, kind, values, found, role):
    decisions = Decisions()
    column = describe_columns(
        Dataset({name: values}, {name: kind}, np.arange(len(values))), decisions
    )[0]
    assert (column.kind, column.role) == (found, role)
    assert bool(decisions) == (role == "dropped")


def test_a_column_whose_type_is_given_is_not_taken_for_an_identifier():
    numbers, names = np.random.default_rng(0).permutation(40), objects(WORDS)
    kinds = {"user_id": "number", "name": "category"}
    dataset = Dataset({"user_id": numbers, "name": names}, kinds, np.arange(40))
    decisions = Decisions()
    assert [one.role for one in describe_columns(dataset, decisions)] == ["dropped", "dropped"]
    assert "--types user_id=number" in str(decisions)
    assert "--types name=category" in str(decisions)
    given = replace(dataset, given=("user_id", "name"))
    described = describe_columns(given, Decisions())
    assert [(one.kind, one.role) for one in described] == [
        ("number", "feature"),
        ("category", "feature"),
    ]
