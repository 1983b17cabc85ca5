"""The audit of held-out rows."""

from __future__ import annotations

import numpy as np

from lookalike.explain.self_search import self_search
from lookalike.studies.analyze.data_audit import audit_rows
from lookalike.studies.load.dataset import Dataset


def test_a_held_out_duplicate_of_a_training_row_is_leakage():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[150], X[151], X[10] = X[3], X[152], X[11]
    held = np.arange(200) >= 150
    dataset = Dataset(X, dict.fromkeys("abc", "number"), np.arange(200) + 1000)
    found = audit_rows(self_search(X, 10), dataset, "auto", held_out=held)
    assert found.counts["duplicate"] == found.groups["duplicate"] == 3
    assert found.counts["leak"] == 1
    leak = next(one for one in found.flagged_rows if one.kind == "leak")
    assert leak.row == 1150
    assert leak.neighbors[0].row == 1003
    assert "leak" in found.table.flags[150]


def test_duplicates_are_counted_as_rows_that_repeat_an_earlier_one_and_as_groups():
    X = np.random.default_rng(0).normal(size=(200, 3))
    X[20:24], X[31] = X[3], X[30]
    dataset = Dataset(X, dict.fromkeys("abc", "number"), np.arange(200))
    found = audit_rows(self_search(X, 10), dataset, "auto")
    assert found.counts["duplicate"] == 5
    assert found.groups["duplicate"] == 2
    assert found.counts["near_duplicate"] == found.groups["near_duplicate"] == 0


def test_ordinary_repeats_of_discrete_rows_are_neither_duplicates_nor_in_conflict():
    rng = np.random.default_rng(0)
    X = rng.integers(6, size=(1500, 3)).astype(float)
    y = np.where((X[:, 0] > 2) ^ (rng.random(1500) < 0.1), "yes", "no")
    dataset = Dataset(X, dict.fromkeys("abc", "number"), np.arange(1500), y)
    held = np.arange(1500) >= 1200
    found = audit_rows(self_search(X, 10), dataset, "auto", held_out=held)
    kinds = ("duplicate", "near_duplicate", "conflict", "leak")
    assert {kind: found.counts[kind] for kind in kinds} == dict.fromkeys(kinds, 0)
