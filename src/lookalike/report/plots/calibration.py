"""The calibration curve: the share that came true against the probability predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR
from lookalike.studies.evaluation_results import Calibration

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_calibration(calibration: Calibration, *, ax: Axes | None = None) -> Axes:
    """Draw the share of each bin with its 95% interval; calibrated ones are on the diagonal."""
    ax = axes_or_new(ax, size=(5.2, 4.6))
    probability = np.array([rows_of_bin.mean_probability for rows_of_bin in calibration.bins])
    share = np.array([rows_of_bin.share for rows_of_bin in calibration.bins])
    ends = np.array([rows_of_bin.interval for rows_of_bin in calibration.bins]).T
    ax.plot([0, 1], [0, 1], color="0.5", linestyle=":", label="calibrated")
    ax.errorbar(
        probability,
        share,
        np.maximum([share - ends[0], ends[1] - share], 0.0),
        fmt="o-",
        capsize=3,
        color=FIRST_COLOR,
        label="held-out rows, 95% CI",
    )
    what = "the predicted class" if calibration.label is None else str(calibration.label)
    came = "share correct" if calibration.label is None else f"share of {what}"
    ax.set(xlabel=f"mean probability of {what}", ylabel=came, title="Calibration")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.legend(fontsize="small", loc="upper left")
    return ax
