"""The plain scan as an index: exact under any metric, any input, and after any change."""

from __future__ import annotations

import ctypes

import numpy as np
import oracle_metrics
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import nearest, squared_distances

import lookalike
from lookalike.errors import (
    ColumnError,
    MagnitudeError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.index.scan import ScanIndex

RNG = np.random.default_rng(30)
X = RNG.normal(size=(80, 4))
Q = RNG.normal(size=(7, 4))


def assert_same(result, expected):
    for part, other in zip(result, expected, strict=True):
        np.testing.assert_array_equal(part, other)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.uint8, np.int8, np.int64])
def test_euclidean_neighbors_are_those_of_the_reference(kind):
    rows, queries = (X * 20).astype(np.int64).astype(kind), (Q * 20).astype(np.int64).astype(kind)
    key, row = nearest(squared_distances(queries, rows), 9)
    assert_same(ScanIndex(rows).query(queries, 9), (np.sqrt(key), row))


@pytest.mark.parametrize("offset", [1e4, 1e6, 1e8])
def test_a_common_offset_does_not_show(offset):
    rows = (X + offset).astype(np.float32 if offset < 1e8 else np.float64)
    key, row = nearest(squared_distances(rows, rows), 5)
    assert_same(ScanIndex(rows).query(rows, 5), (np.sqrt(key), row))


def test_one_large_feature_gives_no_negative_distance():
    rows = X * [1e6, 1, 1, 1]
    result = ScanIndex(rows).query(rows, 3)
    assert (result.distance >= 0).all()
    assert (result.distance[:, 0] == 0).all()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
@pytest.mark.parametrize("power", [-1040, -700, -400, 0, 400, 600, 1015])
def test_any_magnitude_has_the_answer_of_the_same_rows_at_size_one(metric, power):
    params = {"p": 3} if metric == "minkowski" else None
    rows = np.round(X * 2**6)  # few bits, so that no scaling rounds
    plain = ScanIndex(rows, metric=metric, metric_params=params).query(rows, 6)
    scaled = ScanIndex(np.ldexp(rows, power), metric=metric, metric_params=params)
    result = scaled.query(np.ldexp(rows, power), 6)
    np.testing.assert_array_equal(result.row, plain.row)
    expected = np.ldexp(plain.distance, power)
    np.testing.assert_allclose(result.distance, expected, rtol=1e-15, atol=5e-324)
    assert bool(scaled.decisions.about("scale")) == (power not in (0, 400))


def test_squared_distances_beyond_float64_are_infinite_and_still_in_order():
    result = ScanIndex([[1e200], [3e200], [2e200]], metric="sqeuclidean").query([[0.0]], 3)
    assert_same(result, ([[np.inf] * 3], [[0, 2, 1]]))


def test_float32_squares_do_not_overflow():
    rows = np.array([[1e30, 0.0], [-0.9e30, 0.0]], np.float32)
    assert ScanIndex(rows).query(rows, 2).distance[0, 1] == pytest.approx(1.9e30)


def test_a_query_that_is_too_large_beside_the_rows_is_an_error():
    for size in (1e-200, 1.0):
        with pytest.raises(MagnitudeError, match="too far from the rows"):
            ScanIndex(X * size).query(Q * 1e160, 1)
    with pytest.raises(ParameterError, match="overflow"):
        ScanIndex(X * 1e160, metric="ip")


def test_signed_zeros_are_equal_and_duplicates_come_by_row():
    rows = np.array([[0.0], [-0.0], [1.0], [0.0]])
    result = ScanIndex(rows).query([[-0.0]], 3)
    assert_same(result, ([[0.0, 0.0, 0.0]], [[0, 1, 3]]))


def test_equal_distances_go_to_the_lowest_rows_on_any_threads():
    for threads in (1, 2, 5):
        result = ScanIndex(np.eye(5000, 30)[:, ::-1] * 0, threads=threads).query(
            np.zeros((1, 30)), 40
        )
        assert result.row.tolist() == [list(range(40))]


@given(st.integers(0, 50), st.integers(1, 39))
@settings(max_examples=40, deadline=None)
def test_fewer_neighbors_are_a_prefix_of_more(seed, k):
    rows = np.random.default_rng(seed).integers(0, 3, (40, 3)).astype(np.float32)
    index = ScanIndex(rows)
    fewer, more = index.query(rows, k), index.query(rows, k + 1)
    assert_same(fewer, (more.distance[:, :k], more.row[:, :k]))


