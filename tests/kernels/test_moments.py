"""Moments of columns beyond the range of float64."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.kernels.moments import column_moments


@pytest.mark.parametrize("large", [1e160, 1e200, 1e300])
@pytest.mark.parametrize("row", [0, 7, 29])
def test_a_scatter_that_overflows_is_infinite_and_not_zero(large, row):
    X = np.random.default_rng(0).normal(size=(30, 2))
    X[row, 1] = large
    scatter = column_moments(X).scatter
    assert np.isfinite(scatter[0])
    assert scatter[1] == np.inf
