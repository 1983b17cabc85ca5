"""Leakage that is looked for in all rows."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.data.chunk import Chunk
from lookalike.studies.all_rows.leak_screens import LeakScreen

RNG = np.random.default_rng(0)
N = 4_000
LABEL = RNG.integers(0, 3, N).astype(float)
LEAK = np.where(RNG.random(N) < 0.995, LABEL * 2, RNG.integers(0, 3, N) * 2.0)
TOWN = LABEL * 1e6 + 7  # a category, as a hash
X = np.column_stack([RNG.normal(size=N), LEAK + RNG.normal(size=N) / 50, TOWN, RNG.normal(size=N)])
KINDS = {"noise": "number", "leak": "number", "town": "category", "other": "number"}


def test_columns_that_determine_the_class_of_all_rows_are_found_by_counts():
    screen = LeakScreen(X[:1_000], LABEL[:1_000], KINDS, 4)
    tables = screen.gather(Chunk(X, LABEL))
    left = screen.unexplained(tables)
    assert set(left) == {1, 2}  # the others are not suspects in the sample
    assert left[2] == 0
    by_hand = (LEAK != LABEL * 2).mean() / (1 - np.bincount(LABEL.astype(int)).max() / N)
    assert left[1] == pytest.approx(by_hand, abs=0.002)
    assert screen.determining(tables) == [1, 2]


def test_counts_of_pieces_are_those_of_all_rows():
    screen = LeakScreen(X[:1_000], LABEL[:1_000], KINDS, 4)
    reduction = screen.reduction()
    parts = [screen.gather(Chunk(X[some], LABEL[some])) for some in (slice(1500), slice(1500, N))]
    for mine, theirs in zip(reduction.merge(*parts), screen.gather(Chunk(X, LABEL)), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_column_that_holds_in_the_sample_alone_is_not_reported():
    turned = X.copy()
    turned[1_000:, 1] = RNG.normal(size=N - 1_000)
    screen = LeakScreen(turned[:1_000], LABEL[:1_000], KINDS, 4)
    assert screen.determining(screen.gather(Chunk(turned, LABEL))) == [2]


def test_a_number_that_is_a_function_of_a_column_is_found():
    y = np.exp(X[:, 0])
    screen = LeakScreen(X[:1_000], y[:1_000], KINDS, None)
    tables = screen.gather(Chunk(X, y))
    assert screen.determining(tables) == [0]
