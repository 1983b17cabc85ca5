"""The expected difference of a column is the mean over all pairs of its cells."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lookalike.kernels.metrics.expected_difference import (
    GRID_STEPS_OF_RANGE,
    category_difference,
    count_categories,
    count_numbers,
    number_difference,
)

units = st.lists(st.floats(0, 1), min_size=1, max_size=30).map(np.array)


@given(units)
def test_numbers_differ_by_the_mean_of_all_pairs_to_a_step_of_the_range(values):
    pairs = np.abs(values[:, None] - values).mean()
    step = 1 / GRID_STEPS_OF_RANGE
    assert abs(number_difference(count_numbers(values)) - pairs) <= step


@given(st.lists(st.integers(0, GRID_STEPS_OF_RANGE), min_size=1, max_size=30).map(np.array))
def test_numbers_on_the_steps_are_exact_up_to_rounding(steps):
    pairs = np.abs(steps[:, None] - steps).mean() / GRID_STEPS_OF_RANGE
    assert abs(number_difference(count_numbers(steps / GRID_STEPS_OF_RANGE)) - pairs) < 1e-12


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30).map(np.array))
def test_categories_differ_with_the_probability_that_two_cells_do(codes):
    pairs = (codes[:, None] != codes).mean()
    assert abs(category_difference(count_categories(codes.astype(float))) - pairs) < 1e-12


@given(units, units)
def test_counts_of_pieces_add_up(left, right):
    both = count_numbers(np.concatenate([left, right]))
    np.testing.assert_array_equal(count_numbers(left) + count_numbers(right), both)


def test_a_column_without_values_or_with_one_has_no_difference():
    assert number_difference(count_numbers(np.array([np.nan]))) == 0
    assert number_difference(count_numbers(np.zeros(5))) == 0
    assert category_difference(count_categories(np.array([np.nan]))) == 0
