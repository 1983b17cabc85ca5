"""Pictures of what matters most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_ranking(
    names: Sequence[str],
    scores: Sequence[float],
    *,
    low: Sequence[float] | None = None,
    high: Sequence[float] | None = None,
    most: int = 15,
    ax: Axes | None = None,
) -> Axes:
    """Draw the highest scores as bars, with intervals where they are known; ties by place."""
    score = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-score, kind="stable")[:most]
    ax = axes_or_new(ax, size=(6.0, 1.0 + 0.28 * len(order)))
    place = np.arange(len(order))
    reach = None
    if low is not None and high is not None:
        ends = np.array([score - np.asarray(low), np.asarray(high) - score])
        reach = np.maximum(ends[:, order], 0.0)
    ax.barh(place, score[order], xerr=reach, color="tab:blue", ecolor="0.5", capsize=2)
    ax.set_yticks(place, [_short(str(names[j])) for j in order])
    ax.invert_yaxis()
    return ax


def _short(name: str, most: int = 30) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
