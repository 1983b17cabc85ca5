"""Residuals of a regression on held-out rows against its predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR, SECOND_COLOR
from lookalike.studies.evaluation_results import Residuals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_ROWS_PLOTTED = 1000  # rows that are drawn, spread evenly over the predictions


def plot_residuals(
    residuals: Residuals,
    predicted: ArrayLike = (),
    residual: ArrayLike = (),
    *,
    half_width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw residuals against predictions, with the quantiles of every bin.

    Parameters
    ----------
    residuals : Residuals
        Whose quantiles are drawn.
    predicted, residual : array of shape (n_rows,), default=()
        Rows to draw as points, at most 1,000.
    half_width : float, optional
        Of the conformal interval.
    ax : Axes, optional
        Axes to draw on.
    """
    ax = axes_or_new(ax)
    x, y = np.asarray(predicted, np.float64), np.asarray(residual, np.float64)
    if len(x):
        order = np.argsort(x, kind="stable")
        sample = order[
            np.unique(np.linspace(0, len(x) - 1, MAX_ROWS_PLOTTED).round().astype(np.int64))
        ]
        ax.plot(
            x[sample], y[sample], ".", color=FIRST_COLOR, alpha=0.35, markersize=4, label="rows"
        )
    middle = [rows_of_bin.mean_prediction for rows_of_bin in residuals.bins]
    quantiles = np.array([rows_of_bin.quantiles for rows_of_bin in residuals.bins]).T
    if len(middle) > 1:
        ax.fill_between(
            middle, quantiles[0], quantiles[-1], color=SECOND_COLOR, alpha=0.25, label="10 to 90%"
        )
        ax.plot(middle, quantiles[2], "o-", color=SECOND_COLOR, markersize=4, label="median")
    ax.axhline(0.0, color="0.5", linewidth=1)
    if half_width is not None and np.isfinite(half_width):
        for index, side in enumerate((-half_width, half_width)):
            label = None if index else "90% interval"
            ax.axhline(side, color="0.5", linestyle=":", label=label)
    ax.set(xlabel="prediction", ylabel="residual (true − predicted)", title="Residuals")
    ax.legend(fontsize="small", ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.16))  # below
    return ax
