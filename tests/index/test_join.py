from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.errors import EngineError
from lookalike.index.join import (
    join_nearest,
    keys_of_part,
    limits_of,
    nearest_of_pairs,
    none_searched,
    require_all_searched,
)


def searched(keys, start, stop, k):
    """Return the k nearest of some columns of a table of keys, equal ones by row number."""
    part = keys[:, start:stop]
    order = np.argsort(part, axis=1, kind="stable")[:, :k]
    return keys_of_part(np.take_along_axis(part, order, 1), order + start, start, stop)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 30).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.integers(0, n), max_size=5))
    ),
    st.integers(1, 6),
    st.integers(0, 2**32 - 1),
)
def test_joined_parts_are_the_nearest_of_all_rows_however_they_are_cut(cut, k, seed):
    n, places = cut
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 4, (3, n)).astype(float)  # many ties
    ends = sorted({0, n, *places})
    parts = [searched(keys, a, b, k) for a, b in pairwise(ends)]
    joined = join_nearest([none_searched(3), *parts[::-1]], k)
    whole = searched(keys, 0, n, k)
    np.testing.assert_array_equal(joined.row, whole.row)
    np.testing.assert_array_equal(joined.key, whole.key)
    require_all_searched(joined, n)


def test_a_part_of_the_rows_that_was_lost_is_an_error():
    keys = np.arange(12.0)[None]
    joined = join_nearest([searched(keys, 0, 4, 2), searched(keys, 8, 12, 2)], 2)
    with pytest.raises(EngineError, match="8 rows of 12 were searched, and row 4"):
        require_all_searched(joined, 12)


def test_rows_that_were_searched_twice_are_an_error():
    keys = np.arange(12.0)[None]
    joined = join_nearest([searched(keys, 0, 8, 2), searched(keys, 6, 12, 2)], 2)
    with pytest.raises(EngineError, match="2 rows were searched twice"):
        require_all_searched(joined, 12)


def test_no_row_is_ruled_out_before_k_rows_are_known():
    keys = np.array([[3.0, 1.0, 2.0]])
    assert limits_of(searched(keys, 0, 2, 3), 3) == [np.inf]
    assert limits_of(searched(keys, 0, 3, 3), 3) == [3.0]


def test_pairs_in_any_order_become_a_table_of_the_nearest():
    query, key, row = np.array([2, 0, 2, 2]), np.array([5.0, 1.0, 5.0, 0.0]), np.array([9, 4, 3, 7])
    table = nearest_of_pairs(query, key, row, 3, 2)
    assert table.row.tolist() == [[4, -1], [-1, -1], [7, 3]]
    assert table.key.tolist() == [[1.0, np.inf], [np.inf, np.inf], [0.0, 5.0]]
