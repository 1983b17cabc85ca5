"""Plots of bounds on the error: Cover and Hart's on the Bayes error, and one by sample size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.explain.bounds import BayesBracket, bayes_error_bracket, nn_error_bound
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import ALERT_COLOR, FIRST_COLOR

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_bayes_error_bounds(bracket: BayesBracket, *, ax: Axes | None = None) -> Axes:
    """Draw the Cover-Hart bounds on the Bayes error against the nearest-neighbor error."""
    ax = axes_or_new(ax)
    chance = (bracket.n_classes - 1) / bracket.n_classes
    top = min(chance, 2.5 * max(bracket.error_interval[1], 0.01))
    error = np.linspace(0.0, top, 200)
    ends = [bayes_error_bracket(float(e), bracket.n_classes) for e in error]
    low, high = [end.low for end in ends], [end.high for end in ends]
    ax.fill_between(error, low, high, alpha=0.25, label="possible Bayes error")
    ax.plot(error, high, color=FIRST_COLOR, linewidth=1)
    ax.plot(error, low, color=FIRST_COLOR, linewidth=1)
    estimate = f"estimated Bayes error {bracket.low:.1%} to {bracket.high:.1%}"
    ax.plot(
        [bracket.error] * 2, [bracket.low, bracket.high], color=ALERT_COLOR, lw=3, label=estimate
    )
    if bracket.n_rows is not None:
        interval = f"{bracket.confidence:.0%} CI of the 1-NN error"
        ax.axvspan(*bracket.error_interval, color=ALERT_COLOR, alpha=0.12, label=interval)
    ax.set(xlabel="1-NN error", ylabel="Bayes error", xlim=(0, top))
    ax.set_ylim(0, 1.1 * max(high))
    ax.set_title(f"Cover-Hart bounds, {bracket.n_classes} classes")
    ax.legend(loc="upper left")
    return ax


def plot_nn_error_bound(
    dimensions: tuple[int, ...] = (1, 2, 5, 10), c: float = 1.0, *, ax: Axes | None = None
) -> Axes:
    """Draw the bound on the 1-NN error beyond twice the Bayes error, against the sample size."""
    ax = axes_or_new(ax)
    n = np.logspace(1, 12, 200)
    for d in dimensions:
        ax.plot(n, nn_error_bound(n, d, c), label=f"d = {d}")
    ax.axhline(1.0, color="0.4", linestyle="--", label="vacuous above 1")
    ax.set(xscale="log", yscale="log", xlabel="sample size N", ylabel="4 c √d N^(−1/(d+1))")
    ax.set_title(f"Finite-sample excess error of 1-NN, c = {c:g}")
    ax.legend()
    return ax
