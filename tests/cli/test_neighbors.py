"""`lookalike neighbors`: queries that are complete numbers are searched as they are."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.cli.neighbors import _are_numbers_alike, _complete_rows
from lookalike.data.arrays import ArraySource
from lookalike.models.preprocessing.table import TablePreprocessor


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_complete_rows_are_what_the_preprocessor_makes_of_them(kind):
    X = np.arange(12).reshape(6, 2).astype(kind)
    preprocessor = TablePreprocessor(scale="none").fit(ArraySource(X, names=["a", "b"]))
    rows = ArraySource(X[:4], names=["a", "b"])
    assert np.array_equal(_complete_rows(preprocessor, rows), preprocessor.transform(rows))


def test_rows_that_lack_a_value_are_prepared():
    X = np.array([[1.0, 2.0], [3.0, 6.0]])
    preprocessor = TablePreprocessor(scale="none").fit(ArraySource(X, names=["a", "b"]))
    rows = ArraySource(np.array([[1.0, np.nan]]), names=["a", "b"])
    assert _complete_rows(preprocessor, rows).tolist() == [[1.0, 4.0]]


def test_columns_in_another_order_are_not_alike():
    X = np.ones((2, 2))
    first, turned = ArraySource(X, names=["a", "b"]), ArraySource(X, names=["b", "a"])
    assert _are_numbers_alike(first, first)
    assert not _are_numbers_alike(first, turned)