@given(
    st.sampled_from(["euclidean", "sqeuclidean", "manhattan", "cosine", "hamming"]),
    st.integers(0, 30),
    st.integers(0, 10),
    st.lists(st.integers(0, 24), max_size=10),
)
@settings(max_examples=60, deadline=None)
def test_adding_and_removing_equals_building_anew(metric, seed, more, gone):
    rows = np.random.default_rng(seed).integers(1, 5, (25 + more, 3)).astype(np.float64)
    for kind in (np.asarray, scipy.sparse.csr_array) if metric != "hamming" else (np.asarray,):
        index = ScanIndex(kind(rows[:25]), metric=metric)
        if more:
            index.add(kind(rows[25:]))
        index.remove(np.array(gone, np.int64))
        left = np.delete(rows, gone, axis=0)
        assert index.n_rows == len(left)
        fresh = ScanIndex(kind(left), metric=metric)
        assert_same(index.query(rows[:4], 5), fresh.query(rows[:4], 5))


def test_rows_of_other_kinds_may_be_added():
    index = ScanIndex(np.array([[200]], np.uint8), metric="manhattan")
    index.add(np.array([[-100]], np.int8))
    index.add(np.array([[0.5]]))
    assert index.query([[0.0]], 3).distance.tolist() == [[0.5, 100.0, 200.0]]


def test_radius_includes_its_boundary():
    rows = np.arange(10.0)[:, None]
    index = ScanIndex(rows)
    assert index.query_radius([[3.0]], 2).row.tolist() == [3, 2, 4, 1, 5]
    assert index.query_radius([[3.0]], 0).row.tolist() == [3]
    assert index.query_radius([[3.0]], np.inf).row.tolist() == [3, 2, 4, 1, 5, 0, 6, 7, 8, 9]
    assert index.query_radius([[3.5]], 0).row.size == 0
    each = index.query_radius([[3.0], [8.0]], [1, 0], exclude=[3, 0])
    assert_same(each, ([1.0, 1.0, 0.0], [2, 4, 8], [0, 2, 3]))
    empty = index.query_radius(np.empty((0, 1)), 1)
    assert_same(empty, ([], [], [0]))


@given(
    st.sampled_from(["euclidean", "cosine", "manhattan", "hamming", "correlation"]),
    st.integers(0, 79),
)
@settings(max_examples=40, deadline=None)
def test_a_radius_equal_to_a_distance_finds_that_row(metric, rank):
    index = ScanIndex(X, metric=metric)
    everything = index.query(Q, 80)
    radius = everything.distance[:, rank]
    result = index.query_radius(Q, radius, threads=2)
    for i, reach in enumerate(radius):
        inside = everything.distance[i] <= reach
        part = slice(result.start[i], result.start[i + 1])
        np.testing.assert_array_equal(result.row[part], everything.row[i][inside])


def test_inner_product_reports_the_product_with_its_sign_turned():
    index = ScanIndex(X, metric="inner_product")
    key, row = nearest(oracle_metrics.inner_product(Q, X), 80)
    assert_same(index.query(Q, 80), (key, row))
    result = index.query_radius(Q[:1], -0.5)
    np.testing.assert_array_equal(result.row, row[0][key[0] <= -0.5])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda i: i.query(Q, 0), ParameterError, "k=0 is out of range"),
        (lambda i: i.query(Q, -1), ParameterError, "k=-1"),
        (lambda i: i.query(Q, 81), ParameterError, "k=81 exceeds the 80 rows"),
        (lambda i: i.query(Q, 80, exclude=np.zeros(7, int)), ParameterError, "Choose k <= 79"),
        (lambda i: i.query(Q, 3.0), ParameterTypeError, "k=3.0"),
        (lambda i: i.query(Q, True), ParameterTypeError, "k=True"),
        (lambda i: i.query(Q[:, :3], 1), ShapeError, "Q has 3 features, the index 4"),
        (lambda i: i.query(Q[0], 1), ShapeError, "reshape"),
        (lambda i: i.query(Q * np.nan, 1), MissingValueError, "Q is nan at row 0"),
        (lambda i: i.query(scipy.sparse.csr_array(Q), 1), ParameterTypeError, "index is dense"),
        (lambda i: i.query(Q, 1, exclude=[1]), ShapeError, "1 entries for 7 queries"),
        (
            lambda i: i.query(Q, 1, exclude=np.full(7, 80)),
            ParameterError,
            r"=80 names no row",
        ),
        (lambda i: i.query(Q, 1, threads=0), ParameterError, "n_jobs=0"),
        (lambda i: i.query_radius(Q, -1), ParameterError, "negative"),
        (lambda i: i.query_radius(Q, np.nan), ParameterError, "NaN"),
        (lambda i: i.query_radius(Q, [1, 2]), ShapeError, "one for each query"),
        (lambda i: i.remove([80]), ParameterError, r"rows\[0\]=80 names no row"),
        (lambda i: i.remove([-1]), ParameterError, r"rows\[0\]=-1 names no row"),
        (lambda i: i.remove([0.5]), ParameterTypeError, "row numbers"),
        (lambda i: i.remove(np.arange(80)), ParameterError, "empty"),
        (lambda i: i.add(X[:, :2]), ShapeError, "X has 2 features"),
        (lambda _: ScanIndex(np.empty((0, 3))), ShapeError, "empty"),
        (lambda _: ScanIndex(np.empty((3, 0))), ShapeError, "empty"),
        (lambda _: ScanIndex(X, threads=0), ParameterError, "n_jobs=0"),
        (lambda _: ScanIndex(X, metric="precomputed"), ShapeError, "square"),
    ],
)
def test_what_cannot_be_answered_is_an_error_that_says_why(call, error, words):
    with pytest.raises(error, match=words):
        call(ScanIndex(X))


