"""The learning curve: error against sample size, with its forecast."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.explain.learning_curve import LearningCurve
from lookalike.printable import number
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR, SECOND_COLOR
from lookalike.studies.format import metric_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_learning_curve(
    curve: LearningCurve, *, reach: float = 10.0, ax: Axes | None = None
) -> Axes:
    """Draw the error against the sample size, and its power law up to `reach` times the rows."""
    ax = axes_or_new(ax)
    ax.errorbar(
        curve.train_sizes,
        curve.error,
        [np.maximum(curve.error - curve.low, 0), np.maximum(curve.high - curve.error, 0)],
        fmt="o",
        capsize=3,
        color=FIRST_COLOR,
        label=f"measured, 95% CI (K = {curve.k})",
    )
    n = np.geomspace(curve.train_sizes[0], reach * curve.train_sizes[-1], 200)
    forecast = curve.forecast(n)
    a, b, c = curve.power_law
    ax.plot(n, forecast.error, color=SECOND_COLOR, label=f"{number(a)} + {number(b)} n^−{c:.2g}")
    ax.fill_between(
        n, forecast.low, forecast.high, color=SECOND_COLOR, alpha=0.25, label="forecast, 95% CI"
    )
    ax.axvline(curve.train_sizes[-1], color="0.5", linestyle=":", label="rows available")
    metric = metric_title(curve.score)
    ax.set(
        xscale="log", xlabel="training rows", ylabel=metric, ylim=(0, None), title="Learning curve"
    )
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.yaxis.set_major_formatter("{x:,g}")
    ax.legend(fontsize="small")
    return ax
