"""Rows that are ordered in time are recognized, and both errors are stated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from example_study import claim_text

import lookalike
from lookalike.studies.evaluate.other_splits import lag_one, persistence_loss
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK

pytestmark = pytest.mark.usefixtures("few_candidates")


def series(n_rows=1000):
    rng = np.random.default_rng(3)
    day = np.datetime64("2020-01-01") + np.arange(n_rows)
    level = np.cumsum(rng.normal(size=n_rows))
    y = level + 0.1 * rng.normal(size=n_rows)
    return pd.DataFrame({"day": day, "x": rng.normal(size=n_rows), "y": y})


def test_a_series_that_is_split_at_random_is_warned_of_with_both_errors():
    found = lookalike.study(series(), target="y")
    other = found.held_out.other_splits[0]
    assert other.kind == "time"
    assert other.error > 2 * found.held_out.error
    text = next(one for one in found.summary if one.topic == "time").text
    assert text.startswith("Warning: rows that follow each other are alike")
    assert "by column 'day'" in text


def test_a_split_by_time_holds_out_the_latest_rows_and_does_not_use_the_column():
    rows = series()
    found = lookalike.study(rows, target="y", split="time:day")
    np.testing.assert_array_equal(found.predictions.row, np.arange(800, 1000))
    assert [column.name for column in found.columns] == ["x"]
    assert found.held_out.other_splits == ()
    assert "the latest 200 of 1,000 rows by column 'day'" in claim_text(found)
    assert found.learning_curve is None  # rows are not exchangeable


def test_persistence_is_the_error_of_the_target_of_the_row_before():
    rng = np.random.default_rng(0)
    y, order = rng.normal(size=50), rng.permutation(50)
    loss = persistence_loss(y[order], order.astype(float), order < 40, REGRESSION_TASK)
    expected = (y[1:] - y[:-1]) ** 2
    np.testing.assert_allclose(np.sort(loss), np.sort(expected[39:]))


def test_a_series_names_its_column_and_its_time_is_no_leak():
    found = lookalike.study(series(400), target="y")
    other = found.held_out.other_splits[0]
    assert other.persistence == pytest.approx(1.0, abs=0.25)  # the steps of the walk
    assert other.persistence_interval[0] < other.persistence < other.persistence_interval[1]
    assert "--split time:day." in claim_text(found, "time")
    assert "the model does not beat it" in claim_text(found, "persistence")
    assert found.leakage is None


def test_rows_in_random_order_or_sorted_by_their_target_are_no_series():
    rng = np.random.default_rng(0)
    y = rng.normal(size=500)
    assert abs(lag_one(y, REGRESSION_TASK)) < 0.2
    assert lag_one(np.sort(y), REGRESSION_TASK) is None
    assert lag_one(np.repeat(["a", "b", "c"], 50), CLASSIFICATION_TASK) is None
    assert lag_one(np.repeat(rng.integers(2, size=100), 5), CLASSIFICATION_TASK) > 0.5
    X = rng.normal(size=(300, 2))
    found = lookalike.study(X, X[:, 0] + rng.normal(size=300))
    assert found.held_out.other_splits == ()


def test_dated_rows_whose_relation_to_the_target_changes_are_warned_of():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(600, 2)), columns=["a", "b"])
    dates = pd.date_range("2020-01-01", periods=600)
    signal = frame.a.where(np.arange(600) < 480, frame.b)
    y = np.where(signal > 0, "up", "down")
    found = lookalike.study(frame.assign(date=dates), y, time=None)
    (later,) = found.held_out.other_splits
    assert later.error > found.held_out.interval[1]
    assert later.autocorrelation is None
    assert "Warning: the error is higher for later rows" in str(found)
    steady = np.where(frame.a > 0, "up", "down")
    assert "later rows" not in str(lookalike.study(frame.assign(date=dates), steady, time=None))
