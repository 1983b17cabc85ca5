"""The confusion matrix of a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COUNTED = 15  # classes up to which every cell shows its count
NAMED = 30  # classes up to which each has its tick label
FULL_ORANGE = 0.1  # share of its row at which an error has the full color, at the latest
LINE = 40  # letters that fit below the plot


def plot_confusion_matrix(
    matrix: ArrayLike, classes: Sequence[object], *, ax: Axes | None = None
) -> Axes:
    """Draw the number of rows of each true class (row) predicted as each class (column).

    Correct predictions are blue, as dark as their share of the true class; errors are orange, as
    dark as their share relative to the most frequent error, or to a tenth where that is less.
    """
    counts = np.asarray(matrix, dtype=np.float64)
    n = len(classes)
    ax = axes_or_new(ax, size=(6.0, 5.4))
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    correct = np.eye(n, dtype=bool)
    share[~correct] /= max(share[~correct].max(initial=0.0), FULL_ORANGE)
    for colors, here in (("Blues", correct), ("Oranges", ~correct)):
        ax.pcolormesh(np.where(here, share, np.nan), cmap=colors, vmin=0.0, vmax=1.0)
    if n <= COUNTED:
        for true, predicted in zip(*np.nonzero(counts), strict=True):
            dark = share[true, predicted] > 0.6
            ax.text(
                predicted + 0.5,
                true + 0.5,
                f"{counts[true, predicted]:,g}",
                ha="center",
                va="center",
                color="#ffffff" if dark else "#222222",
                fontsize="small" if n > 8 else "medium",
            )
    every = -(-n // NAMED)
    ticks = np.arange(0, n, every)
    names = [str(name) for name in classes[::every]]
    turned = 90 if len(names) * max(map(len, names)) > LINE else 0
    size = "medium" if n <= COUNTED else "x-small"
    ax.set_xticks(ticks + 0.5, names, rotation=turned, fontsize=size)
    ax.set_yticks(ticks + 0.5, names, fontsize=size)
    ax.set(xlabel="predicted class", ylabel="true class", aspect="equal")
    ax.invert_yaxis()
    ax.tick_params(length=0)
    return ax
