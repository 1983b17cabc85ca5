"""The order of rows in time is read from a column, or recognized."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.errors import LookalikeError
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.load.time_order import moments, recorded_order, take_time

DAYS = np.array(["2021-03-01", "2021-01-01", "2021-02-01"], "datetime64[D]")


def dataset(**columns):
    kinds = {"M": "date", "f": "number", "O": "category"}
    rows = {name: np.asarray(values) for name, values in columns.items()}
    kinds = {name: kinds[column.dtype.kind] for name, column in rows.items()}
    return Dataset(rows, kinds, np.arange(3))


def test_dates_numbers_and_dates_as_text_are_moments_and_others_are_not():
    assert np.argsort(moments(DAYS)).tolist() == [1, 2, 0]
    assert np.argsort(moments(DAYS.astype(str).astype(object))).tolist() == [1, 2, 0]
    assert moments(np.array([1.0, np.nan])) is None
    assert moments(np.array(["soon", "later"], object)) is None


def test_the_column_of_the_time_is_no_feature():
    rest, order = take_time(dataset(when=DAYS, x=[1.0, 2.0, 3.0]), "when")
    assert rest.names == ["x"]
    assert np.argsort(order[0]).tolist() == [1, 2, 0]
    with pytest.raises(LookalikeError, match="there is no column"):
        take_time(dataset(x=[1.0, 2.0, 3.0]), "when")
    with pytest.raises(LookalikeError, match="neither numbers nor dates"):
        take_time(dataset(x=np.array(["a", "b", "c"], object)), "x")


def test_a_date_or_a_named_number_that_never_falls_is_the_order_else_that_of_the_rows():
    assert recorded_order(dataset(x=[3.0, 1, 2], year=[1.0, 2, 2]))[1] == "column 'year'"
    assert recorded_order(dataset(x=[1.0, 2, 3]))[1] == "order of the rows"
    assert recorded_order(dataset(day=DAYS, x=[1.0, 2, 3]))[1] == "column 'day'"
