"""Rankings draw the highest scores with their intervals."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from lookalike.report.plots.ranking import plot_ranking


def test_the_highest_scores_come_first_and_ties_keep_their_order():
    ax = plot_ranking(["w", "x", "y", "z"], [1.0, 3.0, 1.0, 2.0], most=3)
    assert [bar.get_width() for bar in ax.patches] == [3.0, 2.0, 1.0]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["x", "z", "w"]
    assert ax.yaxis_inverted()


def test_intervals_are_drawn_about_their_bars():
    ax = plot_ranking(["x", "y"], [2.0, 1.0], low=[1.5, 0.5], high=[2.5, 1.25])
    ends = [segment[:, 0] for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(ends, [[1.5, 2.5], [0.5, 1.25]])


def test_a_long_name_is_cut():
    ax = plot_ranking(["n" * 99], [1.0])
    assert ax.get_yticklabels()[0].get_text() == "n" * 29 + "…"
