"""The columns of a mixed table as numbers and categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lookalike.data import open_source
from lookalike.data.sources.mixed_columns import MixedColumns
from lookalike.errors import ParameterTypeError

FRAME = pd.DataFrame(
    {
        "age": [30.0, np.nan, 50.0],
        "born": pd.to_datetime(["1970-01-02", None, "1970-01-04"]),
        "town": ["Graz", None, "Linz"],
        "zip": [8010, 4020, 8010],
    }
)


def test_numbers_and_dates_become_floats_and_categories_become_text():
    (chunk,) = MixedColumns(open_source(FRAME), ["age", "born"], ["town", "zip"]).chunks()
    np.testing.assert_array_equal(chunk.X, [[30.0, 1.0], [np.nan, np.nan], [50.0, 3.0]])
    assert chunk.y.tolist() == [["Graz", "8010"], [None, "4020"], ["Linz", "8010"]]


def test_columns_are_chosen_in_the_order_of_the_names_and_rows_keep_their_numbers():
    X = np.arange(12.0).reshape(4, 3)
    chunks = list(MixedColumns(open_source(X), ["x2", "x0"]).chunks(3))
    np.testing.assert_array_equal(np.vstack([chunk.X for chunk in chunks]), X[:, [2, 0]])
    assert [chunk.offset for chunk in chunks] == [0, 3]


def test_small_integers_are_float32_and_wider_ones_float64():
    for dtype, expected in ((np.uint8, np.float32), (np.float32, np.float32), (int, np.float64)):
        (chunk,) = MixedColumns(open_source(np.ones((2, 1), dtype)), ["x0"]).chunks()
        assert chunk.X.dtype == expected


def test_categories_of_rows_that_are_only_numbers_are_an_error():
    with pytest.raises(ParameterTypeError, match="X has only numbers"):
        MixedColumns(open_source(np.eye(2)), ["x0"], ["x1"])


def test_text_in_a_column_of_numbers_is_an_error_that_names_it():
    with pytest.raises(ParameterTypeError, match="column 'town' holds text"):
        list(MixedColumns(open_source(FRAME), ["town"]).chunks())
