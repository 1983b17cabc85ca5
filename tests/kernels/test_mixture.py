"""Shares, densities and sums of a mixture against the plain formulas, on every level and thread."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from lookalike.kernels.mixture import (
    Components,
    densities,
    expected_sums,
    responsibilities,
    sums_given,
)


def mixture(n_components, n_features, *, diagonal, seed=0):
    rng = np.random.default_rng(seed)
    mean = rng.normal(size=(n_components, n_features))
    weight = rng.dirichlet(np.ones(n_components))
    if diagonal:
        factor = rng.uniform(0.5, 2.0, size=(n_components, n_features))
        logs = np.log(factor).sum(axis=1)
    else:
        square = rng.normal(size=(n_components, n_features, n_features))
        cov = square @ square.transpose(0, 2, 1) + 0.3 * np.eye(n_features)
        factor = np.linalg.inv(np.linalg.cholesky(cov))
        logs = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    constant = np.log(weight) + logs - n_features / 2 * np.log(2 * np.pi)
    shift = rng.normal(size=n_features) * 3
    return Components(shift, mean, np.ascontiguousarray(factor), constant)


def plain(X, of):
    joint = []
    for k in range(len(of.mean)):
        gap = X - of.shift - of.mean[k]
        white = gap * of.factor[k] if of.diagonal else gap @ of.factor[k].T
        joint.append(of.constant[k] - (white**2).sum(axis=1) / 2)
    joint = np.stack(joint, axis=1)
    density = logsumexp(joint, axis=1)
    return np.exp(joint - density[:, None]), density


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize(
    ("n_rows", "n_components", "n_features"),
    [(1, 1, 1), (5, 3, 2), (33, 2, 7), (1024, 4, 8), (1500, 7, 33), (70, 40, 3)],
)
def test_shares_densities_and_sums_are_the_plain_ones(n_rows, n_components, n_features, diagonal):
    of = mixture(n_components, n_features, diagonal=diagonal)
    X = np.random.default_rng(1).normal(size=(n_rows, n_features)) * 2 + of.shift
    weight = np.random.default_rng(2).integers(0, 3, n_rows).astype(float)
    share, density = plain(X, of)
    result, log_density = responsibilities(X, of)
    np.testing.assert_allclose(result, share, atol=1e-12)
    np.testing.assert_allclose(result.sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(log_density, density, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(densities(X, of), log_density)
    log_likelihood, sums = expected_sums(X, weight, of)
    np.testing.assert_allclose(log_likelihood, weight @ density, rtol=1e-11, atol=1e-11)
    given = sums_given(X, weight, share, of)
    for k in range(n_components):
        z = np.column_stack([X - of.shift - of.mean[k], np.ones(n_rows)])
        r = (weight * share[:, k])[:, None]
        if diagonal:
            expected = np.stack([(r * z).sum(axis=0), (r * z**2).sum(axis=0)])
        else:
            expected = np.tril((r * z).T @ z)
        for one in (sums[k], given[k]):
            lower = one if diagonal else np.tril(one)
            np.testing.assert_allclose(lower, expected, rtol=1e-10, atol=1e-10)


def test_a_density_is_that_of_scipy():
    of = mixture(2, 3, diagonal=False)
    X = np.random.default_rng(0).normal(size=(20, 3))
    covariances = [np.linalg.inv(W.T @ W) for W in of.factor]
    logs = np.log(np.abs(np.diagonal(of.factor, axis1=1, axis2=2))).sum(axis=1)
    weights = np.exp(of.constant - logs + 1.5 * np.log(2 * np.pi))
    p = sum(
        w * multivariate_normal(of.shift + m, c).pdf(X)
        for w, m, c in zip(weights, of.mean, covariances, strict=True)
    )
    np.testing.assert_allclose(densities(X, of), np.log(p), rtol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8, np.int8])
def test_rows_of_every_kind_of_number_are_read(dtype):
    of = mixture(3, 4, diagonal=False)
    X = np.random.default_rng(0).integers(0, 9, size=(50, 4)).astype(dtype)
    expected = responsibilities(X.astype(np.float64), of)[0]
    np.testing.assert_array_equal(responsibilities(X, of)[0], expected)


def test_the_nearest_component_takes_all_and_the_lower_of_equals():
    of = Components(np.zeros(1), np.array([[0.0], [2.0]]), np.ones((2, 1)), np.zeros(2))
    _, sums = expected_sums(np.array([[0.5], [1.0], [1.9]]), None, of, nearest=True)
    np.testing.assert_array_equal(sums[:, 0, 1], [2.0, 1.0])
    np.testing.assert_allclose(sums[:, 0, 0], [1.5, -0.1])


def test_threads_and_strides_do_not_show():
    of = mixture(5, 11, diagonal=False)
    X = np.random.default_rng(0).normal(size=(3000, 22))[:, :11]
    one = expected_sums(X, None, of, threads=1)
    for threads in (2, 3, 8):
        more = expected_sums(np.ascontiguousarray(X), None, of, threads=threads)
        assert more[0] == one[0]
        np.testing.assert_array_equal(more[1], one[1])


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("far", [1e6, 1e150, 1e200, 1.7e308])
def test_far_rows_have_finite_shares_of_sum_one(far, diagonal):
    of = mixture(4, 3, diagonal=diagonal)
    X = np.array([[far, 0.0, 0.0], [-far, far, -far], [0.0, 0.0, 0.0]])
    share, density = responsibilities(X, of)
    assert np.isfinite(share).all()
    assert np.isfinite(density).all()
    np.testing.assert_allclose(share.sum(axis=1), 1.0)
    gap = np.array([[1.0, 0.0, 0.0]])
    white = [(gap * W) if diagonal else gap @ W.T for W in of.factor]
    assert share[0].argmax() == np.argmin([(w**2).sum() for w in white])


def test_a_component_of_no_weight_holds_nothing():
    of = mixture(3, 2, diagonal=True)
    of.constant[1] = -np.inf
    for X in (np.zeros((4, 2)), np.full((1, 2), 1e200)):
        share, density = responsibilities(X, of)
        assert (share[:, 1] == 0).all()
        assert np.isfinite(density).all()


PRINT = """
import numpy as np
from lookalike.kernels.mixture import *
from lookalike import _core
rng = np.random.default_rng(0)
X = rng.normal(size=(700, 13))
W = np.tril(rng.normal(size=(3, 13, 13)))
parts = []
for factor in (W, np.abs(W[:, 0]) + 0.1):
    of = Components(X[0], X[1:4].copy(), np.ascontiguousarray(factor), np.zeros(3))
    share, density = responsibilities(X, of)
    parts += [share, density, expected_sums(X, None, of)[1]]
print(_core.simd_level(), hash(b"".join(part.tobytes() for part in parts)))
"""


def test_every_vector_level_gives_the_same_bits():
    said = []
    for level in ("generic", "avx2", "avx512"):
        environment = {**os.environ, "LOOKALIKE_SIMD": level, "PYTHONHASHSEED": "0"}
        run = subprocess.run(
            [sys.executable, "-c", PRINT],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode == 0:
            said.append(run.stdout.split())
    assert len(said) >= 1
    assert len({bits for _, bits in said}) == 1
