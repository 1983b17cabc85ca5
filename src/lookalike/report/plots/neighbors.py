"""Plots of nearest neighbors: selecting K, and decision regions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lookalike.errors import ParameterError, ShapeError
from lookalike.models.estimator import feature_names
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.report.plots.axes import axes_or_new, plane_grid
from lookalike.report.plots.palette import class_colors
from lookalike.studies.format import METRIC_TITLES
from lookalike.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator

DECISION_GRID_NODES = 200  # grid nodes along each axis
SELECTION_METHOD_TITLES = {"loo": "leave-one-out", "cv": "cross-validation"}
REGION_ALPHA = 0.35  # of the color of a class, where it is predicted


def plot_k_selection(
    selection: KSelection, *, score: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the validation score of every K, per method and weighting, with one standard error.

    The best K of each curve is marked; the legend names it and the K of the one-standard-error
    rule. The error of the training rows themselves, each its own neighbor, is dashed; rules of
    thumb, the root of N and it made odd [LUMS], are dotted lines where they lie in the plot.

    Parameters
    ----------
    selection : KSelection
        `selection_` of a model, or what `select` returned.
    score : str, optional
        The score to draw; that of the selection when None.
    ax : axes, optional
        Where to draw.
    """
    ax = axes_or_new(ax)
    name = score or selection.score
    for (method, weights), curve in selection.curves.items():
        smooth = selection.one_standard_error(method, weights, name)
        plot_k_curve(
            selection.k,
            curve.scores[name],
            curve.standard_errors[name],
            selection.best(method, weights, name),
            label=f"{validation_name(method, weights)} (1-SE rule: K {smooth})",
            ax=ax,
        )
    for weights, curve in (selection.in_sample or {}).items():
        label = f"in-sample, weights={weights!r}"
        ax.plot(selection.k, curve.scores[name], "--", lw=1.2, color="0.45", label=label)
        break  # of other weightings each row votes for itself alone
    for guide, label in ((selection.guides["sqrt_n"], "√N"), (selection.guides["odd"], "√N, odd")):
        drawn = guide == selection.guides["sqrt_n"] and label != "√N"
        if selection.k[0] <= guide <= selection.k[-1] and not drawn:
            ax.axvline(guide, ls=":", lw=1.0, color="0.6")
            ax.annotate(
                f"{label} = {guide}",
                (guide, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(2, -10 if label == "√N" else -22),
                textcoords="offset points",
                fontsize="x-small",
                color="0.4",
            )
    ax.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.16))  # below
    ax.set(ylabel=METRIC_TITLES.get(name, name))
    return ax


