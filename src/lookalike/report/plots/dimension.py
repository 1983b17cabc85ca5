"""Plots of the intrinsic dimension: by scale and row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import ParameterError
from lookalike.explain.dimension import Dimension
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR, SECOND_COLOR

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIMENSION_METHOD_TITLES = {"twonn": "TwoNN", "mle": "maximum likelihood", "pca": "PCA"}


def plot_intrinsic_dimension(dimension: Dimension, *, ax: Axes | None = None) -> Axes:
    """Draw the estimate and its 95% CI at every scale, from noise (left) to the whole set."""
    if not dimension.scales:
        raise ParameterError(
            f"method={dimension.method!r} has no scales. Draw plot_local_dimension, or give "
            "method='twonn' or 'mle'."
        )
    ax = axes_or_new(ax)
    distance = [scale.distance for scale in dimension.scales]
    estimate = np.array([scale.estimate for scale in dimension.scales])
    low, high = np.array([scale.interval for scale in dimension.scales]).T
    top = high.max()
    ax.errorbar(
        distance,
        estimate,
        [estimate - low, high - estimate],
        marker="o",
        capsize=3,
        color=FIRST_COLOR,
    )
    finest, coarsest = dimension.scales[0], dimension.scales[-1]
    for scale, height, side, shift in (
        (finest, top, "left", 6),
        (coarsest, coarsest.interval[0], "right", -14),
    ):
        ax.annotate(
            f"{scale.rows:,} rows",
            (scale.distance, height),
            xytext=(0, shift),
            textcoords="offset points",
            ha=side,
        )
    ax.set(
        xscale="log",
        xlabel="mean neighbor distance",
        ylabel="intrinsic dimension",
        ylim=(0, 1.15 * top),
        title=f"Intrinsic dimension by scale ({DIMENSION_METHOD_TITLES[dimension.method]})",
    )
    ax.xaxis.set_major_formatter("{x:.3g}")
    few = max(distance) < 20 * min(distance)  # so few that every minor tick has room for a number
    ax.xaxis.set_minor_formatter("{x:.3g}" if few else "")
    ax.tick_params(axis="x", which="minor", labelsize="small")
    return ax


def plot_local_dimension(dimension: Dimension, *, ax: Axes | None = None) -> Axes:
    """Draw the distribution of the local estimates, and the estimate of all rows."""
    ax = axes_or_new(ax)
    finite = dimension.local[np.isfinite(dimension.local)]
    top = float(np.quantile(finite, 0.99))
    ax.hist(np.minimum(finite, top), bins=40, color=FIRST_COLOR, alpha=0.6)
    ax.axvspan(*dimension.interval, color=SECOND_COLOR, alpha=0.3)
    ax.axvline(dimension.estimate, color=SECOND_COLOR, label=f"all rows: {dimension}")
    ax.set(ylabel="rows", title="Local intrinsic dimension")
    ax.set_xlabel("local estimate (largest 1% in the last bin)")
    ax.legend()
    return ax
