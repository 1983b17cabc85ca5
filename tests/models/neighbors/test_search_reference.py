"""The reference's rows and bits, whatever the metric, batch, chunks, threads and SIMD level."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike import NearestNeighbors, _core
from lookalike.kernels.metrics import metric_from
from lookalike.kernels.metrics.base import Embedded

LEVELS = ("generic", "avx2", "avx512")
METRICS = ("euclidean", "sqeuclidean", "cosine", "manhattan", "chebyshev", "hamming")


def judged(X, Q, k, metric):
    """Return distances and rows by the slow way; embedded metrics are squares of embedded rows."""
    ours = metric_from(metric, X=X)
    if isinstance(ours, Embedded):
        keys = oracle.squared_distances(ours.embed(Q), ours.embed(X))
    else:
        gaps = np.abs(np.asarray(Q, np.float64)[:, None] - np.asarray(X, np.float64)[None])
        keys = {
            "manhattan": lambda: oracle.lane_sum(gaps),
            "chebyshev": lambda: gaps.max(axis=2),
            "hamming": lambda: oracle.lane_sum((gaps != 0).astype(float)),
        }[metric]()
    keys, rows = oracle.nearest(keys, k)
    return ours.distance(keys), rows


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 150)), draw(st.sampled_from((1, 2, 3, 7, 8, 9, 11, 33, 65)))
    X = {
        "gaussian": lambda: rng.standard_normal((n, d)),
        "grid": lambda: rng.integers(1, 4, (n, d)),
        "copies": lambda: rng.standard_normal((n // 4 + 1, d))[rng.integers(0, n // 4 + 1, n)],
    }[draw(st.sampled_from(("gaussian", "grid", "copies")))]().astype(np.float64)
    dtype = draw(st.sampled_from(("float32", "float64", "uint8", "int8")))
    if dtype in ("uint8", "int8"):
        X = rng.integers(1, 100, (n, d))
    else:
        X = X + draw(st.sampled_from((0.0, 0.0, 1e4, -1e8)))
    X = X.astype(dtype)
    Q = X[rng.integers(0, n, draw(st.integers(1, 12)))]
    return X, Q, draw(st.integers(1, n))


@settings(max_examples=80, deadline=None)
@given(
    problems(),
    st.sampled_from(METRICS),
    st.sampled_from(("auto", "exact", "brute", "chunks")),
    st.integers(1, 60),
    st.integers(1, 12),
    st.sampled_from((1, 2, 3)),
)
def test_rows_and_distances_equal_the_reference_in_every_way(
    problem, metric, way, chunk, batch, jobs
):
    X, Q, k = problem
    if way == "chunks":
        pieces = lambda: (X[i : i + chunk] for i in range(0, len(X), chunk))  # noqa: E731
        model = NearestNeighbors(k, metric=metric, engine="stream", n_jobs=jobs).fit(pieces)
    else:
        model = NearestNeighbors(k, metric=metric, algorithm=way, n_jobs=jobs).fit(X)
    found = [model.kneighbors(Q[i : i + batch]) for i in range(0, len(Q), batch)]
    distance, row = (np.concatenate(part) for part in zip(*found, strict=True))
    true_distance, true_row = judged(X, Q, k, metric)
    np.testing.assert_array_equal(row, true_row)
    np.testing.assert_array_equal(distance, true_distance.astype(distance.dtype))


AGAIN = """
from hypothesis import settings
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
from lookalike import _core
import test_search_reference as tests
tests.test_rows_and_distances_equal_the_reference_in_every_way()
print(_core.simd_level())
"""


@pytest.mark.parametrize("level", LEVELS[: LEVELS.index(_core.best_simd_level())])
def test_so_they_are_at_every_lower_vector_level(level):
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", AGAIN],
        env=os.environ | {"LOOKALIKE_SIMD": level, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{level}\n"
