"""Rows reach the kernels unrounded and uncopied, or are refused with the place that is wrong."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse

from lookalike.errors import MissingValueError, ParameterTypeError, ShapeError
from lookalike.index import ExactIndex, KDTreeIndex, LSHIndex, ScanIndex
from lookalike.index.embedded import EmbeddedIndex
from lookalike.kernels import native_arrays
from lookalike.kernels.metrics import metric_from
from lookalike.kernels.metrics.rows import sparse_rows
from lookalike.kernels.native_arrays import (
    FLOAT_TYPES,
    NUMBER_TYPES,
    native_matrix,
    native_rows,
    value_range,
)

INDEXES = {
    "exact": ExactIndex,
    "kd_tree": KDTreeIndex,
    "lsh": LSHIndex,
    "scan": ScanIndex,
    "embedded": lambda X: EmbeddedIndex(X, metric_from("euclidean")),
    "sparse scan": lambda X: ScanIndex(scipy.sparse.csr_array(X)),
}


def dense(X):
    return native_rows(X).values


def test_rows_are_borrowed_where_they_can_be_read():
    for kind in (np.float32, np.float64, np.uint8, np.int8):
        rows = np.ones((4, 6), kind)
        assert dense(rows) is rows
        assert np.shares_memory(dense(rows[::2, :3]), rows)
    frozen = np.ones((3, 3))
    frozen.setflags(write=False)
    assert dense(frozen) is frozen
    for odd in (
        np.ones((4, 6))[:, ::2],
        np.ones((6, 4)).T,
        np.ones((4, 6))[::-1],
        np.ones(3)[None],
    ):
        np.testing.assert_array_equal(dense(odd), odd)


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
    rows = dense(np.array([[0, 1], [1, 1]]).astype(kind))
    assert rows.dtype == native
    assert rows.dtype.isnative
    assert rows.tolist() == [[0, 1], [1, 1]]


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        (np.array([[1.0, np.nan]]), MissingValueError, "nan at row 0, column 1"),
        (np.array([[1.0], [-np.inf]]), MissingValueError, "-inf at row 1, column 0"),
        (
            np.ma.array([[1.0, 2.0]], mask=[[False, True]]),
            MissingValueError,
            "masked at row 0, column 1",
        ),
        (np.array([[1, "a"]], object), MissingValueError, "'a' at row 0, column 1"),
        (np.array([[1, None]], object), MissingValueError, "None at row 0, column 1"),
        (np.array([["1"]]), ParameterTypeError, "Give real numbers"),
        (np.array([[1j]]), ParameterTypeError, "complex128"),
        ([[1.0], [1.0, 2.0]], ShapeError, "one length"),
        (np.ones(3), ShapeError, r"reshape\(1, -1\)"),
        (np.ones((1, 1, 1)), ShapeError, "3 dimensions"),
    ],
)
def test_rows_that_cannot_be_compared_are_named(rows, error, words):
    with pytest.raises(error, match=words):
        dense(rows)


def test_longdouble_is_rounded_with_a_warning():
    with pytest.warns(UserWarning, match="rounded to float64"):
        assert dense(np.ones((1, 1), np.longdouble)).dtype == np.float64


def test_rows_that_can_be_read_are_not_copied():
    X = np.zeros((6, 5), np.float32)
    assert native_matrix(X, NUMBER_TYPES) is X
    assert np.shares_memory(native_matrix(X[::2], NUMBER_TYPES), X)
    X.flags.writeable = False
    assert native_matrix(X, NUMBER_TYPES) is X


def test_numbers_that_are_not_real_are_refused():
    with pytest.raises(ParameterTypeError, match="complex"):
        native_matrix(np.zeros((2, 2), complex))


@pytest.mark.parametrize("make", INDEXES.values(), ids=INDEXES.keys())
def test_a_whole_number_that_float64_cannot_hold_warns_in_every_index_and_is_rounded(make):
    X = np.array([[1, 2], [3, 2**53 + 1], [5, 2**60]])
    with pytest.warns(UserWarning, match=f"X: {2**53 + 1} at row 1, column 1 is not exact"):
        index = make(X)
    assert index.query(np.array([[3.0, 2.0**53]]), 1).distance.tolist() == [[0.0]]
    with pytest.warns(UserWarning, match="Q: .* row 0, column 0 is not exact"):
        assert index.query([[-(2**53) - 1, 0]], 1).row.shape == (1, 1)


@pytest.mark.parametrize("value", [2**53, 2**60, -(2**63), np.uint64(2**63)])
def test_a_large_whole_number_that_float64_holds_does_not_warn(value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dense(np.array([[value]])).tolist() == [[float(value)]]
        assert sparse_rows(scipy.sparse.csr_array(np.array([[value]]))).value.tolist() == [value]


@pytest.mark.parametrize("make", INDEXES.values(), ids=INDEXES.keys())
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_every_index_names_the_value_that_is_not_finite(make, bad):
    X = np.ones((4, 3))
    index = make(X)
    X[2, 1] = bad
    with pytest.raises(MissingValueError, match=f"X is {bad} at row 2, column 1"):
        make(X)
    with pytest.raises(MissingValueError, match=f"Q is {bad} at row 2, column 1"):
        index.query(X, 1)


def test_rows_that_passed_the_door_are_not_looked_at_again(monkeypatch):
    rows = native_rows(np.random.default_rng(0).random((50, 4)))
    built = {name: INDEXES[name](rows) for name in ("exact", "kd_tree", "embedded")}
    plain = {name: INDEXES[name](rows.values) for name in built}
    passes = []
    monkeypatch.setattr(native_arrays, "value_range", lambda X, _=0: passes.append(X) or rows.range)
    for name, index in built.items():
        INDEXES[name](rows)
        result, expected = index.query(rows, 3), plain[name].query(rows.values[:], 3)
        assert result.row.tolist() == expected.row.tolist(), name
    assert all(X is rows.values or X.base is rows.values for X in passes)
    assert len(passes) == len(built)  # of the plain queries alone
    assert native_rows(rows) is rows
    assert native_rows(rows, dtypes=FLOAT_TYPES) is rows


def test_missing_values_pass_where_they_are_allowed_and_infinity_never():
    X = np.array([[1.0, np.nan], [np.inf, 2.0]])
    assert native_rows(X[:1], missing=True).values is not None
    with pytest.raises(MissingValueError, match="inf at row 1, column 0"):
        native_rows(X, missing=True)


def test_an_array_of_objects_is_read_by_every_index():
    X = np.array([[1, 2.5], [3, 4]], object)
    for name in ("exact", "kd_tree", "lsh", "scan", "embedded"):
        assert INDEXES[name](X).query([[3.0, 4.0]], 1).row.tolist() == [[1]], name


@pytest.mark.parametrize("shape", [(4001, 1), (4001, 3), (60, 700), (3, 5000)])
@pytest.mark.parametrize("layout", ["touching", "strided"])
def test_the_first_value_that_is_not_finite_is_found_in_rows_of_any_width(shape, layout):
    n, d = shape
    X = np.ones((n, d + (layout == "strided")), np.float32)[:, :d]
    X[0, 0], X[-1, -1] = -2.5, 7
    assert value_range(X) == (-1, -1, -2.5, 7.0, False)
    X[n - 2, d // 2], X[n - 1, 0] = np.nan, np.inf
    assert value_range(X)[:2] == (n - 2, d // 2)
