"""Partial dependence: the mean prediction when one column is set to each value in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.printable import shortened
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR
from lookalike.studies.evaluation_results import PartialDependence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIN_VALUES_FOR_A_LINE = 3  # values from which on they are joined by a line
MAX_LETTERS_OF_TICK = 12  # letters of a tick label
MAX_LETTERS_BELOW_PLOT = 40  # letters that fit below the plot


def plot_partial_dependence(dependence: PartialDependence, *, ax: Axes | None = None) -> Axes:
    """Draw the mean over the rows, and the range of 80% of the rows."""
    ax = axes_or_new(ax, size=(5.2, 3.4))
    mean, low, high = (
        np.array(part) for part in (dependence.mean, dependence.low, dependence.high)
    )
    named = any(isinstance(value, str) for value in dependence.values)
    if named or len(mean) < MIN_VALUES_FOR_A_LINE:
        x = np.arange(len(mean), dtype=np.float64)
        reach = np.maximum([mean - low, high - mean], 0.0)
        ax.errorbar(x, mean, reach, fmt="o", capsize=3, color=FIRST_COLOR, ecolor="0.6")
        shown = [_short(value) for value in dependence.values]
        turned = 90 if len("".join(shown)) > MAX_LETTERS_BELOW_PLOT else 0
        ax.set_xticks(x, shown, rotation=turned, fontsize="small")
        ax.set_xlim(-0.5, len(mean) - 0.5)
    else:
        numbers = np.array(dependence.values, np.float64)
        ax.fill_between(numbers, low, high, color=FIRST_COLOR, alpha=0.2, linewidth=0)
        ax.plot(numbers, mean, "o-", color=FIRST_COLOR, markersize=4)
        ax.locator_params(axis="x", nbins=6)
    ax.set(xlabel=dependence.name, ylabel=dependence.output)
    return ax


def _short(value: float | str) -> str:
    return shortened(value if isinstance(value, str) else f"{value:g}", MAX_LETTERS_OF_TICK)
