"""Bins hold about the same number of rows each, but a frequent value has one to itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.kernels.discretize import Discretizer


def sizes(values, bins=None):
    made = Discretizer.of_sample(values, np.ones(len(values)), bins)
    return np.bincount(made(values), minlength=made.size)


def test_distinct_values_are_shared_out_evenly():
    values = np.random.default_rng(0).normal(size=1000)
    assert sizes(values, 8).tolist() == [125] * 8
    assert len(sizes(values)) == 10  # the cube root
    assert len(sizes(np.repeat(values, 8))) == 16


def test_a_value_that_fills_a_bin_has_one_to_itself():
    rest = 1.0 + np.random.default_rng(0).random(1000)
    for values in (np.r_[np.zeros(19_000), rest], np.r_[np.full(19_000, 9.0), rest]):
        result = sizes(values)
        assert sorted(result)[-1] == 19_000
        assert len(result) == 11
        assert set(result) == {19_000, 100}
    result = sizes(np.r_[np.full(500, 1.5), rest])
    assert 500 in result


def test_only_frequent_values_have_a_bin_to_themselves():
    assert sizes(np.repeat([1.0, 2.0, 3.0], [5, 90, 5]), 4).tolist() == [5, 90, 5]
    assert sizes(np.repeat([1.0, 2.0], 50)).tolist() == [50, 50]
    assert sizes(np.ones(10)).tolist() == [10]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=60), st.integers(2, 8))
def test_a_frequent_value_never_shares_its_bin(values, bins):
    values = np.array(values, float)
    codes = Discretizer.of_sample(values, np.ones(len(values)), bins)(values)
    for value in np.unique(values):
        here = values == value
        if here.sum() >= len(values) / bins:
            assert set(codes[~here]).isdisjoint(codes[here])
    assert (np.diff(codes[np.argsort(values, kind="stable")]) >= 0).all()
