"""Duplicates by hash, counted or estimated."""

import numpy as np

from lookalike.data import open_source
from lookalike.engines import engine_for
from lookalike.reductions.row_hashes import DuplicateRows, is_held_out, row_hashes

RNG = np.random.default_rng(0)


def test_duplicates_are_counted_while_hashes_fit_and_estimated_beyond():
    rows = RNG.normal(size=(20_000, 3))
    rows[15_000:] = rows[:5_000]
    source = open_source(rows)
    counted = engine_for(source, "memory").reduce(DuplicateRows(), source)
    assert counted == (20_000, 5_000.0, 1.0)
    _, n_duplicates, part = engine_for(source, "memory").reduce(DuplicateRows(2_000), source)
    assert part == 1 / 8
    assert abs(n_duplicates - 5_000) < 500


def test_equal_rows_are_on_one_side_and_a_fifth_is_held_out():
    rows = RNG.integers(0, 40, size=(50_000, 4)).astype(np.float32)
    held = is_held_out(rows)
    assert abs(held.mean() - 0.2) < 0.01
    np.testing.assert_array_equal(held, is_held_out(rows.astype(np.float64)))
    assert len(np.unique(row_hashes(rows))) == len(np.unique(rows, axis=0))


def test_zeros_of_both_signs_and_missing_values_are_equal():
    rows = np.array([[0.0, np.nan], [-0.0, -np.nan], [0.0, 1.0]])
    first, second, third = row_hashes(rows)
    assert first == second != third


def test_hashes_are_the_same_in_every_version_and_whichever_rows_are_hashed_together():
    rows = np.array([[0.0, 1.0], [np.nan, -2.5]])
    assert row_hashes(rows).tolist() == [9283231668420052038, 9703357221044237096]
    many = RNG.normal(size=(700, 11))  # more than are hashed at a time
    one_by_one = [row_hashes(many[j : j + 1])[0] for j in range(0, 700, 50)]
    assert row_hashes(many)[::50].tolist() == one_by_one
