"""Batches: each row once before any comes again, and centers that move to means."""

from __future__ import annotations

from itertools import islice

import numpy as np

from lookalike.data import open_source
from lookalike.engines import engine_for
from lookalike.models.cluster.batches import Batch, MovedCenters, draw_batches, reassign
from lookalike.reductions.ranges import Ranges


def drawn(X, size, count, weight=None):
    source = open_source(X, weight=weight)
    engine = engine_for(source, "memory")
    extent = engine.reduce(Ranges(), source)
    return list(islice(draw_batches(source, engine, extent, size, 5), count))


def test_no_row_comes_twice_before_all_have_come():
    X = np.arange(1200.0)[:, None]
    batches = drawn(X, 100, 24)
    for begin in (0, 12):
        rows = np.concatenate([batch.rows.ravel() for batch in batches[begin : begin + 12]])
        np.testing.assert_array_equal(np.sort(rows), X.ravel())
        assert not np.array_equal(rows, X.ravel())
    assert not np.array_equal(batches[0].rows, batches[12].rows)


def test_rows_without_weight_are_in_no_batch():
    weight = np.tile([0.0, 2.0, 1.0], 100)
    batches = drawn(np.arange(300.0)[:, None], 50, 4, weight)
    rows = np.concatenate([batch.rows.ravel() for batch in batches]).astype(int)
    np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(weight))
    np.testing.assert_array_equal(np.concatenate([b.weight for b in batches]), weight[rows])


def test_few_rows_are_one_batch_in_their_order():
    X = np.arange(7.0)[:, None]
    assert all(np.array_equal(batch.rows, X) for batch in drawn(X, 7, 3))


def test_at_most_half_of_a_batch_becomes_centers():
    rows = np.arange(4.0)[:, None] + 100.0
    moved = MovedCenters(np.zeros((6, 1)), np.array([0.0, 9.0, 0.0, 0.0, 8.0, 0.0]), 1.0)
    rng = np.random.RandomState(0)
    changed = reassign(moved, Batch(rows, np.ones(4)), 0.5, rng)
    assert np.count_nonzero(changed.centers) == 2
    assert set(changed.centers[changed.centers > 0]) <= set(rows.ravel())
    all_but_one = reassign(moved, Batch(np.repeat(rows, 3, axis=0), np.ones(12)), 3.0, rng)
    assert np.count_nonzero(all_but_one.centers) == 5
    untouched = reassign(moved, Batch(rows, np.ones(4)), 0.0, rng)
    assert untouched is moved
