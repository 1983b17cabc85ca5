"""Partial dependence is a line for numbers, and a point for each category."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from example_study import example_study

from lookalike.report.plots.partial_dependence import plot_partial_dependence


def test_numbers_are_a_line_and_categories_are_named():
    numbers, categories = example_study().partial_dependence
    ax = plot_partial_dependence(numbers)
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [[1, 0.1], [2, 0.2], [3, 0.4]])
    ax = plot_partial_dependence(categories)
    assert ax.get_xticklabels()[0].get_text() == "p"
    assert len(ax.get_xticklabels()[1].get_text()) == 12
