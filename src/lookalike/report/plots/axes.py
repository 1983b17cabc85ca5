"""Axes to draw on: those given, or new ones that need no display."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import ParameterError
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def axes_or_new(ax: Axes | None, *, size: tuple[float, float] = (6.0, 4.0)) -> Axes:
    """Return `ax`, or axes of a new figure, which needs no display."""
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained").subplots()


def figure_of(ax: Axes) -> Figure:
    """Return the figure that `ax` is drawn on."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ParameterError("ax was removed from its figure. Give axes of a figure.")
    return figure


def plane_grid(points: AnyArray, margin: float, steps: int) -> tuple[Array, Array, Array]:
    """Return the x and y coordinates of a grid over `points`, and its nodes, one per row.

    Parameters
    ----------
    points : array of shape (n, 2)
        What the grid covers.
    margin : float
        How far it reaches beyond them on each side, as a part of their range.
    steps : int
        Nodes along each axis.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    beyond = margin * np.where(high > low, high - low, 1.0)
    x, y = (np.linspace(low[j] - beyond[j], high[j] + beyond[j], steps) for j in range(2))
    return x, y, np.column_stack([axis.ravel() for axis in np.meshgrid(x, y)])
