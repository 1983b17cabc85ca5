"""Pictures of what errors are possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.explain.bounds import BayesBracket, bayes_error_bracket, nn_bound
from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_bayes_error_bounds(bracket: BayesBracket, *, ax: Axes | None = None) -> Axes:
    """Draw between which Bayes errors every nearest neighbor error leaves room, and the one."""
    ax = axes_or_new(ax)
    chance = (bracket.n_classes - 1) / bracket.n_classes
    top = min(chance, 2.5 * max(bracket.error_interval[1], 0.01))
    error = np.linspace(0.0, top, 200)
    ends = [bayes_error_bracket(float(e), bracket.n_classes) for e in error]
    low, high = [end.low for end in ends], [end.high for end in ends]
    ax.fill_between(error, low, high, alpha=0.25, label="where the Bayes error can be")
    ax.plot(error, high, color="tab:blue", linewidth=1)
    ax.plot(error, low, color="tab:blue", linewidth=1)
    ends_text = f"here {bracket.low:.3g} to {bracket.high:.3g}"
    ax.plot(
        [bracket.error] * 2, [bracket.low, bracket.high], color="tab:red", lw=3, label=ends_text
    )
    if bracket.n_rows is not None:
        sure = f"{bracket.confidence:.0%} interval of the error"
        ax.axvspan(*bracket.error_interval, color="tab:red", alpha=0.12, label=sure)
    ax.set(xlabel="error of the nearest neighbor", ylabel="Bayes error", xlim=(0, top))
    ax.set_ylim(0, 1.1 * max(high))
    ax.set_title(f"Cover-Hart bracket, {bracket.n_classes} classes")
    ax.legend(loc="upper left")
    return ax


def plot_nn_error_bound(
    dimensions: tuple[int, ...] = (1, 2, 5, 10), c: float = 1.0, *, ax: Axes | None = None
) -> Axes:
    """Draw what the nearest neighbor may err beyond twice the Bayes error, against the rows."""
    ax = axes_or_new(ax)
    n = np.logspace(1, 12, 200)
    for d in dimensions:
        ax.plot(n, nn_bound(n, d, c), label=f"d = {d}")
    ax.axhline(1.0, color="0.4", linestyle="--", label="says nothing above")
    ax.set(xscale="log", yscale="log", xlabel="rows N", ylabel="4 c √d N^(−1/(d+1))")
    ax.set_title(f"Added error of the nearest neighbor, c = {c:g}")
    ax.legend()
    return ax
