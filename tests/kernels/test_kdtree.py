import math
import os
import subprocess
import sys

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike import _core
from lookalike.kernels.kdtree import NativeKDTree

NONE = np.empty(0, np.int64)
POWERS = (1.0, 2.0, 3.0, 1.5, 1e6, math.inf)


def reference_keys(Q, X, p):
    """The keys of all pairs, slowly: squares for p = 2, distances for every other p."""
    Q, X = np.asarray(Q, np.float64), np.asarray(X, np.float64)
    gaps = np.abs(Q[:, None, :] - X[None, :, :])
    if p == 2:
        return oracle.lane_sum(gaps * gaps)
    if p == 1:
        return oracle.lane_sum(gaps)
    largest = gaps.max(axis=2)
    if p == math.inf:
        return largest
    shares = gaps / np.where(largest == 0, 1, largest)[:, :, None]
    root = np.vectorize(math.pow)(oracle.lane_sum(power(shares, p)), 1 / p)
    return np.where(largest == 0, 0, largest * root)


def power(base, p):
    """The power of every value: by repeated squaring where p is whole and small, else by libm."""
    if p > 64 or p != int(p):
        return np.vectorize(math.pow)(base, p)
    result, left = np.ones_like(base), int(p)
    while left:
        result = result * base if left & 1 else result
        base, left = base * base, left >> 1
    return result


def reference(Q, X, k, p=2.0, exclude=None):
    keys, rows = oracle.nearest(reference_keys(Q, X, p), k, exclude)
    return (np.sqrt(keys) if p == 2 else keys), rows


def build(X, leaf_size=16, random_split=False, seed=0, threads=2):
    return NativeKDTree(
        X, leaf_size=leaf_size, random_split=random_split, seed=seed, threads=threads
    )


def assert_same(neighbors, expected):
    np.testing.assert_array_equal(neighbors[1], expected[1])
    np.testing.assert_array_equal(neighbors[0], expected[0])


def points(rng, kind, n, d, dtype):
    make = {
        "uniform": lambda: rng.random((n, d)),
        "grid": lambda: rng.integers(0, 4, (n, d)),
        "copies": lambda: rng.random((max(1, n // 8), d))[rng.integers(0, max(1, n // 8), n)],
        "offset": lambda: 1e8 + rng.integers(0, 1000, (n, d)) / 8,
        "outlier": lambda: (
            rng.standard_normal((n, d)) * np.where(np.arange(n) % 50 == 7, 1e5, 1)[:, None]
        ),
        "line": lambda: np.sort(rng.random((n, 1)), axis=0) * np.ones(d),
        "sizes": lambda: rng.standard_normal((n, d)) * 10.0 ** np.arange(d),
    }
    return np.ascontiguousarray(make[kind](), dtype)


@settings(max_examples=120, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["uniform", "grid", "copies", "offset", "outlier", "line", "sizes"]),
    n=st.integers(1, 300),
    d=st.integers(1, 12),
    dtypes=st.tuples(*[st.sampled_from([np.float32, np.float64])] * 2),
    p=st.sampled_from(POWERS),
    leaf_size=st.integers(1, 40),
    random_split=st.booleans(),
    threads=st.integers(1, 3),
    data=st.data(),
)
def test_nearest_rows_are_those_of_the_reference(
    seed, kind, n, d, dtypes, p, leaf_size, random_split, threads, data
):
    rng = np.random.default_rng(seed)
    X = points(rng, kind, n, d, dtypes[0])
    Q = points(rng, kind, 25, d, dtypes[1])
    Q[: min(n, 8)] = X[: min(n, 8)]
    tree = build(X, leaf_size, random_split, seed, threads)
    k = data.draw(st.integers(1, n))
    assert_same(tree.nearest(Q, k, NONE, p=p, slack=0.0, threads=threads), reference(Q, X, k, p))
    if n > 1:
        k = min(k, n - 1)
        exclude = rng.integers(0, n, len(Q))
        neighbors = tree.nearest(Q, k, exclude, p=p, slack=0.0, threads=threads)
        assert_same(neighbors, reference(Q, X, k, p, exclude))
        neighbors = tree.nearest_of_rows(k, p=p, slack=0.0, threads=threads)
        assert_same(neighbors, reference(X, X, k, p, np.arange(n)))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["uniform", "grid", "copies", "offset"]),
    n=st.integers(1, 200),
    d=st.integers(1, 10),
    p=st.sampled_from(POWERS),
    leaf_size=st.integers(1, 20),
)
def test_rows_within_a_radius_are_those_of_the_reference_with_the_boundary(
    seed, kind, n, d, p, leaf_size
):
    rng = np.random.default_rng(seed)
    X, Q = points(rng, kind, n, d, np.float64), points(rng, kind, 10, d, np.float64)
    distance, rows = reference(Q, X, n, p)
    radius = distance[np.arange(10), rng.integers(0, n, 10)]  # a row lies exactly on each
    neighbors = build(X, leaf_size).within(Q, radius, NONE, p=p, threads=2)
    for i in range(10):
        inside = distance[i] <= radius[i]
        part = slice(neighbors.start[i], neighbors.start[i + 1])
        np.testing.assert_array_equal(neighbors.row[part], rows[i][inside])
        np.testing.assert_array_equal(neighbors.distance[part], distance[i][inside])


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    pieces=st.lists(st.integers(1, 60), min_size=2, max_size=8),
    kind=st.sampled_from(["uniform", "grid"]),
)
def test_rows_added_in_pieces_answer_like_rows_built_at_once(seed, pieces, kind):
    rng = np.random.default_rng(seed)
    X = points(rng, kind, sum(pieces), 3, np.float32)
    tree = build(X[: pieces[0]], leaf_size=4)
    for size in pieces[1:]:
        tree.add(X[tree.shape[0] : tree.shape[0] + size], 2)
    np.testing.assert_array_equal(tree.rows(), X)
    k = min(7, len(X) - 1)
    whole = build(X, leaf_size=4)
    assert_same(
        tree.nearest_of_rows(k, p=2.0, slack=0.0, threads=2),
        whole.nearest_of_rows(k, p=2.0, slack=0.0, threads=1),
    )
    assert_same(tree.nearest(X, k, NONE, p=2.0, slack=0.0, threads=2), reference(X, X, k))


