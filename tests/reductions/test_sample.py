"""Some rows drawn at random."""

from __future__ import annotations

import functools

import numpy as np
from laws import gather

from lookalike.data.chunk import Chunk
from lookalike.reductions.sample import RandomSample

ROWS = np.arange(5000.0)[:, None]


def drawn(size, seed):
    reduction = RandomSample(size, seed=seed)
    return reduction.finalize(gather(reduction, [Chunk(ROWS)], 1))


def test_a_sample_holds_different_rows_in_order_and_their_numbers():
    sample = drawn(100, seed=1)
    assert len(np.unique(sample.row)) == 100
    assert np.all(np.diff(sample.row) > 0)
    np.testing.assert_array_equal(sample.X[:, 0], sample.row)


def test_every_row_is_drawn_about_equally_often():
    hits = np.zeros(50)
    for seed in range(400):
        hits += np.bincount(drawn(100, seed).row // 100, minlength=50)
    expected = 400 * 100 / 50
    assert ((hits - expected) ** 2 / expected).sum() < 85  # chi-square with 49 degrees, p = 0.001


def test_fewer_rows_than_wanted_are_all_kept():
    assert len(drawn(9000, seed=0).row) == 5000


def test_rows_let_go_early_are_not_missed_and_states_stay_small():
    rows = np.arange(20_000.0)[:, None]
    known, plain = RandomSample(100, seed=3, among=len(rows)), RandomSample(100, seed=3)
    states = [
        known.update(known.init(1), Chunk(rows[start : start + 1000], offset=start))
        for start in range(0, len(rows), 1000)
    ]
    assert sum(len(state.X) for state in states) < 250
    joined = known.finalize(functools.reduce(known.merge, states))
    whole = plain.finalize(plain.update(plain.init(1), Chunk(rows)))
    np.testing.assert_array_equal(joined.X, whole.X)
