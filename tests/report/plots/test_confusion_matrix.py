"""The confusion matrix draws its counts and shares."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from lookalike.report.plots.confusion_matrix import MAX_COUNTED_CLASSES, plot_confusion_matrix

MATRIX = [[8, 2, 0], [0, 5, 0], [1, 0, 0]]


def test_every_cell_with_rows_has_its_percentage_of_the_true_class_and_its_count():
    ax = plot_confusion_matrix(MATRIX, ["a", "b", "c"])
    cells = {}
    for text in ax.texts:
        x, y = text.get_position()
        cells.setdefault((int(y), int(x)), []).append(text.get_text())
    assert cells == {
        (0, 0): ["80%", "8"],
        (0, 1): ["20%", "2"],
        (1, 1): ["100%", "5"],
        (2, 0): ["100%", "1"],
    }
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b", "c"]


def test_right_and_wrong_cells_are_colored_on_one_scale_by_their_share():
    (mesh,) = plot_confusion_matrix(MATRIX, ["a", "b", "c"]).collections
    share = np.array([[0.8, 0.2, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(np.asarray(mesh.get_array()).reshape(3, 3), share)
    assert (mesh.norm.vmin, mesh.norm.vmax) == (0.0, 1.0)


def test_a_class_without_rows_and_many_classes_are_drawn():
    n = MAX_COUNTED_CLASSES + 30
    ax = plot_confusion_matrix(np.zeros((n, n)), [f"class {c}" for c in range(n)])
    assert not ax.texts
    assert len(ax.get_xticks()) < n + 1
