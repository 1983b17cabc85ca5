"""Histograms count every row once; the condition of a bar finds the rows of the bar."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import ParameterError
from lookalike.web.explorer.histograms import MOST_BARS, _intervals


def inside(ends, values):
    """Return which values an interval holds."""
    low, high = ends
    if low == high and low is not None:
        return values == low
    return (low is None or values >= low) & (high is None or values < high)


@given(st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")), min_size=1, max_size=200))
def test_every_number_is_in_the_one_interval_that_says_so(numbers):
    values = np.array(numbers)
    ends, code = _intervals(values)
    assert len(ends) <= MOST_BARS
    known = np.isfinite(values)
    assert (code[~known] == len(ends)).all()
    for place, one in enumerate(ends):
        assert np.array_equal(known & (code == place), known & inside(one, values))


def test_bars_of_a_column_count_all_rows_and_the_chosen_ones(table):
    columns = [column["id"] for column in table.table.columns]
    chosen = np.arange(len(table.rows)) % 2 == 0
    for one in table.table.histograms.count(columns, chosen):
        keys = table.table.keys(one["id"])
        n_missing = int(np.isnan(keys).sum())
        assert sum(one["all"]) <= len(table.rows) - n_missing
        assert all(part <= whole for part, whole in zip(one["chosen"], one["all"], strict=True))
        if one["kind"] == "number":
            assert sum(one["chosen"]) == int((chosen & ~np.isnan(keys)).sum())


def test_the_condition_of_a_category_finds_as_many_rows_as_its_bar(table):
    label = next(one for one in table.table.columns if one["id"] == "label")
    (bars,) = table.table.histograms.count(["label"], None)
    for (name, _), size in zip(bars["bars"], bars["all"], strict=True):
        assert int(table.table.where(f"{label['name']} == {name!r}").sum()) == size


def test_a_condition_may_name_the_row_and_the_prediction(table):
    assert np.flatnonzero(table.table.where("row < 3")).tolist() == [0, 1, 2]
    predicted = [table.state.prediction(row) for row in range(len(table.rows))]
    expected = np.array([one == "yes" for one in predicted])
    assert np.array_equal(table.table.where("predicted == 'yes'"), expected)


def test_a_column_that_is_not_there_is_an_error(table):
    with pytest.raises(ParameterError, match="There is no column '99'"):
        table.table.histograms.count(["99"], None)
