"""Names beside the tips of arrows, moved apart where they would cover each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lookalike.report.plots.axes import figure_of
from lookalike.report.plots.palette import ALERT_COLOR
from lookalike.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AXES_SHARE_OF_FIGURE = 0.8  # of a figure: about what its axes have
LINE_DISTANCE = 1.25  # distance of lines of text, of their font size


def label_arrows(ax: Axes, tips: Array, names: Sequence[str], *, fontsize: float) -> None:
    """Write each name beside the tip of its arrow, in red, and join those moved with a line.

    Parameters
    ----------
    ax : axes
        With everything but the names drawn; its limits are set to hold the tips.
    tips : ndarray of shape (n_arrows, 2)
        Where the arrows, which begin at the origin, end.
    names : sequence of str
        One for each arrow.
    fontsize : float
        Of the names, in points.
    """
    ax.update_datalim(tips)
    ax.autoscale_view()
    left, right = ax.get_xlim()
    low, high = ax.get_ylim()
    size = figure_of(ax).get_size_inches()
    point = np.array([right - left, high - low]) / (72 * AXES_SHARE_OF_FIGURE * size)
    for side, on_side in ((1, tips[:, 0] >= 0), (-1, tips[:, 0] < 0)):
        rows = np.flatnonzero(on_side)
        height = separate_places(tips[rows, 1], LINE_DISTANCE * fontsize * point[1])
        for row, y in zip(rows, height, strict=True):
            x = tips[row, 0] + side * 5 * point[0]
            if abs(y - tips[row, 1]) > 0.5 * fontsize * point[1]:
                x += side * 6 * point[0]
                ax.plot([tips[row, 0], x], [tips[row, 1], y], color=ALERT_COLOR, lw=0.4, alpha=0.6)
            ax.annotate(
                names[int(row)],
                (tips[row, 0], tips[row, 1]),
                xytext=(x, y),
                ha="left" if side > 0 else "right",
                va="center",
                color=ALERT_COLOR,
                fontsize=fontsize,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.4},
            )


def separate_places(places: Array, least_gap: float) -> Array:
    """Return places at least `gap` apart, in the order given, moved as little as groups allow.

    >>> separate_places(np.array([0.0, 0.1, 5.0]), 1.0)
    array([-0.45,  0.55,  5.  ])
    """
    order = np.argsort(places, kind="stable")
    groups: list[tuple[float, int]] = []  # middle and members of each group of touching places
    for place in places[order]:
        middle, count = float(place), 1
        while groups and middle - groups[-1][0] < least_gap * (count + groups[-1][1]) / 2:
            before, n = groups.pop()
            middle, count = (before * n + middle * count) / (n + count), n + count
        groups.append((middle, count))
    moved = np.concatenate(
        [middle + least_gap * (np.arange(n) - (n - 1) / 2) for middle, n in groups] or [np.zeros(0)]
    )
    spread = np.empty(len(places))
    spread[order] = moved
    return spread
