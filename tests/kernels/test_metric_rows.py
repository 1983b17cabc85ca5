"""Rows reach the kernels unrounded and uncopied, or are refused with the place that is wrong."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from lookalike.errors import MissingValueError, ParameterError, ParameterTypeError, ShapeError
from lookalike.kernels.metrics import metric_from
from lookalike.kernels.metrics.rows import SparseRows, dense_rows, sparse_rows


def test_rows_are_borrowed_where_they_can_be_read():
    for kind in (np.float32, np.float64, np.uint8, np.int8):
        rows = np.ones((4, 6), kind)
        assert dense_rows(rows) is rows
        assert np.shares_memory(dense_rows(rows[::2, :3]), rows)
    frozen = np.ones((3, 3))
    frozen.setflags(write=False)
    assert dense_rows(frozen) is frozen
    for odd in (
        np.ones((4, 6))[:, ::2],
        np.ones((6, 4)).T,
        np.ones((4, 6))[::-1],
        np.ones(3)[None],
    ):
        np.testing.assert_array_equal(dense_rows(odd), odd)


@pytest.mark.parametrize(
    ("kind", "native"),
    [
        (np.float16, np.float32),
        (np.int16, np.float32),
        (np.uint32, np.float64),
        (np.int64, np.float64),
        (bool, np.uint8),
        (object, np.float64),
        (">f8", np.float64),
    ],
)
def test_other_kinds_become_one_that_holds_them_exactly(kind, native):
    rows = dense_rows(np.array([[0, 1], [1, 1]]).astype(kind))
    assert rows.dtype == native
    assert rows.dtype.isnative
    assert rows.tolist() == [[0, 1], [1, 1]]


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        (np.array([[1.0, np.nan]]), MissingValueError, "nan at row 0, column 1"),
        (np.array([[1.0], [-np.inf]]), MissingValueError, "-inf at row 1, column 0"),
        (np.ma.array([[1.0, 2.0]], mask=[[False, True]]), MissingValueError, r"masked at \(0, 1\)"),
        (np.array([[1, "a"]], object), MissingValueError, "'a' at row 0, column 1"),
        (np.array([[1, None]], object), MissingValueError, "None at row 0, column 1"),
        (np.array([["1"]]), ParameterTypeError, "Give real numbers"),
        (np.array([[1j]]), ParameterTypeError, "complex128"),
        (np.array([[2**53 + 1]]), ParameterError, r"2\*\*53"),
        (np.array([[2**63]], np.uint64), ParameterError, r"2\*\*53"),
        ([[1.0], [1.0, 2.0]], ShapeError, "one length"),
        (np.ones(3), ShapeError, r"reshape\(1, -1\)"),
        (np.ones((1, 1, 1)), ShapeError, "3 dimensions"),
    ],
)
def test_rows_that_cannot_be_compared_are_named(rows, error, words):
    with pytest.raises(error, match=words):
        dense_rows(rows)


def test_longdouble_is_rounded_with_a_warning():
    with pytest.warns(UserWarning, match="rounded to float64"):
        assert dense_rows(np.ones((1, 1), np.longdouble)).dtype == np.float64


def test_sparse_rows_become_canonical_on_a_copy():
    data, column, start = np.array([2.0, 1.0, 3.0, 0.0]), np.array([3, 0, 3, 1]), np.array([0, 4])
    messy = scipy.sparse.csr_array((data, column.astype(np.int64), start), shape=(1, 5))
    rows = sparse_rows(messy)
    assert rows.column.tolist() == [0, 3]
    assert rows.value.tolist() == [1, 5]
    assert messy.data.tolist() == [2, 1, 3, 0]
    assert isinstance(rows, SparseRows)
    wrapping = scipy.sparse.coo_array(
        (np.array([200, 200], np.uint8), ([0, 0], [1, 1])), shape=(1, 2)
    )
    assert sparse_rows(wrapping).value.tolist() == [400]
    with pytest.raises(MissingValueError, match="nan at row 1, column 2"):
        sparse_rows(scipy.sparse.csr_array([[0, 0, 0], [1, 0, np.nan]]))
    with pytest.raises(ParameterTypeError, match="no sparse form"):
        metric_from("minkowski", p=3).rows(messy)
