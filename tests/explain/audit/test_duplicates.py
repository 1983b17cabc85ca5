"""Duplicates are rows of the same content."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lookalike import audit
from lookalike.explain.audit.audit import RowContents
from lookalike.explain.audit.duplicates import identical_rows


def test_rows_of_the_same_content_are_identical_whatever_they_hold():
    numbers = np.array([[1.0, np.nan], [0.0, 2.0], [1.0, np.nan], [-0.0, 2.0], [1.0, 2.0]])
    assert identical_rows(numbers).tolist() == [0, 1, 0, 1, 4]
    texts = np.array(["a", None, "a", None, "b"], object)
    assert identical_rows(texts).tolist() == [0, 1, 0, 1, 4]
    assert identical_rows(numbers, np.array(["a", "b", "c", "b", "a"], object)).tolist() == [
        0,
        1,
        2,
        1,
        4,
    ]
    counts = sp.csr_array(np.array([[1, 0, 2], [0, 1, 0], [1, 0, 2]]))
    assert identical_rows(counts).tolist() == [0, 1, 0]


def test_rows_at_distance_zero_of_other_content_are_no_duplicates():
    X = np.repeat(np.arange(20.0), 2)[:, None]
    content = np.arange(40)
    content[1] = 0
    found = audit(X, k=3, contents=RowContents(copies=content))
    assert found.rows("duplicate").tolist() == [0, 1]


def test_empty_rows_are_reported_as_empty_and_as_nothing_else():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    X[:6] = 0
    X[50] = X[51]
    empty = np.arange(100) < 6
    y = rng.integers(2, size=100)
    found = audit(X, y, contents=RowContents(empty=empty), test=X[:7])
    assert found.rows("empty").tolist() == list(range(6))
    assert found.rows("duplicate").tolist() == [50, 51]
    for kind in ("near_duplicate", "conflict", "outlier", "hub", "mislabel"):
        assert not set(found.rows(kind)) & set(range(6))
    of_test = RowContents(empty=np.arange(7) < 6)
    leaks = audit(X, contents=RowContents(empty=empty), test=X[:7], test_contents=of_test)
    assert leaks.rows("leak").tolist() == [6]


def test_wide_rows_are_the_same_where_every_number_is(monkeypatch):
    monkeypatch.setattr("lookalike.explain.audit.duplicates.ROWS_READ_AT_ONCE", 7)
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 9))
    rows[30:] = rows[:10]
    rows[3, 2] = rows[33, 2] = np.nan
    rows[4, 1], rows[34, 1] = 0.0, -0.0
    rows[35, 8] = np.nextafter(rows[35, 8], np.inf)
    expected = np.concatenate([np.arange(30), np.arange(10)])
    expected[35] = 35
    assert np.array_equal(identical_rows(rows), expected)
