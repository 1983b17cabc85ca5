"""Histograms have a bar for each bin."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")
from lookalike.report.plots.histogram import plot_histogram
from lookalike.studies.profile_results import Histogram


def test_every_bin_is_a_bar_of_its_width_and_count():
    ax = plot_histogram(Histogram((0.0, 1.0, 3.0), (5, 2)))
    assert [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in ax.patches] == [
        (0.0, 1.0, 5),
        (1.0, 2.0, 2),
    ]
