"""Rankings as bars: feature importances and other scores with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.printable import shortened
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_NAME_LETTERS = 30  # letters of a name


def plot_ranking(
    names: Sequence[str],
    scores: ArrayLike,
    *,
    low: ArrayLike | None = None,
    high: ArrayLike | None = None,
    most: int = 15,
    ax: Axes | None = None,
) -> Axes:
    """Draw the highest scores as bars, with intervals where given; ties keep their order."""
    score = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-score, kind="stable")[:most]
    ax = axes_or_new(ax, size=(6.0, 1.0 + 0.28 * len(order)))
    position = np.arange(len(order))
    error = None
    if low is not None and high is not None:
        lengths = np.array([score - np.asarray(low), np.asarray(high) - score])
        error = np.maximum(lengths[:, order], 0.0)
    ax.barh(position, score[order], xerr=error, color=FIRST_COLOR, ecolor="0.5", capsize=2)
    ax.set_yticks(position, [shortened(str(names[j]), MAX_NAME_LETTERS) for j in order])
    ax.invert_yaxis()
    ax.set(xlabel="score")
    return ax
