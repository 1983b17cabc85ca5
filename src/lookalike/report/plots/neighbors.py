"""Pictures of neighbors: how well every K does, and which class rules where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ShapeError
from lookalike.models.neighbors.k_selection import Selection
from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = 200  # cells of the picture, along each axis
FILLS = ("#9ecae1", "#fdae6b", "#a1d99b", "#bcbddc", "#fc9272", "#bdbdbd")
INKS = ("#08519c", "#a63603", "#006d2c", "#54278f", "#a50f15", "#252525")


def plot_k_selection(
    selection: Selection, *, score: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the score of every K, by each method and weighting, with one standard error.

    The best K of each curve is marked; the largest K within one standard error of the best is
    named in the legend.
    """
    ax = axes_or_new(ax)
    name = score or selection.score
    for number, ((method, weights), curve) in enumerate(selection.curves.items()):
        value, error = curve.scores[name], curve.standard_errors[name]
        best = selection.best(method, weights, name)
        smooth = selection.one_standard_error(method, weights, name)
        color = f"C{number}"
        label = f"{method}, {weights}: best K {best}, within one s.e. {smooth}"
        ax.plot(selection.k, value, color=color, marker=".", label=label)
        ax.fill_between(selection.k, value - error, value + error, color=color, alpha=0.12, lw=0)
        ax.plot(best, value[best - 1], marker="o", ms=9, mfc="none", color=color)
    ax.set(xlabel="K", ylabel=name.replace("_", " "), title="Rows left out, for every K")
    ax.locator_params(axis="x", integer=True)
    ax.legend(fontsize="small")
    return ax


def plot_decision_regions(model: Any, X: Any, y: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw the class that a fitted classifier gives to every place of a plane, and the rows.

    With one neighbor the borders are edges of Voronoi cells [Barber, fig. 14.1].

    Parameters
    ----------
    model : classifier
        Fitted on two columns.
    X : table
        Rows to draw and to choose the part of the plane by.
    y : array, optional
        Their labels; rows are black where None.
    ax : axes, optional
        Where to draw.
    """
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ShapeError(f"X has shape {rows.shape}. Regions are drawn of two columns: give two.")
    ax = axes_or_new(ax)
    low, high = rows.min(axis=0), rows.max(axis=0)
    margin = 0.08 * np.maximum(high - low, 1e-9)
    across, up = (np.linspace(low[j] - margin[j], high[j] + margin[j], STEPS) for j in range(2))
    plane = np.column_stack([axis.ravel() for axis in np.meshgrid(across, up)])
    code = np.searchsorted(model.classes_, model.predict(plane)).reshape(STEPS, STEPS)
    from matplotlib.colors import ListedColormap

    n_classes = len(model.classes_)
    colors = [FILLS[c % len(FILLS)] for c in range(n_classes)]
    ax.pcolormesh(across, up, code, cmap=ListedColormap(colors), vmin=-0.5, vmax=n_classes - 0.5)
    for c, label in enumerate(model.classes_):
        if n_classes > 1:
            ax.contour(across, up, code == c, levels=[0.5], colors="black", linewidths=0.6)
        if y is not None:
            own = rows[np.asarray(y) == label]
            ink = INKS[c % len(INKS)]
            ax.plot(*own.T, "o", color=ink, ms=4, mec="white", mew=0.5, label=str(label))
    if y is None:
        ax.plot(*rows.T, "o", color="black", ms=3)
    else:
        ax.legend(fontsize="small")
    k = getattr(model, "n_neighbors_", None)
    told = f"K = {k}, {model.effective_metric_}" if k else type(model).__name__
    ax.set(xlabel="first column", ylabel="second column", title=told)
    return ax
