"""Rows as float32 are compared with thresholds as in float64."""

import numpy as np

from lookalike.models.trees.float32_rows import float32_below

rng = np.random.default_rng(0)


def test_thresholds_become_float32_without_moving_a_row():
    threshold = np.concatenate([rng.normal(size=500), [0.1, -0.1, 1e300, -1e300, 1e-300, 0.0]])
    below = float32_below(threshold)
    with np.errstate(over="ignore"):
        near = np.concatenate([np.nextafter(below, np.float32(s)) for s in (-np.inf, np.inf)])
    for value in np.concatenate([below, near]):
        np.testing.assert_array_equal(value <= threshold, value <= below)
