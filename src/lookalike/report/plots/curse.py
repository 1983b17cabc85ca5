"""Plots of the curse of dimensionality: shells and hubness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.explain.curse import SHELL_EPSILONS, DimensionalityReport, shell_fraction
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR, SECOND_COLOR

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_shell_fractions(report: DimensionalityReport, *, ax: Axes | None = None) -> Axes:
    """Draw the volume fraction of the outer shell of a ball against D, and that of the rows."""
    ax = axes_or_new(ax)
    d = np.geomspace(1, max(1000, report.n_features), 200)
    for epsilon, color in zip(SHELL_EPSILONS, (FIRST_COLOR, SECOND_COLOR), strict=True):
        ax.plot(d, shell_fraction(epsilon, d), color=color, label=f"1 − (1 − {epsilon})^D")
        ax.plot(report.n_features, shell_fraction(epsilon, report.n_features), "o", color=color)
        measured = report.shells[epsilon]
        ax.plot(report.n_features, measured, "D", color=color, label=f"measured, ε = {epsilon}")
    ax.axvline(report.dimension, color="0.5", linestyle=":", label="intrinsic dimension")
    ax.set(xscale="log", xlabel="dimension D", ylabel="fraction in the outer shell")
    ax.set(ylim=(-0.03, 1.03), title="Fraction of a ball in its outer shell")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def plot_hubness(report: DimensionalityReport, *, ax: Axes | None = None) -> Axes:
    """Draw the distribution of k-occurrences: how often rows are neighbors of others."""
    ax = axes_or_new(ax)
    count = np.bincount(report.occurrences)
    ax.bar(np.arange(len(count)), count, width=1.0, color=FIRST_COLOR)
    k = report.k
    ax.axvline(k, color=SECOND_COLOR, label=f"mean, k = {k}")
    ax.set(yscale="log", xlabel=f"{k}-occurrences (times among the {k} nearest)", ylabel="rows")
    ax.set_title(f"Hubness: skewness {report.hubness:.2g}")
    ax.legend()
    return ax
