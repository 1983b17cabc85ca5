"""Plots of KD-trees: the cells of the leaves, and the neighbor that a search of one cell misses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lookalike.errors import ParameterError, ShapeError
from lookalike.report.plots.axes import axes_or_new
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLOT_MARGIN = 0.06  # beyond the rows, as a part of their range


def plot_kdtree(
    index: Any,
    query: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the cells of a KD-tree of two columns, its rows, and how a query is searched.

    With a `query` its own cell is shaded, and the nearest row there is joined to it with a
    dashed line: a search that goes down to the leaf and no further finds that row. Where another
    row is nearer, it is joined with a full line, and the circle around the query shows the other
    cells that have to be visited [LUMS: "may miss neighbors"].

    Parameters
    ----------
    index : KDTreeIndex or NearestNeighbors
        A tree of two columns, or a model that searches by one.
    query : array of shape (2,), optional
        A point to search for.
    ax : axes, optional
        Where to draw.
    """
    index = index.space_.index if hasattr(index, "space_") else index
    if not hasattr(index, "cells"):
        raise ParameterError(
            f"{type(index).__name__} is not a KD-tree. Fit the model with algorithm='kd_tree'."
        )
    if index.n_features != 2:
        raise ShapeError(
            f"Cells are drawn for two columns, the tree has {index.n_features}. Index two."
        )
    ax = axes_or_new(ax, size=(5.6, 5.0))
    rows: AnyArray = index.rows
    point = None if query is None else np.asarray(query, np.float64).reshape(2)
    shown = rows if point is None else np.vstack([rows, point])
    low, high = shown.min(axis=0), shown.max(axis=0)
    beyond = PLOT_MARGIN * np.where(high > low, high - low, 1.0)
    low, high = low - beyond, high + beyond
    cells = index.cells()
    for box, _ in cells:
        _draw_cell(ax, box, low, high, shaded=point is not None and _holds(box, point))
    ax.plot(*rows.T, "o", color="black", ms=4)
    title = f"KD-tree: {len(cells)} cells of at most {index.leaf_size} rows, depth {index.depth}"
    if point is not None:
        title = _draw_search(ax, index, cells, rows, point)
    ax.set(xlabel="x0", ylabel="x1", title=title, aspect="equal")
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return ax


def _holds(box: Array, point: Array) -> bool:
    """Return whether a search for `point` goes down to this cell: a border belongs to the right."""
    return bool((point >= box[0]).all() and (point < box[1]).all())


def _draw_cell(ax: Axes, box: Array, low: Array, high: Array, *, shaded: bool) -> None:
    from matplotlib.patches import Rectangle

    begin, end = np.maximum(box[0], low), np.minimum(box[1], high)
    face = "#fdd9b5" if shaded else "none"
    ax.add_patch(Rectangle(tuple(begin), *(end - begin), fc=face, ec="#6b8fb5", lw=1.0))


def _draw_search(
    ax: Axes, index: Any, cells: list[tuple[Array, Rows]], rows: AnyArray, point: Array
) -> str:
    """Draw what the search of the own cell alone finds, and what is nearest; return a title."""
    from matplotlib.patches import Circle

    rows_of_cell = next(inside for box, inside in cells if _holds(box, point))
    gaps = np.sqrt(((rows[rows_of_cell] - point) ** 2).sum(axis=1))
    found = int(rows_of_cell[gaps.argmin()])
    distance, (nearest,) = (part[0] for part in index.query(point[None], 1))
    ax.add_patch(Circle(tuple(point), float(gaps.min()), fill=False, ec="0.5", ls=":", lw=1.2))
    ax.plot(*point, "*", color="#a50f15", ms=13, label="query", zorder=5)
    ax.plot(*zip(point, rows[found], strict=True), "--", color="#a63603", lw=1.6)
    ax.plot(*rows[found], "o", color="#a63603", ms=7, label="nearest in its own cell", zorder=4)
    missed = nearest != found
    if missed:
        ax.plot(*zip(point, rows[nearest], strict=True), "-", color="#08519c", lw=1.6)
        ax.plot(*rows[nearest], "o", color="#08519c", ms=7, label="nearest of all", zorder=4)
    ax.legend(fontsize="small", loc="best")
    if not missed:
        return f"its own cell holds the nearest row, at {distance[0]:.3g}"
    return f"one cell is not enough: {gaps.min():.3g} instead of {distance[0]:.3g}"
