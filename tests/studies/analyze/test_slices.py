"""Slices: parts of the rows that fail are found, and none are where all rows are alike."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.studies.analyze.slices import RowLosses, column_conditions, find_slices
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK

KINDS = {"site": "category", "smoker": "category", "age": "number", "weight": "number"}


def table(rng, n_rows=400):
    """Return rows of two categories and two numbers, some of them missing."""
    weight = rng.normal(size=n_rows)
    weight[rng.random(n_rows) < 0.1] = np.nan
    columns = {
        "site": rng.choice(list("ABCD"), n_rows).astype(object),
        "smoker": rng.choice(["yes", "no"], n_rows).astype(object),
        "age": rng.integers(20, 80, n_rows).astype(float),
        "weight": weight,
    }
    return Dataset(columns, KINDS, np.arange(n_rows))


def error_rate(dataset, planted):
    """Return the probability of an error in each row: 5%, and 50% where it is planted."""
    site, age = dataset.column("site"), dataset.column("age")
    members = {
        "site = B": site == "B",
        "age ≥ 68": age >= 68,
        "both": (site == "B") & (dataset.column("smoker") == "yes"),
        "nothing": np.zeros(len(dataset), bool),
    }[planted]
    return np.where(members, 0.5, 0.05)


def found_in(planted, n_tables, seed):
    """Return the rules that are found in each of several tables."""
    rules = []
    for number in range(n_tables):
        rng = np.random.default_rng([seed, number])
        dataset = table(rng)
        loss = (rng.random(len(dataset)) < error_rate(dataset, planted)).astype(float)
        found = find_slices(RowLosses(loss), dataset, KINDS, CLASSIFICATION_TASK, number)
        rules.append([one.rule for one in found])
    return rules


@pytest.mark.parametrize("planted", ["site = B", "age ≥ 68"])
def test_a_planted_slice_is_found_in_nine_of_ten_tables(planted):
    column = planted.split()[0]
    rules = found_in(planted, 20, 1)
    assert sum(any(column in rule for rule in one) for one in rules) >= 18


def test_no_slice_is_found_in_nineteen_of_twenty_tables_without_one():
    rules = found_in("nothing", 40, 2)
    assert sum(bool(one) for one in rules) <= 4  # 2 are expected at most; 5 and more in 5%


def test_two_conditions_are_named_where_both_matter():
    rng = np.random.default_rng(3)
    dataset = table(rng, 1600)
    loss = (rng.random(1600) < error_rate(dataset, "both")).astype(float)
    (first, *_) = find_slices(RowLosses(loss), dataset, KINDS, CLASSIFICATION_TASK, 0)
    assert sorted(first.rule.split(" and ")) == ["site = B", "smoker = yes"]
    assert first.interval[0] <= 0.5 <= first.interval[1]
    assert first.error_of_others < 0.1


def test_the_figures_are_those_of_the_rows_that_were_not_searched():
    rng = np.random.default_rng(4)
    dataset = table(rng)
    loss = (rng.random(400) < error_rate(dataset, "site = B")).astype(float)
    (found,) = find_slices(RowLosses(loss), dataset, KINDS, CLASSIFICATION_TASK, 0)
    members = dataset.column("site") == "B"
    assert 0.35 * members.sum() < found.n_rows < 0.65 * members.sum()
    assert found.interval[0] < found.error < found.interval[1]


def test_numbers_whose_spread_is_larger_at_one_end_have_a_slice():
    rng = np.random.default_rng(5)
    dataset = table(rng)
    spread = np.where(dataset.column("age") >= 68, 5.0, 1.0)
    squares = (spread * rng.normal(size=400)) ** 2
    found = find_slices(RowLosses(squares), dataset, KINDS, REGRESSION_TASK, 0)
    assert found[0].rule.startswith("age ≥ ")
    assert found[0].interval[0] > found[0].error_of_others > 0.8


def test_rows_of_one_group_count_as_one():
    slices = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        groups = np.repeat(np.arange(20), 20)
        dataset = table(rng)
        site = np.repeat(rng.choice(list("ABCD"), 20), 20).astype(object)
        dataset = Dataset({**dataset.rows, "site": site}, KINDS, dataset.row)
        loss = np.repeat((rng.random(20) < 0.2).astype(float), 20)  # a whole group fails or none
        slices.append(
            find_slices(RowLosses(loss, groups), dataset, KINDS, CLASSIFICATION_TASK, seed)
        )
    assert sum(bool(one) for one in slices) <= 3


def test_missing_cells_are_a_condition_of_their_own():
    rules = dict(column_conditions("weight", np.array([1.0, np.nan, 3.0, 4.0]), "number"))
    assert rules["weight missing",].tolist() == [False, True, False, False]
    assert not any(members[1] for rule, members in rules.items() if "missing" not in rule[0])
