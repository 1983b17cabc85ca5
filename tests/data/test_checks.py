"""Finite values and the columns of fit (cases 41, 42, 118m)."""

import numpy as np
import pytest

from lookalike.data import Chunk, Column, finite, require_finite, require_same_columns
from lookalike.errors import ColumnError, MissingValueError


def columns(*names):
    return tuple(Column(name) for name in names)


@pytest.mark.parametrize(("bad", "name"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_the_first_value_that_is_not_finite_is_named_by_row_and_column(bad, name):
    X = np.zeros((4, 3), np.float32)
    X[2, 1] = X[3, 0] = bad
    with pytest.raises(MissingValueError, match=rf"^{name} at row 102, column 'age'"):
        require_finite(X, 100, columns("id", "age", "pay"))
    with pytest.raises(MissingValueError, match="column 'x1'"):
        finite(Chunk(X, offset=100))


def test_opposite_infinities_are_found_without_a_warning():
    with pytest.raises(MissingValueError, match="inf at row 0"):
        require_finite(np.array([[np.inf, -np.inf]]))


def test_finite_values_pass_even_where_their_sum_is_not():
    chunk = Chunk(np.full((3, 2), 1e308))
    assert finite(chunk) is chunk
    require_finite(np.full((3, 2), 3e38, np.float32))
    require_finite(np.full((3, 2), 65504, np.float16))
    require_finite(np.full((3, 2), 2**62))


def test_the_same_columns_pass():
    require_same_columns(columns("a", "b"), columns("a", "b"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("a", "c"), "missing: 'b'.*"),
        (("a", "b", "c", "d"), "not seen in fit: 'd'"),
        (("a", "x", "c"), "missing: 'b'; not seen in fit: 'x'"),
        (("a", "c", "b"), "another order: 'c' is in the place of 'b'"),
    ],
)
def test_other_columns_are_named(given, message):
    with pytest.raises(ColumnError, match=message):
        require_same_columns(columns("a", "b", "c"), columns(*given))


def test_of_many_missing_columns_a_few_are_named():
    many = columns(*(f"c{j}" for j in range(10_000)))
    with pytest.raises(ColumnError, match="'c10' … and 9989 more") as caught:
        require_same_columns(many, columns("c0"))
    assert len(str(caught.value)) < 400
