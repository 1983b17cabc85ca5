"""The native scan equals the reference bit for bit, whatever the rows, threads and batches."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import oracle_metrics
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracle import nearest, squared_distances

from lookalike import _core
from lookalike.errors import ParameterError
from lookalike.kernels.metrics import metric_from
from lookalike.kernels.scan import scan_nearest, scan_within

KINDS = [np.float32, np.float64, np.uint8, np.int8]
NAMES = [
    "sqeuclidean",
    "manhattan",
    "chebyshev",
    "cubic",
    "broken",
    "huge",
    "inner_product",
    "hamming",
    "weighted",
    "cosine",
    "correlation",
    "mahalanobis",
    "gower",
    "nan_euclidean",
    "semimetric",
    "canberra",
    "braycurtis",
]


def rows(seed, n, d, kind=np.float64):
    values = np.random.default_rng(seed).normal(size=(n, d)) * 30 + 40
    return np.clip(np.round(values), 0, 120).astype(kind) if kind != np.float64 else values


def metric_and_reference(name, X):
    """Return the metric of a name and the keys that the reference finds for it."""
    d = X.shape[1]
    w = np.linspace(0.5, 2, d)
    if name in ("cubic", "broken", "huge", "semimetric"):
        p = {"cubic": 3, "broken": 2.5, "huge": 1e6, "semimetric": 0.5}[name]
        return metric_from("minkowski", p), lambda Q: oracle_metrics.minkowski(Q, X, p=p)
    if name == "weighted":
        metric = metric_from("euclidean", metric_params={"w": w})
        return metric, lambda Q: oracle_metrics.weighted(
            np.asarray(Q, float), np.asarray(X, float), w
        )
    if name == "mahalanobis":
        metric = metric_from(name, X=X)
        return metric, lambda Q: oracle_metrics.mahalanobis(Q, X, metric.map, metric.center)
    if name == "sqeuclidean":
        return metric_from(name), lambda Q: squared_distances(Q, X)
    if name in ("hamming", "nan_euclidean"):
        metric = metric_from(name, metric_params={"w": w})
        return metric, lambda Q: getattr(oracle_metrics, name)(Q, X, w=w)
    if name == "gower":
        metric = metric_from(name, metric_params={"w": w}, X=X)
        return metric, lambda Q: oracle_metrics.gower(
            metric.rows(Q), metric.rows(X), w=w, expected=metric.expected
        )
    return metric_from(name), lambda Q: getattr(oracle_metrics, name)(Q, X)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_keys_and_rows_equal_the_reference(name, kind):
    X, Q = rows(1, 301, 11, kind), rows(2, 41, 11, kind)
    metric, reference = metric_and_reference(name, X)
    key, row = scan_nearest(metric, metric.rows(Q), metric.rows(X), 7)
    expected = nearest(reference(Q), 7)
    np.testing.assert_array_equal(row, expected[1])
    np.testing.assert_array_equal(key, expected[0])


@given(
    st.sampled_from(NAMES),
    st.sampled_from(KINDS),
    st.integers(0, 99),
    st.integers(2, 60),
    st.integers(1, 20),
    st.integers(1, 9),
)
@settings(max_examples=120, deadline=None)
def test_any_shape_equals_the_reference(name, kind, seed, n, d, queries):
    if name in ("mahalanobis", "correlation"):
        n, d = n + 40, d + 3
    X, Q = rows(seed, n, d, kind), rows(seed + 100, queries, d, kind)
    X[:, 0], Q[:, 0] = 121 + np.arange(n) % 5, 122  # no row of zeros, none constant
    metric, reference = metric_and_reference(name, X)
    k = min(n, 5)
    key, row = scan_nearest(metric, metric.rows(Q), metric.rows(X), k, threads=2)
    expected = nearest(reference(Q), k)
    np.testing.assert_array_equal(row, expected[1])
    np.testing.assert_array_equal(key, expected[0])


@given(st.integers(0, 99), st.integers(2, 40), st.integers(1, 20), st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=80, deadline=None)
def test_gower_over_missing_cells_equals_the_reference(seed, n, d, min_shared):
    rng = np.random.default_rng(seed)
    X, Q = (
        np.where(rng.random(A.shape) < 0.3, np.nan, A) for A in (rows(seed, n, d), rows(9, 7, d))
    )
    w = np.linspace(0.5, 2, d)
    metric = metric_from("gower", metric_params={"w": w, "min_shared": min_shared}, X=X)
    encoded = metric.rows(Q), metric.rows(X)
    key, row = scan_nearest(metric, *encoded, n)
    options = {"w": w, "expected": metric.expected, "min_shared": min_shared}
    expected = nearest(oracle_metrics.gower(*encoded, **options), n)
    np.testing.assert_array_equal(row, expected[1])
    np.testing.assert_array_equal(key, expected[0])
    metric.expected = None  # as in a model file that was written before there were any
    key, row = scan_nearest(metric, *encoded, n)
    before = nearest(oracle_metrics.gower_of_present(*encoded, w=w), n)
    np.testing.assert_array_equal(row, before[1])
    np.testing.assert_array_equal(key, before[0])


def test_a_missing_cell_is_never_equal_and_the_distance_is_symmetric():
    rng = np.random.default_rng(3)
    X = np.where(rng.random((40, 6)) < 0.4, np.nan, rng.normal(size=(40, 6)))
    metric = metric_from("gower", X=X)
    key, row = scan_nearest(metric, metric.rows(X), metric.rows(X), 40)
    distance = np.take_along_axis(key, np.argsort(row, axis=1), axis=1)
    np.testing.assert_array_equal(distance, distance.T)
    lacking = np.isnan(X).any(axis=1)
    np.testing.assert_array_equal(np.diag(distance) > 0, lacking)


@pytest.mark.parametrize("name", NAMES)
def test_threads_and_batches_do_not_show(name):
    X, Q = rows(3, 9000, 5), rows(4, 70, 5)
    X[5000:] = X[:4000]  # ties across the shares of two threads
    metric, _ = metric_and_reference(name, X)
    points = metric.rows(X)
    whole = scan_nearest(metric, metric.rows(Q), points, 9, threads=1)
    for threads in (2, 3, 7):
        for size in (1, 3, 70):
            parts = [
                scan_nearest(metric, metric.rows(Q[i : i + size]), points, 9, threads=threads)
                for i in range(0, 70 if threads == 2 else size, size)
            ]
            for part, all_of_it in zip(
                map(np.concatenate, zip(*parts, strict=True)), whole, strict=True
            ):
                np.testing.assert_array_equal(part, all_of_it[: len(part)])


@pytest.mark.parametrize("name", NAMES)
def test_within_returns_what_the_reference_finds_at_or_below_the_limit(name):
    X, Q = rows(5, 500, 6), rows(6, 9, 6)
    metric, reference = metric_and_reference(name, X)
    keys = reference(Q)
    most = np.sort(keys, axis=1)[:, 25].copy()  # a key that is met exactly
    key, row, starts = scan_within(metric, metric.rows(Q), metric.rows(X), most, threads=2)
    for i, start in enumerate(starts[:-1]):
        inside = np.flatnonzero(keys[i] <= most[i])
        order = inside[np.argsort(keys[i][inside], kind="stable")]
        np.testing.assert_array_equal(row[start : starts[i + 1]], order)
        np.testing.assert_array_equal(key[start : starts[i + 1]], keys[i][order])


@pytest.mark.parametrize(
    "name", ["sqeuclidean", "manhattan", "chebyshev", "inner_product", "cosine"]
)
@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_sparse_rows_give_the_bits_of_dense_rows(name, layout):
    rng = np.random.default_rng(8)
    dense = np.where(rng.random((90, 37)) < 0.2, rng.normal(size=(90, 37)), 0.0)
    dense[:, 36] = 0.5  # no row of zeros
    metric = metric_from(name)
    make = getattr(scipy.sparse, f"{layout}_array")
    X, Q = make(dense[:70]), make(dense[70:])
    sparse = scan_nearest(metric, metric.rows(Q), metric.rows(X), 6, threads=2)
    plain = scan_nearest(metric, metric.rows(dense[70:]), metric.rows(dense[:70]), 6)
    np.testing.assert_array_equal(sparse[0], plain[0])
    np.testing.assert_array_equal(sparse[1], plain[1])


@given(
    st.sampled_from(["sqeuclidean", "manhattan", "inner_product"]),
    arrays(
        np.float64,
        (30, 6),
        elements=st.sampled_from(
            [0.0, 0.0, 0.0, 1.0, 1 + 2**-52, -1.0, 1e8, 1e8 + 1, 1e-160, 1e140]
        ),
    ),
    st.integers(1, 29),
)
@settings(max_examples=150, deadline=None)
def test_no_sparse_key_is_lost_to_rounding(name, dense, k):
    metric = metric_from(name)
    points, queries = metric.rows(dense), metric.rows(dense[:4])
    plain = scan_nearest(metric, queries, points, k)
    rows = np.tile(dense, (5, 1))  # later tiles are compared with a bound
    sparse = metric.rows(scipy.sparse.csr_array(rows))
    result = scan_nearest(metric, metric.rows(scipy.sparse.csr_array(dense[:4])), sparse, k)
    again = scan_nearest(metric, queries, metric.rows(rows), k)
    np.testing.assert_array_equal(result[0], again[0])
    np.testing.assert_array_equal(result[1], again[1])
    assert (result[0][:, 0] == plain[0][:, 0]).all()


def test_jaccard_counts_bits_like_the_reference():
    X = np.random.default_rng(9).random((200, 131)) < 0.2
    X[3], X[77] = False, False
    metric = metric_from("jaccard")
    key, row = scan_nearest(metric, metric.rows(X[:20]), metric.rows(X), 8)
    expected = nearest(oracle_metrics.jaccard(X[:20], X), 8)
    np.testing.assert_array_equal(key, expected[0])
    np.testing.assert_array_equal(row, expected[1])
    assert key[3, :2].tolist() == [0, 0]
    assert row[3, :2].tolist() == [3, 77]


def test_haversine_equals_its_reference():
    X = np.random.default_rng(10).uniform([-np.pi / 2, -np.pi], [np.pi / 2, np.pi], (300, 2))
    metric = metric_from("haversine")
    key, row = scan_nearest(metric, metric.rows(X[:20]), metric.rows(X), 300)
    expected = nearest(oracle_metrics.haversine(X[:20], X), 300)
    np.testing.assert_array_equal(key, expected[0])
    np.testing.assert_array_equal(row, expected[1])


def test_infinite_keys_are_returned_last_by_row():
    X = np.array([[np.nan, 1.0], [np.nan, 2.0], [5.0, np.nan]])
    metric = metric_from("nan_euclidean", X=X)
    key, row = scan_nearest(metric, np.array([[4.0, np.nan]]), X, 3)
    assert key.tolist() == [[2.0, np.inf, np.inf]]
    assert row.tolist() == [[2, 0, 1]]


def test_an_excluded_row_is_never_found_but_its_twin_is():
    X = np.zeros((6, 3))
    metric = metric_from("euclidean")
    _, row = scan_nearest(metric, X, X, 5, exclude=np.arange(6))
    assert all(i not in result and len(set(result)) == 5 for i, result in enumerate(row.tolist()))


def test_a_function_that_returns_nan_is_an_error_that_names_the_pair():
    ctypes = pytest.importorskip("ctypes")
    kind = ctypes.CFUNCTYPE(
        ctypes.c_double,
        ctypes.POINTER(ctypes.c_double),
        ctypes.POINTER(ctypes.c_double),
        ctypes.c_size_t,
    )
    metric = metric_from(kind(lambda _q, x, _d: float("nan") if x[0] == 3 else 0.0))
    with pytest.raises(ParameterError, match="NaN for query 0 and row 3"):
        scan_nearest(metric, np.zeros((1, 2)), np.repeat(np.arange(5.0)[:, None], 2, axis=1), 1)


_AT_LEVEL = """
import sys, numpy as np
sys.path.insert(0, sys.argv[1])
sys.path.insert(0, sys.argv[2])
from test_scan import NAMES, metric_and_reference, rows
from lookalike.kernels.metrics import metric_from
from lookalike.kernels.scan import scan_nearest
X, Q = rows(11, 150, 19), rows(12, 10, 19)
for name in NAMES:
    metric, _ = metric_and_reference(name, X)
    for part in scan_nearest(metric, metric.rows(Q), metric.rows(X), 9):
        sys.stdout.buffer.write(part.tobytes())
