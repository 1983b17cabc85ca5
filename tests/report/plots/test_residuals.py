"""Residuals are drawn row by row up to a thousand, and by quantiles of bins."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from lookalike.report.plots.residuals import plot_residuals
from lookalike.studies.evaluate.residuals import residuals
from lookalike.studies.results import Predictions


def test_rows_medians_and_the_interval_are_drawn():
    rng = np.random.default_rng(0)
    y_pred, noise = rng.random(3000), rng.normal(size=3000)
    rows = np.arange(3000)
    found = residuals(Predictions(rows, y_pred + noise, y_pred, None, np.zeros(3000, int)), 1)
    ax = plot_residuals(found, y_pred, noise, half_width=1.5)
    assert len(ax.lines[0].get_xdata()) == 1000
    medians = [one.quantiles[2] for one in found.bins]
    np.testing.assert_allclose(ax.lines[1].get_ydata(), medians)
    assert {line.get_ydata()[0] for line in ax.lines[-2:]} == {-1.5, 1.5}
