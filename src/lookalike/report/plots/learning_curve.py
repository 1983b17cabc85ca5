"""Pictures of learning curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.explain.learning_curve import LearningCurve
from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_learning_curve(
    curve: LearningCurve, *, reach: float = 10.0, ax: Axes | None = None
) -> Axes:
    """Draw the errors against the rows, and the power law on to `reach` times as many."""
    ax = axes_or_new(ax)
    ax.errorbar(
        curve.sizes,
        curve.error,
        [np.maximum(curve.error - curve.low, 0), np.maximum(curve.high - curve.error, 0)],
        fmt="o",
        capsize=3,
        color="tab:blue",
        label=f"measured, K = {curve.k}",
    )
    n = np.geomspace(curve.sizes[0], reach * curve.sizes[-1], 200)
    found = curve.forecast(n)
    a, b, c = curve.power_law
    ax.plot(n, found.error, color="tab:orange", label=f"{a:.3g} + {b:.3g} n^−{c:.2g}")
    ax.fill_between(n, found.low, found.high, color="tab:orange", alpha=0.25, label="95 %")
    ax.axvline(curve.sizes[-1], color="0.5", linestyle=":", label="rows at hand")
    measured = {"error": "error", "rmse": "RMSE", "mae": "MAE"}[curve.score]
    ax.set(xscale="log", xlabel="rows", ylabel=measured, ylim=(0, None), title="Learning curve")
    ax.legend()
    return ax