def test_k_may_be_a_numpy_integer_and_one_row_is_enough():
    assert ScanIndex([[1.0]]).query([[3.0]], np.int64(1)).distance.tolist() == [[2.0]]
    assert (
        ScanIndex(np.ones((3, 100_000), np.float32)).query(np.zeros((1, 100_000)), 1).row[0, 0] == 0
    )


def test_no_query_is_no_answer():
    result = ScanIndex(X).query(np.empty((0, 4)), 3)
    assert result.distance.shape == result.row.shape == (0, 3)


def test_sparse_rows_answer_sparse_and_dense_queries_alike():
    dense = np.where(RNG.random((60, 25)) < 0.3, RNG.normal(size=(60, 25)), 0)
    for metric in ("euclidean", "cosine", "manhattan"):
        plain = ScanIndex(dense, metric=metric).query(dense, 9)
        index = ScanIndex(scipy.sparse.csr_matrix(dense), metric=metric)
        assert_same(index.query(scipy.sparse.csc_array(dense), 9), plain)
        assert_same(index.query(dense, 9), plain)
        assert index.decisions.about("rows")


def test_rows_are_borrowed_and_left_alone(tmp_path):
    np.save(tmp_path / "rows.npy", X.astype(np.float32))
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    index = ScanIndex(mapped)
    assert np.shares_memory(index._rows, mapped)
    assert len(index.decisions) == 0
    assert_same(index.query(Q, 4), ScanIndex(np.array(mapped)).query(Q, 4))


def test_frames_of_numbers_are_read():
    plain = ScanIndex(X).query(Q, 5)
    for frame in (pd.DataFrame, pl.DataFrame):
        assert_same(ScanIndex(frame(X)).query(frame(Q), 5), plain)
    with pytest.raises(MissingValueError, match="row 1, column 0"):
        ScanIndex(pd.DataFrame({"a": pd.array([1, None], "Int64")}))


def test_threads_none_is_the_setting_of_the_moment():
    index, usual = ScanIndex(X), lookalike._core.default_threads()
    lookalike._core.set_default_threads(1)
    one = index.query(Q, 5)
    lookalike._core.set_default_threads(usual)
    assert_same(index.query(Q, 5, threads=2), one)


def test_precomputed_distances_are_searched():
    gaps = np.sqrt(squared_distances(Q, X))
    index = ScanIndex(np.sqrt(squared_distances(X, X)), metric="precomputed")
    assert_same(index.query(gaps, 6), nearest(gaps, 6))
    with pytest.raises(ParameterError, match="new index"):
        index.add(X)
    with pytest.raises(ParameterError, match=">= 0"):
        index.query(-gaps, 1)


def test_a_python_function_says_that_it_is_slow():
    index = ScanIndex(X, metric=lambda q, x: float(np.abs(q - x).max()))
    assert_same(index.query(Q, 6), nearest(oracle_metrics.chebyshev(Q, X), 6))
    assert "slow" in str(index.decisions)
    result = index.query_radius(np.repeat(Q, 5, axis=0), 1.0)
    expected = ScanIndex(X, metric="chebyshev").query_radius(np.repeat(Q, 5, axis=0), 1.0)
    assert_same(result, expected)


def test_a_compiled_function_runs_on_several_threads():
    point = ctypes.POINTER(ctypes.c_double)
    kind = ctypes.CFUNCTYPE(ctypes.c_double, point, point, ctypes.c_size_t)
    function = kind(lambda q, x, _: abs(q[0] - x[0]))
    index = ScanIndex(X[:, :1], metric=function)
    plain = ScanIndex(X[:, :1], metric="manhattan").query(Q[:, :1], 6)
    assert_same(index.query(Q[:, :1], 6, threads=2), plain)