def plot_k_curve(
    k: ArrayLike,
    score: ArrayLike,
    standard_error: ArrayLike,
    best: int,
    *,
    label: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the score of every K with one standard error, and mark the best.

    Several curves may be drawn on one `ax`, each in its own color.

    Parameters
    ----------
    k, score, standard_error : array of shape (n,)
        The numbers of neighbors, and the validation score of each.
    best : int
        The K to mark.
    label : str
        The name of the curve in the legend, to which the best K is added.
    ax : axes, optional
        Where to draw.
    """
    ax = axes_or_new(ax)
    k, score, error = (np.asarray(values) for values in (k, score, standard_error))
    (line,) = ax.plot(k, score, marker=".", label=f"{label}: best K {best}" if label else None)
    color = line.get_color()
    ax.fill_between(k, score - error, score + error, color=color, alpha=0.12, lw=0)
    ax.plot(best, score[k == best], marker="o", ms=9, mfc="none", color=color)
    ax.set(xlabel="number of neighbors K", title="Selecting K")
    ax.locator_params(axis="x", integer=True)
    if label:
        ax.legend(fontsize="small")
    return ax


def validation_name(method: str, weights: str) -> str:
    """Return how a curve was validated and its neighbors weighted.

    >>> validation_name("loo", "uniform")
    "leave-one-out, weights='uniform'"
    """
    return f"{SELECTION_METHOD_TITLES[method]}, weights={weights!r}"


def plot_decision_regions(
    model: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    cells: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw the class that a classifier predicts at every point of the plane, and the rows.

    With one neighbor the boundaries are edges of Voronoi cells [Barber, fig. 14.1]. Of a Pipeline
    that makes two columns of more, the plane of these two is drawn.

    Parameters
    ----------
    model : classifier or Pipeline
        Fitted on two columns; or a Pipeline whose last step is.
    X : table
        Rows to draw; they set the part of the plane.
    y : array, optional
        Their labels; rows are black where None.
    cells : bool, default=False
        Whether the Voronoi cell of every training row is drawn: the points to which it is the
        nearest. For models of nearest neighbors.
    ax : axes, optional
        Where to draw.
    """
    rows, plane, names, last = _in_a_plane(model, X)
    ax = axes_or_new(ax)
    grid_x, grid_y, grid = plane_grid(rows, 0.08, DECISION_GRID_NODES)
    code = np.searchsorted(model.classes_, plane.predict(grid)).reshape(
        DECISION_GRID_NODES, DECISION_GRID_NODES
    )
    from matplotlib.colors import ListedColormap

    n_classes = len(model.classes_)
    colors = class_colors(n_classes)
    ax.pcolormesh(
        grid_x,
        grid_y,
        code,
        cmap=ListedColormap(colors),
        vmin=-0.5,
        vmax=n_classes - 0.5,
        alpha=REGION_ALPHA,
        linewidth=0,
        rasterized=True,
    )
    if cells:
        _draw_cells(ax, plane, last, (grid_x, grid_y, grid))
    for c, label in enumerate(model.classes_):
        if n_classes > 1:
            ax.contour(grid_x, grid_y, code == c, levels=[0.5], colors="black", linewidths=0.6)
        if y is not None:
            class_rows = rows[np.asarray(y) == label]
            style: dict[str, Any] = {"ms": 5, "mec": "white", "mew": 0.6, "label": str(label)}
            ax.plot(*class_rows.T, "o", color=colors[c], **style)
    if y is None:
        ax.plot(*rows.T, "o", color="black", ms=3)
    else:
        ax.legend(fontsize="small", loc="upper right")
    k = getattr(last, "n_neighbors_", None)
    title = f"K = {k}, {last.effective_metric_}" if k else type(last).__name__
    ax.set(xlabel=names[0], ylabel=names[1], title=title)
    return ax


def _in_a_plane(model: BaseEstimator, X: ArrayLike) -> tuple[Any, Any, list[str], Any]:
    """Return rows of two columns, what predicts in their plane, the axes, and the last step."""
    steps = getattr(model, "steps", None)
    last = model if steps is None else steps[-1][1]
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim == 2 and rows.shape[1] == 2:
        names = feature_names(model).tolist() if hasattr(model, "n_features_in_") else ["x0", "x1"]
        return rows, model, names, last
    inner = None if steps is None or rows.ndim != 2 else np.asarray(model[:-1].transform(X))
    if inner is None or inner.ndim != 2 or inner.shape[1] != 2:
        raise ShapeError(
            f"X has shape {rows.shape}. Regions are drawn for two columns: give two, or a Pipeline "
            "whose last step is given two."
        )
    make = getattr(model[:-1], "get_feature_names_out", None)
    try:
        names = list(map(str, make())) if make else ["x0", "x1"]
    except (AttributeError, ValueError):  # a step that names no columns
        names = ["x0", "x1"]
    return inner, last, names, last


def _draw_cells(
    ax: Axes, plane: Any, last: BaseEstimator, drawn: tuple[Array, Array, Array]
) -> None:
    """Draw the borders of the Voronoi cells of the training rows."""
    if not hasattr(last, "kneighbors"):
        raise ParameterError(
            f"cells=True draws the cells of nearest neighbors, and {type(last).__name__} has none. "
            "Leave it out."
        )
    grid_x, grid_y, grid = drawn
    points = grid if plane is last else plane[:-1].transform(grid)
    nearest = np.asarray(last.kneighbors(points, 1, return_distance=False))[:, 0]
    table = nearest.reshape(DECISION_GRID_NODES, DECISION_GRID_NODES)
    edge = np.zeros(table.shape, bool)
    edge[:, 1:] |= table[:, 1:] != table[:, :-1]
    edge[1:] |= table[1:] != table[:-1]
    shade = np.where(edge, 1.0, np.nan)
    ax.pcolormesh(grid_x, grid_y, shade, cmap="gray", vmin=0.0, vmax=1.6, alpha=0.55)
