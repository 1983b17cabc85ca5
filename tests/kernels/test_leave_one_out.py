"""Neighbors of rows left out, by sets of columns: the votes of a classifier on each set."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike import KNeighborsClassifier
from lookalike.kernels.leave_one_out import ColumnSets


def tables(seed, kind, rows, features):
    rng = np.random.default_rng(seed)
    if kind == "grid":
        return rng.integers(0, 3, (rows, features)).astype(float)
    X = rng.normal(size=(rows, features)) * 10.0 ** rng.integers(-3, 4, features)
    if kind == "ruled by one":
        X[:, 0] *= 1e9
    if kind == "far away":
        X += 1e8
    return X


def column_sets(chosen, candidates, add):
    for c in candidates:
        yield sorted([*chosen, c]) if add else [j for j in chosen if j != c]


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["normal", "grid", "ruled by one", "far away"]),
    st.integers(1, 6),
    st.booleans(),
)
def test_votes_are_those_of_the_classifier_on_the_columns_of_the_set(seed, kind, k, add):
    rng = np.random.default_rng(seed)
    X, y = tables(seed, kind, 40, 12), rng.integers(0, 3, 40)
    chosen = rng.permutation(12)[: rng.integers(0 if add else 2, 12)].tolist()
    candidates = [c for c in range(12) if (c in chosen) != add]
    classes, code = np.unique(y, return_inverse=True)
    result = ColumnSets(X).classes(chosen, candidates, code, len(classes), k, add=add)
    for columns, said in zip(column_sets(chosen, candidates, add), result, strict=True):
        model = KNeighborsClassifier(k).fit(X[:, columns], code)
        np.testing.assert_array_equal(said, model.predict(None))


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["normal", "grid", "ruled by one"]),
    st.integers(1, 6),
    st.booleans(),
)
def test_means_are_over_the_rows_that_the_reference_finds_nearest(seed, kind, k, add):
    rng = np.random.default_rng(seed)
    X, y = tables(seed, kind, 30, 10), rng.normal(size=30)
    chosen = rng.permutation(10)[: rng.integers(0 if add else 2, 10)].tolist()
    candidates = [c for c in range(10) if (c in chosen) != add]
    result = ColumnSets(X).means(chosen, candidates, y, k, add=add)
    for columns, said in zip(column_sets(chosen, candidates, add), result, strict=True):
        keys = oracle.squared_distances(X[:, columns], X[:, columns])
        _, rows = oracle.nearest(keys, k, exclude=np.arange(30))
        expected = [sum(y[np.sort(near)]) / k for near in rows]
        np.testing.assert_array_equal(said, expected)


def test_all_other_rows_may_be_neighbors():
    X, code = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    assert ColumnSets(X).classes([], [0], code, 2, 2).tolist() == [[1, 0, 0]]


def test_the_number_of_threads_does_not_show():
    X, y = tables(0, "normal", 300, 20), np.arange(300) % 3
    one, two = (ColumnSets(X, threads=t).classes(range(8), range(8, 20), y, 3, 5) for t in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("level", ["generic", "avx2"])
def test_every_vector_level_says_the_same(level):
    code = (
        "import numpy as np, hashlib; from lookalike.kernels.leave_one_out import ColumnSets;"
        "rng = np.random.default_rng(0); X = rng.normal(size=(203, 11)); y = rng.normal(size=203);"
        "a = ColumnSets(X).means([1, 5, 7], [0, 2, 3], y, 4);"
        "b = ColumnSets(X).means(list(range(11)), [0, 2, 3], y, 4, add=False);"
        "print(hashlib.sha256(a.tobytes() + b.tobytes()).hexdigest())"
    )

    def digest(**environment):
        return subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env=os.environ | environment,
            check=True,
        ).stdout

    try:
        assert digest(LOOKALIKE_SIMD=level) == digest()
    except subprocess.CalledProcessError:
        pytest.skip(f"this machine has no {level}")