TABLE = {
    "height": [1.5, 2.0, None, 1.0],
    "color": ["red", None, "blue", "red"],
    "member": [True, False, True, None],
    "code": [7, 9, 7, 7],
}
HEIGHT, COLOR, MEMBER = 2 * (0.5 + 1 + 0.5) / 9, 1 - (4 + 1) / 9, 1 - (4 + 1) / 9
EXPECTED = np.array(  # by hand, range of height 1, code a category; missing: the mean difference
    [
        [0, 0.5 + COLOR + 1 + 1, HEIGHT + 1, 0.5 + MEMBER],
        [0.5 + COLOR + 1 + 1, COLOR, HEIGHT + COLOR + 1 + 1, 1 + COLOR + MEMBER + 1],
        [HEIGHT + 1, HEIGHT + COLOR + 1 + 1, HEIGHT, HEIGHT + 1 + MEMBER],
        [0.5 + MEMBER, 1 + COLOR + MEMBER + 1, HEIGHT + 1 + MEMBER, MEMBER],
    ]
) / len(TABLE)


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame, pl.DataFrame, pa.table, lambda table: pd.DataFrame(table).convert_dtypes()],
    ids=["pandas", "polars", "arrow", "nullable"],
)
def test_gower_compares_mixed_columns_of_any_frame(frame):
    table = frame(TABLE)
    index = ScanIndex(table, metric="gower", metric_params={"categorical": ["code"]})
    result = index.query(table, 4)
    gaps = np.take_along_axis(result.distance, np.argsort(result.row, axis=1), axis=1)
    np.testing.assert_allclose(gaps, EXPECTED, rtol=1e-15)
    assert "triangle" not in index.metric.axioms


def test_gower_weighs_clips_and_meets_new_categories():
    table = pd.DataFrame({"a": [0.0, 10.0], "b": ["x", "y"], "c": [3.0, 3.0]})
    index = ScanIndex(table, metric="gower", metric_params={"w": {"a": 2.0}})
    assert "triangle" in index.metric.axioms
    new = pd.DataFrame({"c": [4.0, 3.0], "b": ["z", "x"], "a": [50.0, 5.0]})  # another order
    assert index.query(new, 2).distance.tolist() == [[1.0, 1.0], [0.25, 0.5]]
    matrix = ScanIndex(np.array([[0.0, 1.0], [10.0, np.nan]]), metric="gower")
    assert matrix.query([[5.0, 1.0]], 2).distance.tolist() == [[0.25, 0.25]]
    nothing = ScanIndex(np.array([[0.0, np.nan], [1.0, 2.0]]), metric="gower")
    assert nothing.query([[np.nan, 2.0]], 2).distance.tolist() == [[0.25, 1.0]]


def test_a_row_without_numbers_is_not_the_nearest_of_all_rows_of_its_category():
    rng = np.random.default_rng(0)
    measures = np.repeat([[0.0], [1.0]], 50, axis=0) + rng.normal(0, 0.05, (100, 4))
    table = pd.DataFrame(measures, columns=list("abcd")).assign(island=["x", "y"] * 50)
    table.loc[7, list("abcd")] = np.nan
    nearest_row = ScanIndex(table, metric="gower").query(table, 1, exclude=np.arange(100)).row
    assert 7 not in nearest_row
    alike = nearest_row[:, 0] // 50 == np.arange(100) // 50
    assert alike[np.arange(100) != 7].all()


def test_gower_asks_for_a_minimum_of_shared_columns():
    X = np.array([[0.0, 0.0, np.nan], [1.0, np.nan, np.nan], [np.nan, np.nan, 1.0]])
    share = {"min_shared": 0.5}
    distance = ScanIndex(X, metric="gower", metric_params=share).query([[0.0, 0.0, 0.0]], 3)
    assert distance.row.tolist() == [[0, 1, 2]]
    assert distance.distance[0, 1:].tolist() == [1.0, 1.0]
    with pytest.raises(ParameterError, match=r"min_shared=2.* Give a number from 0 to 1"):
        ScanIndex(X, metric="gower", metric_params={"min_shared": 2})


def test_gower_names_the_columns_that_do_not_fit():
    table = pd.DataFrame({"a": [0.0, 10.0], "b": ["x", "y"]})
    index = ScanIndex(table, metric="gower")
    with pytest.raises(ColumnError, match=r"lacks columns \['b'\] and has others \['c'\]"):
        index.query(table.rename(columns={"b": "c"}), 1)
    with pytest.raises(ColumnError, match="'a' of Q holds categories"):
        index.query(table.astype({"a": str}), 1)
    with pytest.raises(ParameterError, match=r"w names columns \['z'\]"):
        ScanIndex(table, metric="gower", metric_params={"w": {"z": 1}})
    with pytest.raises(ColumnError, match=r"categorical names \['z'\]"):
        ScanIndex(table, metric="gower", metric_params={"categorical": ["z"]})
    with pytest.raises(ColumnError, match="twice"):
        ScanIndex(pd.DataFrame([[1, 2]], columns=["a", "a"]), metric="gower")
    with pytest.raises(MissingValueError, match="infinite at row 1, column 'a'"):
        ScanIndex(pd.DataFrame({"a": [1.0, np.inf]}), metric="gower")
