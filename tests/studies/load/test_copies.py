"""Identical rows are copies where chance does not explain them, and ordinary repeats elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lookalike
from lookalike.decisions import Decisions
from lookalike.studies.load.copies import copied_rows, find_copies
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.load.groups import duplicate_groups

SEEDS = range(5)


def judge(rows):
    """Return which rows are copies, given a table of numbers."""
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in rows.T])
    return copied_rows(codes, np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1))


def latent_classes(rng, n_rows, n_classes, n_columns, n_levels):
    """Return categories that depend on each other through a class that is not seen."""
    shares = rng.dirichlet(np.full(n_levels, 0.3), size=(n_classes, n_columns))
    hidden = rng.integers(n_classes, size=n_rows)
    drawn = rng.random((n_rows, n_columns, 1)) > np.cumsum(shares[hidden], axis=2)
    return drawn.sum(axis=2)


def places_in_cities(rng):
    place = rng.integers(80, size=1000)
    return np.column_stack([place, place // 4, rng.integers(5, size=1000)])


ORDINARY = {
    "three dice": lambda rng: rng.integers(6, size=(1000, 3)),
    "ten coins": lambda rng: rng.integers(2, size=(1000, 10)),
    "latent classes": lambda rng: latent_classes(rng, 1000, 5, 16, 3),
    "age, sex and class": lambda rng: np.column_stack(
        [rng.normal(35, 15, 1000).round(), rng.integers(2, size=1000), rng.integers(3, size=1000)]
    ),
    "a column that determines another": places_in_cities,
    "skewed counts": lambda rng: np.minimum(rng.zipf(1.7, size=(1000, 3)), 200),
    "rounded and correlated": lambda rng: (
        rng.normal(size=(1000, 1)) + 0.3 * rng.normal(size=(1000, 6))
    ).round(),
}
PLANTED = {
    "numbers": lambda rng: rng.normal(size=(1000, 5)),
    "rounded numbers": lambda rng: rng.normal(size=(1000, 4)).round(2),
    "a number beside categories": lambda rng: np.column_stack(
        [rng.normal(size=1000), rng.integers(3, size=(1000, 2))]
    ),
    "many categories": lambda rng: rng.integers(10, size=(1000, 15)),
}


@pytest.mark.parametrize("kind", ORDINARY)
def test_rows_of_few_discrete_columns_that_repeat_are_not_copies(kind):
    for seed in SEEDS:
        copied = judge(ORDINARY[kind](np.random.default_rng(seed)))
        assert copied.mean() <= 0.01, seed


@pytest.mark.parametrize("kind", PLANTED)
@pytest.mark.parametrize("n_planted", [5, 100, 1000])
def test_planted_copies_are_found_whether_few_or_all_rows_are_copied(kind, n_planted):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        rows = PLANTED[kind](rng)
        copied = judge(np.r_[rows, rows[:n_planted]])
        expected = np.r_[np.arange(1000) < n_planted, np.ones(n_planted, bool)]
        np.testing.assert_array_equal(copied, expected)


def test_copies_are_found_beside_discrete_rows_that_repeat_by_chance():
    rng = np.random.default_rng(0)
    number = np.where(np.arange(1000) < 500, 0.0, rng.normal(size=1000))
    rows = np.column_stack([rng.integers(4, size=(1000, 3)), number])
    copied = judge(np.r_[rows, rows[-60:]])
    np.testing.assert_array_equal(np.flatnonzero(copied), np.arange(940, 1060))


def test_ordinary_repeats_have_numbers_of_their_own_and_it_is_recorded():
    rows = np.random.default_rng(0).integers(6, size=(1000, 3)).astype(float)
    dataset = Dataset(rows, dict.fromkeys("abc", "number"), np.arange(1000))
    decisions = Decisions()
    number = find_copies(dataset, "abc", duplicate_groups(dataset, "abc"), decisions)
    assert number.tolist() == list(range(1000))
    assert "ordinary repeats are not kept together" in decisions.about("identical rows")[0].choice


def test_with_few_distinct_rows_identical_ones_are_ordinary():
    rows = np.repeat(np.random.default_rng(0).normal(size=(10, 3)), 20, axis=0)
    dataset = Dataset(rows, dict.fromkeys("abc", "number"), np.arange(200))
    decisions = Decisions()
    number = find_copies(dataset, "abc", duplicate_groups(dataset, "abc"), decisions)
    assert len(set(number.tolist())) == 200
    assert "only 10 distinct rows" in decisions.about("identical rows")[0].reason


def test_the_error_of_a_lookup_table_is_that_of_new_rows(few_candidates):
    """216 combinations, each with a class of its own, 5% of the labels changed: error 5%."""
    rng = np.random.default_rng(1)
    rows = rng.integers(6, size=(3000, 3))
    table = rng.integers(2, size=(6, 6, 6))
    y = table[tuple(rows.T)] ^ (rng.random(3000) < 0.05)
    frame = pd.DataFrame(rows, columns=["a", "b", "c"]).apply(lambda c: c.map(lambda v: f"L{v}"))
    study = lookalike.study(frame.assign(y=np.where(y, "yes", "no")), target="y")
    assert study.held_out.error < 0.08
    assert "kept on one side" not in str(study)
