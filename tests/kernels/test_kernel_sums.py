"""Sums of kernels over all rows: those of the formula, whatever the type, threads and batch."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.kernels.kernel_sums import KernelSums

RNG = np.random.default_rng(12)
WIDTHS = np.array([0.7, 3.0, 50.0])


def sums_of_the_formula(X, codes, n_classes, weight, queries, nearest, exclude):
    gaps = ((queries[:, None].astype(float) - X) ** 2).sum(axis=2)
    gaps = np.maximum(gaps - nearest[:, None], 0.0)
    kernels = np.exp(-gaps[:, None] / (2 * WIDTHS[:, None] ** 2)) * weight
    if exclude is not None:
        kernels[np.arange(len(queries)), :, exclude] = 0.0
    return np.stack([kernels[:, :, codes == c].sum(axis=2) for c in range(n_classes)], axis=2)


@pytest.mark.parametrize("kind", ["float32", "float64", "uint8", "whole float64"])
@pytest.mark.parametrize("exclude", [False, True])
@pytest.mark.parametrize("d", [1, 5, 16])
def test_sums_are_those_of_the_formula(kind, exclude, d):
    X = RNG.normal(size=(300, d)) * 4
    if kind in ("uint8", "whole float64"):
        X = np.round(X + 100)
    X = X.astype(kind.split()[-1])
    codes, weight = RNG.integers(0, 4, size=300), RNG.integers(0, 3, size=300).astype(float)
    codes[codes == 2] = 1  # a class without rows
    rows = np.arange(0, 300, 4)
    queries, out = X[rows], rows if exclude else None
    nearest = RNG.uniform(0, 3, size=len(rows))
    soft = KernelSums(X, codes, 4, weight, 2)
    assert (soft.step == 1.0) == (kind in ("uint8", "whole float64"))
    result = soft.sums(queries, nearest, WIDTHS, exclude=out, threads=2)
    expected = sums_of_the_formula(X, codes, 4, weight, queries, nearest, out)
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("whole", [False, True])
def test_neither_threads_nor_batches_nor_company_show(whole):
    X = RNG.normal(size=(500, 7)) * 30
    X = np.round(X) if whole else X
    soft = KernelSums(X, RNG.integers(0, 3, size=500), 3, None, 2)
    nearest = np.zeros(120)
    result = soft.sums(X[:120], nearest, WIDTHS, exclude=None, threads=1)
    again = soft.sums(X[:120], nearest, WIDTHS, exclude=None, threads=3)
    np.testing.assert_array_equal(result, again)
    alone = soft.sums(X[7:8], nearest[:1], WIDTHS, exclude=None, threads=2)
    np.testing.assert_array_equal(alone[0], result[7])
    mixed = np.vstack([X[:5], X[5:6] + 0.25])  # one is not whole: all are compared as floats
    np.testing.assert_array_equal(
        soft.sums(mixed, nearest[:6], WIDTHS, exclude=None, threads=2)[:5], result[:5]
    )


def test_no_query_has_no_sums():
    soft = KernelSums(np.zeros((3, 2)), np.array([0, 1, 1]), 2, None, 1)
    result = soft.sums(np.empty((0, 2)), np.empty(0), WIDTHS, exclude=None, threads=1)
    assert result.shape == (0, 3, 2)


@pytest.mark.parametrize("least", [0.0, 0.1, "column by column"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_whole_numbers_of_one_step_are_as_near_as_their_rounding(dtype, least):
    least = RNG.normal(size=9) if isinstance(least, str) else least
    X = (RNG.integers(0, 256, size=(400, 9)) / 255 + least).astype(dtype)
    codes, weight = RNG.integers(0, 4, size=400), np.ones(400)
    soft = KernelSums(X, codes, 4, None, 2)
    assert soft.step == pytest.approx(1 / 255, rel=1e-6)
    queries, nearest = X[:40], np.zeros(40)
    result = soft.sums(queries, nearest, WIDTHS, exclude=None, threads=2)
    expected = sums_of_the_formula(X, codes, 4, weight, queries, nearest, None)
    np.testing.assert_allclose(result, expected, rtol=1e-5 if dtype == "float32" else 1e-10)


def test_a_query_off_the_lattice_is_answered_by_differences_whatever_its_company():
    X = RNG.integers(0, 256, size=(400, 9)) / 255
    soft = KernelSums(X, RNG.integers(0, 4, size=400), 4, None, 2)
    off = X[:6] + np.array([0, 0, 1e-3, 0, 7.0, 0])[:, None]
    near = np.zeros(6)
    together = soft.sums(off, near, WIDTHS, exclude=None, threads=2)
    for q in range(6):
        alone = soft.sums(off[q : q + 1], near[:1], WIDTHS, exclude=None, threads=1)
        np.testing.assert_array_equal(alone[0], together[q])


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "bytes over 255"])
def test_rows_ruled_out_by_bytes_add_nothing_that_shows(kind):
    draw = {
        "normal": lambda size: RNG.normal(size=size),
        "heavy tails": lambda size: RNG.standard_t(2, size=size),
        "bytes over 255": lambda size: RNG.integers(0, 256, size=size) / 255 * 20,
    }[kind]
    X, queries = draw((700, 20)), draw((60, 20))
    codes = RNG.integers(0, 4, size=700)
    nearest = ((queries[:, None] - X) ** 2).sum(axis=2).min(axis=1)
    width, within = np.array([0.5]), 2 * 0.5**2 * np.log(700 / 1e-16)
    soft = KernelSums(X, codes, 4, None, 2)
    result = soft.sums(queries, nearest, width, exclude=None, threads=2, reach=within)
    everything = soft.sums(queries, nearest, width, exclude=None, threads=2)
    shown = everything.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(result, everything, rtol=0, atol=1e-14 * shown.max())
    again = soft.sums(queries[3:4], nearest[3:4], width, exclude=None, threads=1, reach=within)
    np.testing.assert_array_equal(again[0], result[3])


def test_rows_all_alike_have_no_lattice_and_are_summed():
    soft = KernelSums(np.full((5, 2), 0.3), np.array([0, 1, 1, 0, 1]), 2, None, 1)
    result = soft.sums(np.full((1, 2), 0.3), np.zeros(1), WIDTHS, exclude=None, threads=1)
    np.testing.assert_array_equal(result[0, 0], [2.0, 3.0])