metric = metric_from("jaccard")
for part in scan_nearest(metric, metric.rows(Q > 40), metric.rows(X > 40), 9):
    sys.stdout.buffer.write(part.tobytes())
"""


def test_every_vector_level_gives_the_same_bits():
    here = os.path.dirname(__file__)
    answers = [
        subprocess.run(
            [sys.executable, "-c", _AT_LEVEL, here, os.path.dirname(here)],
            env={**os.environ, "LOOKALIKE_SIMD": level},
            capture_output=True,
            check=True,
        ).stdout
        for level in _core.simd_levels()
    ]
    assert len(answers[0]) == (len(NAMES) + 1) * 10 * 9 * 16
    assert all(answer == answers[0] for answer in answers)


GOWER_SCRIPT = """
import sys
import numpy as np
from lookalike.kernels.metrics import metric_from
from lookalike.kernels.scan import scan_nearest

rng = np.random.default_rng(0)
X = np.where(rng.random((300, 13)) < 0.3, np.nan, rng.normal(size=(300, 13)))
metric = metric_from("gower", metric_params={"w": np.linspace(0.5, 2, 13)}, X=X)
np.savez(sys.argv[1], *scan_nearest(metric, metric.rows(X), metric.rows(X), 300))
"""


def test_gower_over_missing_cells_has_the_same_bits_at_every_vector_level(tmp_path):
    levels = _core.simd_levels()
    for level in levels:
        path = str(tmp_path / f"{level}.npz")
        change = {"LOOKALIKE_SIMD": level}
        subprocess.run(
            [sys.executable, "-c", GOWER_SCRIPT, path], check=True, env={**os.environ, **change}
        )
    results = [np.load(tmp_path / f"{level}.npz") for level in levels]
    for other in results[1:]:
        for key in results[0].files:
            np.testing.assert_array_equal(results[0][key], other[key])
