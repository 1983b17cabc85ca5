"""Scatter plots draw rows by class, number and flag."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.errors import ShapeError

pytest.importorskip("matplotlib")
from lookalike.report.plots.scatter import MAX_LEGEND_CLASSES, plot_scatter

POINTS = np.random.default_rng(2).normal(size=(60, 2))


def test_each_class_has_its_own_color_marker_and_name():
    y = np.array(["a", "b", "_c"])[np.arange(60) % 3]
    ax = plot_scatter(POINTS, y)
    drawn = [group.get_offsets() for group in ax.collections]
    for name, where in zip(["_c", "a", "b"], drawn, strict=True):
        np.testing.assert_array_equal(where, POINTS[y == name])
    assert [text.get_text().lstrip("\u200b") for text in ax.get_legend().get_texts()] == [
        "_c",
        "a",
        "b",
    ]
    assert len({tuple(group.get_facecolors()[0]) for group in ax.collections}) == 3


def test_classes_are_listed_and_colored_in_the_order_that_is_given():
    y = np.array(["2", "10", "1"])[np.arange(60) % 3]
    ax = plot_scatter(POINTS, y, order=[1, 2, 10])
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["1", "2", "10"]
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), POINTS[y == "1"])


def test_numbers_are_shown_on_a_color_scale():
    y = np.linspace(0.0, 1.0, 60)
    ax = plot_scatter(POINTS, y)
    np.testing.assert_array_equal(ax.collections[0].get_array(), y)
    assert len(ax.get_figure().axes) == 2


def test_flagged_rows_are_circled():
    ax = plot_scatter(POINTS, flagged=np.array([3, 5]))
    np.testing.assert_array_equal(ax.collections[-1].get_offsets(), POINTS[[3, 5]])


def test_many_classes_have_no_legend():
    assert plot_scatter(POINTS, np.arange(60) % (MAX_LEGEND_CLASSES + 1)).get_legend() is None


def test_three_columns_are_an_error():
    with pytest.raises(ShapeError, match="two columns"):
        plot_scatter(np.zeros((4, 3)))
