"""ROC and precision-recall curves are drawn as they are, those of the lowest area first."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from example_study import example_class_curves

from lookalike.report.plots.palette import class_colors
from lookalike.report.plots.roc import plot_precision_recall_curves, plot_roc_curves


def test_the_curve_of_every_class_is_drawn_and_named_with_its_area():
    curves = example_class_curves(["a", "b"])["roc_curves"]
    ax = plot_roc_curves(curves)
    np.testing.assert_allclose(ax.lines[0].get_xdata(), curves[0].false_positive_rate)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "a, AUC 0.850",
        "b, AUC 0.850",
        "chance",
    ]


def test_precision_of_one_class_has_the_line_of_chance():
    curves = example_class_curves(["a"])["roc_curves"]
    ax = plot_precision_recall_curves(curves)
    assert ax.lines[-1].get_ydata()[0] == pytest.approx(7 / 20)


def test_of_many_classes_five_are_drawn():
    curves = example_class_curves(list("abcdefgh"))["roc_curves"]
    assert len(plot_roc_curves(curves).lines) == 6


def test_a_class_has_the_color_that_it_has_on_maps():
    curves = example_class_curves(list("abc"))["roc_curves"]
    for plot in (plot_roc_curves, plot_precision_recall_curves):
        drawn = {line.get_label()[0]: line.get_color() for line in plot(curves).lines[:3]}
        assert drawn == dict(zip("abc", class_colors(3), strict=True))
