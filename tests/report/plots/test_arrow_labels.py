"""Names of arrows do not cover each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lookalike.report.plots.arrow_labels import label_arrows, separate_places
from lookalike.report.plots.axes import axes_or_new

backend_agg = pytest.importorskip("matplotlib.backends.backend_agg")


@pytest.mark.parametrize("seed", range(10))
def test_places_are_a_gap_apart_in_their_order_and_stay_where_there_is_room(seed):
    rng = np.random.default_rng(seed)
    places = rng.normal(size=25)
    moved = separate_places(places, 0.1)
    assert np.diff(np.sort(moved)).min() >= 0.1 - 1e-12
    np.testing.assert_array_equal(np.argsort(moved), np.argsort(places))
    assert moved.mean() == pytest.approx(places.mean())
    np.testing.assert_array_equal(separate_places(np.array([3.0, 1.0]), 0.5), [3.0, 1.0])
    assert len(separate_places(np.array([]), 1.0)) == 0


def test_names_of_many_arrows_are_drawn_without_overlap():
    rng = np.random.default_rng(0)
    tips = np.abs(rng.normal(size=(20, 2))) * [3.0, 0.2]  # all in one corner
    ax = axes_or_new(None, size=(7.0, 6.0))
    ax.plot([-5, 5], [-5, 5])
    label_arrows(ax, tips, [f"feature {j}" for j in range(20)], fontsize=8)
    drawn = backend_agg.FigureCanvasAgg(ax.figure).get_renderer()
    boxes = sorted((text.get_window_extent(drawn) for text in ax.texts), key=lambda box: box.y0)
    assert len(boxes) == 20
    overlaps = [a.y1 - b.y0 for a, b in itertools.pairwise(boxes)]
    assert max(overlaps) < 0.35 * boxes[0].height
