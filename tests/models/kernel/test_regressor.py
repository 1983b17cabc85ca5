"""Radial basis functions without parameters: the kernels, the radius, the outputs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from lookalike import KernelRegressor, KNeighborsRegressor
from lookalike.errors import ParameterError

RNG = np.random.default_rng(6)
ROWS = RNG.normal(size=(120, 2))
TARGET = np.sin(2 * ROWS[:, 0]) + 0.1 * RNG.normal(size=120)
QUERIES = RNG.normal(size=(30, 2))
KERNELS = {
    "gaussian": lambda z: np.exp(-(z**2) / 2),
    "window": lambda z: (z <= 1).astype(float),
    "epanechnikov": lambda z: np.maximum(0, 1 - z**2),
}

FOLDS_ARE_NOT_REPEATED = {  # copies of a row lie in several folds, a row that weighs more in one
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


def smoothed(queries, rows, target, bandwidth, kernel):
    """g(x) of the source, slowly."""
    gap = np.sqrt(((queries[:, None] - rows) ** 2).sum(axis=2))
    pull = KERNELS[kernel](gap / bandwidth)
    return (pull @ target) / pull.sum(axis=1)


@pytest.mark.parametrize(
    "model",
    [
        KernelRegressor(),
        KernelRegressor(1.0, kernel="window"),
        KernelRegressor("cv", kernel="epanechnikov"),
    ],
    ids=repr,
)
def test_scikit_learns_checks_pass(model):
    results = check_estimator(model, on_skip=None, on_fail=None)
    failed = {r["check_name"] for r in results if r["status"] == "failed"}
    assert failed <= (FOLDS_ARE_NOT_REPEATED if model.bandwidth == "cv" else set())


@pytest.mark.parametrize("kernel", list(KERNELS))
@pytest.mark.parametrize("bandwidth", [1.5, 8.0])
def test_the_mean_is_that_of_the_equation(kernel, bandwidth):
    model = KernelRegressor(bandwidth, kernel=kernel).fit(ROWS, TARGET)
    expected = smoothed(QUERIES, ROWS, TARGET, bandwidth, kernel)
    np.testing.assert_allclose(model.predict(QUERIES), expected, rtol=1e-11)


@pytest.mark.parametrize("kernel", list(KERNELS))
def test_where_no_kernel_reaches_the_nearest_row_decides(kernel):
    model = KernelRegressor(1e-200, kernel=kernel).fit(ROWS, TARGET)
    nearest = KNeighborsRegressor(1).fit(ROWS, TARGET)
    np.testing.assert_array_equal(model.predict(QUERIES), nearest.predict(QUERIES))


def test_the_rule_is_the_sources():
    assert KernelRegressor("rule").fit(ROWS, TARGET).bandwidth_ == pytest.approx(120 ** (-1 / 4))


@pytest.mark.parametrize("kernel", list(KERNELS))
def test_leave_one_out_errors_equal_those_of_rows_really_left_out(kernel):
    rows, target = ROWS[:30], TARGET[:30]
    model = KernelRegressor(kernel=kernel).fit(rows, target)
    assert model.bandwidth_ == model.curve_["bandwidth"][model.curve_["mse"].argmin()]
    for place in (0, 12, 24):
        bandwidth, gaps = model.curve_["bandwidth"][place], []
        for row in range(30):
            others = np.delete(np.arange(30), row)
            alone = KernelRegressor(bandwidth, kernel=kernel).fit(rows[others], target[others])
            gaps.append(alone.predict(rows[[row]])[0] - target[row])
        assert model.curve_["mse"][place] == pytest.approx(np.mean(np.square(gaps)), rel=1e-10)


def test_the_spread_is_weighted_as_the_mean_is():
    mean, spread = KernelRegressor(0.7).fit(ROWS, TARGET).predict(QUERIES, return_std=True)
    gap = np.sqrt(((QUERIES[:, None] - ROWS) ** 2).sum(axis=2))
    pull = KERNELS["gaussian"](gap / 0.7)
    pull /= pull.sum(axis=1, keepdims=True)
    expected = np.sqrt((pull * (TARGET - mean[:, None]) ** 2).sum(axis=1))
    np.testing.assert_allclose(spread, expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"kernel": "cone"}, "kernel='cone' is not known"),
        ({"bandwidth": "wide"}, "bandwidth='wide' is not known"),
        ({"missing": "present"}, "kernels undefined"),
    ],
)
def test_what_cannot_be_honored_is_an_error(parameters, said):
    with pytest.raises(ParameterError, match=said):
        KernelRegressor(**parameters).fit(ROWS, TARGET)