@pytest.mark.parametrize("scale", [1e30, 1e-30, 1e-42])
def test_float32_values_whose_squares_leave_float32_are_ordered_in_float64(scale):
    X = (np.random.default_rng(3).integers(-50, 50, (400, 3)) * scale).astype(np.float32)
    neighbors = build(X).nearest_of_rows(9, p=2.0, slack=0.0, threads=2)
    assert_same(neighbors, reference(X, X, 9, exclude=np.arange(400)))


@pytest.mark.parametrize("exponent", [700, 1019, -700, -1060])
@pytest.mark.parametrize("p", POWERS)
def test_float64_values_whose_squares_leave_float64_are_scaled_by_a_power_of_two(exponent, p):
    X = np.random.default_rng(3).integers(-15, 16, (300, 3)).astype(float)
    expected = reference(X, X, 9, p, np.arange(300))
    tree = build(np.ldexp(X, exponent))
    neighbors = tree.nearest_of_rows(9, p=p, slack=0.0, threads=2)
    np.testing.assert_array_equal(neighbors[1], expected[1])
    np.testing.assert_array_equal(neighbors[0], np.ldexp(expected[0], exponent))
    neighbors = tree.within(
        np.ldexp(X[:5], exponent), np.ldexp(np.full(5, 4.5), exponent), NONE, p=p, threads=1
    )
    np.testing.assert_array_equal(
        np.diff(neighbors.start), (reference_distance(X[:5], X, p) <= 4.5).sum(axis=1)
    )


def reference_distance(Q, X, p):
    keys = reference_keys(Q, X, p)
    return np.sqrt(keys) if p == 2 else keys


def test_a_huge_query_against_small_rows_finds_them_all():
    X = np.random.default_rng(0).random((50, 2))
    distance, row = build(X).nearest(
        np.array([[1e300, 0.0]]), 50, NONE, p=2.0, slack=0.0, threads=1
    )
    assert sorted(row[0]) == list(range(50))
    np.testing.assert_array_equal(distance[0], 1e300)


def test_neighbors_of_k_begin_those_of_k_plus_one():
    X = points(np.random.default_rng(5), "grid", 500, 3, np.float32)
    tree = build(X)
    whole = tree.nearest_of_rows(200, p=2.0, slack=0.0, threads=2)
    for k in (1, 2, 8, 64, 127, 128, 150):
        part = tree.nearest_of_rows(k, p=2.0, slack=0.0, threads=2)
        assert_same(part, (whole[0][:, :k], whole[1][:, :k]))


def test_approximate_distances_keep_their_promise_and_visit_less():
    rng = np.random.default_rng(1)
    X, Q = rng.random((5000, 6)), rng.random((200, 6))
    exact, _ = reference(Q, X, 5)
    close, rows = build(X).nearest(Q, 5, NONE, p=2.0, slack=0.5, threads=2)
    assert (close <= exact * 1.5).all()
    assert (close > exact).any()
    np.testing.assert_array_equal(close, np.take_along_axis(reference_distance(Q, X, 2), rows, 1))


SCRIPT = """
import sys, numpy as np
from lookalike.kernels.kdtree import NativeKDTree
rng = np.random.default_rng(0)
out = []
for dtype in (np.float32, np.float64):
    for X in (
        rng.random((700, 3)), rng.integers(0, 5, (700, 2)), rng.random((300, 11)),
        1e-23 * rng.random((300, 3)), np.repeat(rng.random((99, 3)), 5, 0), rng.random((5000, 9)),
    ):
        tree = NativeKDTree(X.astype(dtype), leaf_size=16, random_split=False, seed=0, threads=2)
        for k, p in ((10, 1.0), (1, 2.0), (8, 2.0), (10, 2.0), (80, 2.0), (5, 2.5), (10, np.inf)):
            if len(X) < 5000 or k in (8, 80):
                out += tree.nearest_of_rows(k, p=p, slack=0.0, threads=2)
            out += tree.nearest(X[:99] + 0.01, k, np.empty(0, np.int64), p=p, slack=0.0, threads=1)
np.savez(sys.argv[1], *out)
"""


def test_every_vector_level_and_the_plain_search_give_the_same_bits(tmp_path):
    levels = _core.simd_levels()
    changes = {level: {"LOOKALIKE_SIMD": level} for level in levels}
    changes["plain"] = {"LOOKALIKE_OPTIMIZE": "0"}
    for name, change in changes.items():
        path = str(tmp_path / f"{name}.npz")
        subprocess.run(
            [sys.executable, "-c", SCRIPT, path], check=True, env={**os.environ, **change}
        )
    results = [np.load(tmp_path / f"{name}.npz") for name in changes]
    for other in results[1:]:
        for key in results[0].files:
            np.testing.assert_array_equal(results[0][key], other[key])
