"""The calibration curve shows each bin with its interval."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from example_study import example_class_curves

from lookalike.report.plots.calibration import plot_calibration


def test_bins_are_drawn_at_their_probability_with_their_interval():
    ax = plot_calibration(example_class_curves(["a"])["calibration"])
    line = ax.containers[0].lines[0]
    np.testing.assert_allclose(line.get_xydata(), [[0.3, 0.25], [0.9, 0.7]])
    ends = [segment[:, 1] for segment in ax.containers[0].lines[2][0].get_segments()]
    np.testing.assert_allclose(ends, [[0.1, 0.5], [0.4, 0.9]])
    assert ax.get_ylabel() == "share correct"
