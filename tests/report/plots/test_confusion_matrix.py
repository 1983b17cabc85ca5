"""The confusion matrix draws its counts and shares."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from lookalike.report.plots.confusion_matrix import COUNTED, plot_confusion_matrix

MATRIX = [[8, 2, 0], [0, 5, 0], [1, 0, 0]]


def test_every_count_stands_in_its_cell_and_empty_cells_are_empty():
    ax = plot_confusion_matrix(MATRIX, ["a", "b", "c"])
    cells = {(t.get_position()[1] - 0.5, t.get_position()[0] - 0.5): t.get_text() for t in ax.texts}
    assert cells == {(0, 0): "8", (0, 1): "2", (1, 1): "5", (2, 0): "1"}
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b", "c"]


def test_colors_are_shares_of_the_true_class_and_errors_have_their_own():
    right, wrong = plot_confusion_matrix(MATRIX, ["a", "b", "c"]).collections
    share = np.array([[0.8, 0.2, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    diagonal = np.eye(3, dtype=bool)
    for mesh, here in ((right, diagonal), (wrong, ~diagonal)):
        shown = np.ma.filled(mesh.get_array(), np.nan).reshape(3, 3)
        np.testing.assert_allclose(shown[here], share[here])
        assert np.isnan(shown[~here]).all()


def test_a_class_without_rows_and_many_classes_are_drawn():
    n = COUNTED + 30
    ax = plot_confusion_matrix(np.zeros((n, n)), [f"class {c}" for c in range(n)])
    assert not ax.texts
    assert len(ax.get_xticks()) < n + 1
