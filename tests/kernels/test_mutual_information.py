"""Information by nearest neighbors, against the definition written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma

from lookalike.kernels.mutual_information import information_with_classes, information_with_numbers


def ross(x, code, k):
    terms, used = [], 0
    for c in np.unique(code):
        own = np.flatnonzero(code == c)
        if len(own) < 2:
            continue
        used += len(own)
    everyone = np.flatnonzero(np.isin(code, [c for c in np.unique(code) if (code == c).sum() > 1]))
    for i in everyone:
        own = np.flatnonzero(code == code[i])
        near = min(k, len(own) - 1)
        reach = np.sort(np.abs(x[own] - x[i]))[near]
        inside = np.sum(np.abs(x[everyone] - x[i]) < reach)
        terms.append(digamma(near) - digamma(len(own)) - digamma(inside))
    return digamma(used) + np.mean(terms)


def kraskov(x, y, k):
    terms = []
    for i in range(len(x)):
        dx, dy = np.abs(x - x[i]), np.abs(y - y[i])
        reach = np.sort(np.maximum(dx, dy))[k]
        terms.append(digamma(k) - digamma(np.sum(dx < reach)) - digamma(np.sum(dy < reach)))
    return digamma(len(x)) + np.mean(terms)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 5), st.integers(1, 4))
def test_with_classes_it_is_the_formula_of_ross(seed, rows, k, classes):
    rng = np.random.default_rng(seed)
    code = rng.integers(0, classes, rows)
    code[:2] = 0  # one class has two rows
    x = rng.normal(size=rows) + code
    result, _ = information_with_classes(x[:, None], code, classes, k)
    np.testing.assert_allclose(result, ross(x, code, k), atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 200), st.integers(1, 5), st.sampled_from("nsc"))
def test_with_numbers_it_is_the_formula_of_kraskov(seed, rows, k, shape):
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, rows))
    x = x**5 if shape == "s" else x  # skewed: outliers far from all others
    y = x + 0.01 * noise if shape == "c" else noise
    k = min(k, rows - 1)
    result, _ = information_with_numbers(x[:, None], y, k)
    np.testing.assert_allclose(result, kraskov(x, y, k), atol=1e-12)


def test_missing_values_are_left_out():
    rng = np.random.default_rng(0)
    x, code = rng.normal(size=80), rng.integers(0, 2, 80)
    holes = x.copy()
    holes[::5] = np.nan
    kept = ~np.isnan(holes)
    for result, expected in (
        (information_with_classes(holes[:, None], code, 2, 3), ross(x[kept], code[kept], 3)),
        (information_with_numbers(holes[:, None], x**2, 3), kraskov(x[kept], x[kept] ** 2, 3)),
    ):
        np.testing.assert_allclose(result[0], expected, atol=1e-12)


def test_the_number_of_threads_does_not_show():
    rng = np.random.default_rng(1)
    X, code = rng.normal(size=(500, 7)), rng.integers(0, 3, 500)
    one, two = (information_with_classes(X, code, 3, 3, threads=t) for t in (1, 2))
    np.testing.assert_array_equal(one, two)
    one, two = (information_with_numbers(X, X[:, 0], 3, threads=t) for t in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_gaussians_have_the_information_of_their_correlation():
    rng = np.random.default_rng(2)
    x, noise = rng.normal(size=(2, 4000))
    r = 0.8
    y = r * x + np.sqrt(1 - r**2) * noise
    (result,), (error,) = information_with_numbers(x[:, None], y, 3)
    assert abs(result - -0.5 * np.log(1 - r**2)) < 3 * error


@pytest.mark.parametrize("rows", [0, 1])
def test_too_few_points_tell_nothing(rows):
    holes = np.full((5, 1), np.nan)
    holes[:rows] = 1.0
    assert information_with_classes(holes, np.zeros(5, int), 1, 3)[0][0] == 0
    assert information_with_numbers(holes, np.arange(5.0), 3)[0][0] == 0
