"""Scatter plots of rows with two coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.errors import ShapeError
from lookalike.report.plots.axes import axes_or_new, figure_of
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED = 20  # classes up to which each has a color and its name in the legend
MARKERS = ("o", "s", "^", "D", "v", "p", "X")  # "P" vanishes where points are small


def plot_scatter(
    points: Array,
    y: ArrayLike | None = None,
    *,
    flagged: Rows | None = None,
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
        ax.scatter(points[:, 0], points[:, 1], s=9, color="tab:blue", linewidths=0)
    elif np.asarray(y).dtype.kind == "f":
        drawn = ax.scatter(points[:, 0], points[:, 1], s=9, c=y, cmap="cool", linewidths=0)
        figure_of(ax).colorbar(drawn, ax=ax)
    else:
        _by_class(ax, points, np.asarray(y))
    if flagged is not None and len(flagged):
        circled = points[flagged]
        ax.scatter(circled[:, 0], circled[:, 1], s=60, facecolors="none", edgecolors="tab:red")
    ax.set(xticks=[], yticks=[])
    return ax


def _by_class(ax: Axes, points: Array, y: AnyArray) -> None:
    from matplotlib import colormaps

    classes, code = np.unique(y, return_inverse=True)
    colors = colormaps["tab10" if len(classes) <= 10 else "tab20"].colors  # type: ignore[attr-defined]
    for c, name in enumerate(classes):
        own = points[code == c]
        ax.scatter(
            own[:, 0],
            own[:, 1],
            s=11,
            marker=MARKERS[c % len(MARKERS)],
            color=colors[c % len(colors)],
            linewidths=0,
            label=_legible(str(name)),
        )
    if len(classes) <= NAMED:
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", markerscale=1.6)


def _legible(name: str) -> str:
    """Return a name that the legend shows: it would ignore one that begins with "_"."""
    return f"\u200b{name}" if name.startswith("_") else name
