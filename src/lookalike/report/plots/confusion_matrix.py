"""Pictures of which class was taken for which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COUNTED = 15  # classes up to which every cell shows its count
NAMED = 30  # classes up to which each has its name at the side
SELDOM = 0.1  # share of a row that even the most frequent mistake may fall below
LINE = 40  # letters that fit below the picture


def plot_confusion_matrix(matrix: Any, classes: Sequence[Any], *, ax: Axes | None = None) -> Axes:
    """Draw how many rows of each true class were given each class.

    Right answers are blue, as dark as their share of the row; mistakes are orange, as dark as
    their share beside that of the most frequent mistake, or a tenth where that is less.
    """
    counts = np.asarray(matrix, dtype=np.float64)
    n = len(classes)
    ax = axes_or_new(ax, size=(6.0, 5.4))
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    right = np.eye(n, dtype=bool)
    share[~right] /= max(share[~right].max(initial=0.0), SELDOM)
    for colors, here in (("Blues", right), ("Oranges", ~right)):
        ax.pcolormesh(np.where(here, share, np.nan), cmap=colors, vmin=0.0, vmax=1.0)
    if n <= COUNTED:
        for true, given in zip(*np.nonzero(counts), strict=True):
            dark = share[true, given] > 0.6
            ax.text(
                given + 0.5,
                true + 0.5,
                f"{counts[true, given]:g}",
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
    ax.set(xlabel="given", ylabel="true", aspect="equal")
    ax.invert_yaxis()
    ax.tick_params(length=0)
    return ax
