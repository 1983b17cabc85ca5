"""Linear combinations of columns that determine the target of all rows."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.data.chunk import Chunk
from lookalike.studies.all_rows.linear_leaks import LinearScreen

RNG = np.random.default_rng(0)
N = 3_000
X = RNG.normal(size=(N, 6)) * [1, 5, 0.1, 2, 1, 1] + 3
X[:, 4] = X[:, 0]  # a copy
KINDS = dict.fromkeys("abcde", "number") | {"town": "category"}


def covariance(screen, X, y, pieces=1):
    reduction = screen.reduction()
    parts = zip(np.array_split(X, pieces), np.array_split(y, pieces), strict=True)
    states = [reduction.update(reduction.init(X.shape[1]), Chunk(*part)) for part in parts]
    whole = states[0]
    for state in states[1:]:
        whole = reduction.merge(whole, state)
    return reduction.finalize(whole)


@pytest.mark.parametrize(
    ("weights", "found"),
    [
        ([0, 1, 20, 0, 0, 0], [1, 2]),  # a pair
        ([0, 1, 40, 2, 0, 0], [1, 2, 3]),  # a sum
        ([0, 1, 0, 0, 0, 0.0], []),  # one column, which is found alone
    ],
)
def test_columns_whose_sum_is_the_target_are_found(weights, found):
    y = X @ weights + RNG.normal(size=N) / 50
    screen = LinearScreen(X[:500], KINDS)
    assert sorted(screen.determining(covariance(screen, X, y, pieces=4))) == found


def test_a_sum_that_holds_in_the_sample_alone_is_not_found():
    y = X @ [0, 1, 20, 0, 0, 0.0]
    y[500:] = RNG.normal(size=N - 500)
    screen = LinearScreen(X[:500], KINDS)
    assert screen.determining(covariance(screen, X[:500], y[:500])) == [1, 2]
    assert screen.determining(covariance(screen, X, y)) == []


def test_a_target_with_noise_is_no_leak_and_columns_left_out_are_not_named():
    screen = LinearScreen(X[:500], KINDS)
    clear = X @ [0, 1, 20, 0, 0, 0.0]
    noisy = clear + RNG.normal(size=N)
    assert screen.determining(covariance(screen, X, noisy)) == []
    assert screen.determining(covariance(screen, X, clear), without=(1,)) == []


def test_missing_values_count_as_the_mean_and_columns_of_text_are_left_out():
    some = X.copy()
    some[::50, 1] = np.nan
    screen = LinearScreen(some[:500], KINDS)
    y = X @ [0, 1, 20, 0, 0, 0.0]
    gathered = covariance(screen, some, y)
    assert gathered.shape == (6, 6)
    by_hand = np.where(np.isnan(some[:, 1]), np.nanmean(some[:500, 1]), some[:, 1])
    np.testing.assert_allclose(gathered[1, 1], by_hand.var(ddof=1), rtol=1e-12)
