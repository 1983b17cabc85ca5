"""Histograms of a column or a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR
from lookalike.studies.profile_results import Histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_histogram(histogram: Histogram, *, ax: Axes | None = None) -> Axes:
    """Draw the number of rows in each bin."""
    ax = axes_or_new(ax, size=(5.2, 2.8))
    edges = np.array(histogram.edges)
    ax.bar(edges[:-1], histogram.counts, np.diff(edges), align="edge", color=FIRST_COLOR)
    ax.set(ylabel="rows")
    ax.locator_params(axis="x", nbins=6)
    return ax
