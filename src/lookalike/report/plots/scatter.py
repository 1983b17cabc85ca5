"""Scatter plots of rows with two coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.errors import ShapeError
from lookalike.report.plots.axes import axes_or_new, figure_of
from lookalike.report.plots.palette import ALERT_COLOR, FIRST_COLOR, class_colors, number_colors
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_LEGEND_CLASSES = 20  # up to which each has a color and its name in the legend
CLASS_MARKERS = ("o", "s", "^", "D", "v", "p", "X")  # "P" vanishes where points are small


def plot_scatter(
    points: Array,
    y: ArrayLike | None = None,
    *,
    flagged: Rows | None = None,
    order: Sequence[object] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows by two coordinates, colored by class or by number.

    Parameters
    ----------
    points : array of shape (n, 2)
        The coordinates of each row.
    y : array, optional
        Classes, each with a color and a marker; or numbers in float64, on a color scale.
    flagged : array of row numbers, optional
        Rows to circle.
    order : sequence, optional
        The classes as the legend lists and colors them; sorted when None.
    ax : axes, optional
        Where to draw.
    """
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ShapeError(
            f"points has shape {points.shape}. A scatter plot needs two columns: give two."
        )
    ax = axes_or_new(ax)
    if y is None:
        ax.scatter(points[:, 0], points[:, 1], s=9, color=FIRST_COLOR, linewidths=0)
    elif np.asarray(y).dtype.kind == "f":
        drawn = ax.scatter(points[:, 0], points[:, 1], s=9, c=y, cmap=number_colors(), linewidths=0)
        figure_of(ax).colorbar(drawn, ax=ax)
    else:
        _by_class(ax, points, np.asarray(y), order)
    if flagged is not None and len(flagged):
        circled = points[flagged]
        ax.scatter(circled[:, 0], circled[:, 1], s=60, facecolors="none", edgecolors=ALERT_COLOR)
    ax.set(xticks=[], yticks=[])
    return ax


def _by_class(ax: Axes, points: Array, y: AnyArray, order: Sequence[object] | None) -> None:
    n_classes = scatter_classes(ax, points, y, order)
    if n_classes <= MAX_LEGEND_CLASSES:
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", markerscale=1.6)


def scatter_classes(
    ax: Axes, points: Array, y: AnyArray, order: Sequence[object] | None = None
) -> int:
    """Draw points in the colors and markers of their classes, and return how many there are."""
    classes, code = np.unique(y, return_inverse=True)
    if order is not None:
        known = {str(name): index for index, name in enumerate(order)}
        rank = np.argsort([known.get(str(name), len(known)) for name in classes], kind="stable")
        classes, code = classes[rank], np.argsort(rank)[code]
    colors = class_colors(len(classes))
    for c, name in enumerate(classes):
        class_points = points[code == c]
        ax.scatter(
            class_points[:, 0],
            class_points[:, 1],
            s=11,
            marker=CLASS_MARKERS[c % len(CLASS_MARKERS)],
            color=colors[c],
            linewidths=0,
            label=_legible(str(name)),
        )
    return len(classes)


def _legible(name: str) -> str:
    """Return a name that the legend shows: it would ignore one that begins with "_"."""
    return f"\u200b{name}" if name.startswith("_") else name
