"""The plot of the condensed tree: chosen clusters have colors and labels."""

from __future__ import annotations

import numpy as np

from lookalike import HDBSCAN
from lookalike.report.plots import plot_condensed_tree


def test_every_chosen_cluster_is_labeled_and_widths_are_its_rows():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(40, 2)) * 0.3 + 6])
    model = HDBSCAN(10).fit(X)
    axes = plot_condensed_tree(model)
    assert [text.get_text() for text in axes.texts] == ["0", "1"]
    widths = [np.ptp(part.get_paths()[0].vertices[:, 0]) for part in axes.collections[:1]]
    assert widths[0] == 100  # the root begins with all rows
