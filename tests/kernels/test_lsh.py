import os
import subprocess
import sys

import numpy as np
import oracle
import pytest

from lookalike import _core
from lookalike.index.lsh_tuning import collision
from lookalike.kernels.lsh import (
    HashedRows,
    KeyForm,
    bucket_rows,
    draw_functions,
    make_tables,
    no_tables,
)

NONE = np.empty(0, np.int64)


def reference_distance(Q, X, form):
    gaps = np.asarray(Q, float)[:, None] - np.asarray(X, float)[None]
    if form == KeyForm.SQUARED:
        return np.sqrt(oracle.lane_sum(gaps * gaps))
    if form == KeyForm.COSINE:
        return np.minimum(oracle.lane_sum(gaps * gaps) / 2, 2)
    if form == KeyForm.MANHATTAN:
        return oracle.lane_sum(np.abs(gaps))
    if form == KeyForm.HAMMING:
        return (gaps != 0).sum(axis=2) / X.shape[1]
    both = (Q[:, None] != 0) & (X[None] != 0)
    either = ((Q[:, None] != 0) | (X[None] != 0)).sum(axis=2)
    return np.where(either == 0, 0, 1 - both.sum(axis=2) / np.maximum(either, 1))


@pytest.mark.parametrize("form", list(KeyForm))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 7, 8, 19])
def test_a_search_without_tables_is_the_scan_of_the_reference(form, dtype, d):
    rng = np.random.default_rng(d)
    X, Q = (rng.integers(0, 2, (n, d)).astype(dtype) for n in (90, 20))
    if form == KeyForm.COSINE:  # of rows no longer than 1
        X, Q = X / dtype(32), Q / dtype(32)
    exclude = rng.integers(0, 90, 20)
    hashed, buckets = HashedRows(X, no_tables(), form), np.empty((20, 0), np.uint64)
    result = hashed.nearest(Q, buckets, 30, exclude, threads=2, scan=True)
    distance, rows = oracle.nearest(reference_distance(Q, X, form), 30, exclude)
    np.testing.assert_array_equal(result[1], rows)
    np.testing.assert_array_equal(result[0], distance)
    np.testing.assert_array_equal(result[2], -1)


def test_candidates_are_exactly_the_rows_that_share_a_bucket():
    rng = np.random.default_rng(0)
    X, Q = rng.random((500, 5)), rng.random((30, 5))
    functions = draw_functions("gaussian", 4, 3, width=0.4, center=X.mean(axis=0), d=5, seed=1)
    of_rows, of_queries = (bucket_rows(A, functions, 0, 2) for A in (X, Q))
    shared = (of_queries[:, None, :] == of_rows[None, :, :]).any(axis=2)
    distance = reference_distance(Q, X, KeyForm.SQUARED)
    hashed = HashedRows(X, make_tables(of_rows, 2), KeyForm.SQUARED)
    result = hashed.within(Q, of_queries, np.full(30, np.inf), NONE, threads=2)
    for i in range(30):
        part = slice(result[2][i], result[2][i + 1])
        rows = np.flatnonzero(shared[i])
        np.testing.assert_array_equal(result[1][part], rows[np.argsort(distance[i, rows])])
    _, _, compared = hashed.nearest(Q, of_queries, 5, NONE, threads=2, scan=True)
    np.testing.assert_array_equal(compared, np.where(shared.sum(1) >= 5, shared.sum(1), -1))


def test_the_first_probe_changes_the_hash_that_is_nearest_to_its_boundary():
    functions = draw_functions("gaussian", 1, 2, width=1.0, center=np.empty(0), d=2, seed=0)
    functions = functions._replace(direction=np.eye(2), offset=np.zeros(2))
    X = np.array([[0.9, 0.5], [1.1, 0.5], [0.5, 0.02], [0.5, -0.02]])
    buckets = bucket_rows(X, functions, 1, 1)
    assert buckets[0, 1] == buckets[1, 0]  # 0.9 probes the bucket of 1.1
    assert buckets[1, 1] == buckets[0, 0]
    assert buckets[2, 1] == buckets[3, 0]


@pytest.mark.parametrize("family", ["gaussian", "cauchy", "sign", "minhash", "sample"])
def test_rows_collide_as_often_as_the_theory_says(family):
    rng = np.random.default_rng(4)
    if family in ("minhash", "sample"):
        a, b = rng.integers(0, 2, (2, 300)).astype(float)
        form = KeyForm.JACCARD if family == "minhash" else KeyForm.HAMMING
    else:
        a, b = rng.standard_normal((2, 300))
        b = a + 0.5 * b
        form = {"gaussian": KeyForm.SQUARED, "cauchy": KeyForm.MANHATTAN, "sign": KeyForm.COSINE}[
            family
        ]
    if family == "sign":
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    distance = reference_distance(a[None], b[None], form)[0]
    width = 2.0 * distance[0]
    functions = draw_functions(family, 4000, 1, width=width, center=np.zeros(300), d=300, seed=3)
    buckets = bucket_rows(np.stack([a, b]), functions, 0, 2)
    share = (buckets[0] == buckets[1]).mean()
    expected = collision(family, distance, width)[0]
    assert abs(share - expected) < 5 * np.sqrt(expected * (1 - expected) / 4000)


def test_more_tables_begin_with_the_same_tables():
    X = np.random.default_rng(0).random((50, 6))
    for family in ("gaussian", "sign", "minhash", "sample"):
        few, many = (
            draw_functions(family, t, 3, width=0.5, center=X.mean(0), d=6, seed=9) for t in (2, 5)
        )
        np.testing.assert_array_equal(bucket_rows(X, few, 0, 1), bucket_rows(X, many, 0, 2)[:, :2])


SCRIPT = """
import sys, numpy as np
from lookalike.kernels.lsh import HashedRows, KeyForm, bucket_rows, draw_functions, no_tables
X = np.random.default_rng(0).random((200, 21))
out = [bucket_rows(X, draw_functions(f, 3, 4, width=0.7, center=X.mean(0), d=21, seed=5), 2, 2)
       for f in ("gaussian", "cauchy", "sign")]
for form in KeyForm:
    hashed, buckets = HashedRows(X, no_tables(), form), np.empty((200, 0), np.uint64)
    out += hashed.nearest(X, buckets, 9, np.arange(200), threads=2, scan=True)[:2]
np.savez(sys.argv[1], *out)
"""


def test_every_vector_level_gives_the_same_bits(tmp_path):
    levels = _core.simd_levels()
    for level in levels:
        change = {**os.environ, "LOOKALIKE_SIMD": level}
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path / f"{level}.npz")], check=True, env=change
        )
    results = [np.load(tmp_path / f"{level}.npz") for level in levels]
    for other in results[1:]:
        for key in results[0].files:
            np.testing.assert_array_equal(results[0][key], other[key])
