"""What the native search rests on: the range of the values, and codes that hold every row once."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.kernels.exact import CodeMap, build_filter
from lookalike.kernels.native_arrays import value_range


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "int8"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 17), (5000, 33)])
def test_the_survey_tells_range_and_whether_values_are_whole(dtype, shape):
    X = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    seen = value_range(X, 2)
    assert (seen.bad_row, seen.least, seen.most, seen.whole) == (-1, X.min(), X.max(), True)
    if X.dtype.kind == "f":
        X[-1, -1] = 0.5
        assert not value_range(X, 2).whole
        X[-1, -1] = 2.0**20
        assert not value_range(X, 2).whole


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_survey_names_the_first_value_that_is_not_finite(bad):
    X = np.zeros((5000, 40))
    X[4000, 39] = X[77, 5] = X[77, 30] = bad
    assert value_range(X, 3)[:2] == (77, 5)
    assert value_range(X[:77], 3).bad_row == -1


def test_every_row_has_one_place_and_poor_codes_come_last():
    X = np.random.default_rng(1).standard_normal((500, 9))
    X[[3, 250]] *= 100
    none = np.zeros((0, 9, 64), np.float32)
    built = build_filter(
        X, CodeMap(step=0.04), np.zeros(9), none, centers=np.array([1, 2, 7]), threads=2
    )
    assert sorted(built.arrays["row"]) == list(range(500))
    assert set(built.arrays["row"][-2:]) == {3, 250}
    assert built.arrays["group_first"].tolist()[::3] == [0, 498]
    assert (built.arrays["margin"][:-1] < 0.1).all()
