"""Plots of RBF models: the fitted curve, the centers, and selecting alpha."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.errors import ShapeError
from lookalike.models.rbf.network import RBFNetwork
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR, SECOND_COLOR
from lookalike.report.plots.scatter import scatter_classes
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator

CURVE_POINTS = 600  # points of the curve


def plot_fitted_curve(
    model: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike,
    *,
    basis_functions: bool = True,
    margin: float = 0.25,
    ax: Axes | None = None,
) -> Axes:
    """Draw the predictions of a model of one feature over the rows.

    Parameters
    ----------
    model : RBFNetworkRegressor or KernelRegressor
        Fitted on one column.
    X, y : table, array
        The rows.
    basis_functions : bool
        Whether the basis functions of a network are drawn, times their weights.
    margin : float
        How far the curve reaches beyond the rows, as a part of their range.
    ax : axes, optional
        Where to draw.
    """
    x = np.asarray(X, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != 1:
        raise ShapeError(f"X has shape {x.shape}. A curve is drawn over one column: give one.")
    ax = axes_or_new(ax)
    low, high = float(x.min()), float(x.max())
    beyond = margin * (high - low)
    grid = np.linspace(low - beyond, high + beyond, CURVE_POINTS)[:, None]
    if basis_functions and isinstance(model, RBFNetwork):
        for line in (model.basis_functions(grid) * np.atleast_2d(model.coef_)[0]).T:
            ax.plot(grid[:, 0], line, color=SECOND_COLOR, lw=0.7, alpha=0.7)
    ax.plot(grid[:, 0], model.predict(grid), color=FIRST_COLOR, lw=2)
    ax.plot(x[:, 0], np.asarray(y), "o", color="black", ms=4)
    ax.set(xlabel="x", ylabel="y", title="Fitted curve")
    return ax


def plot_rbf_centers(
    model: RBFNetwork,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    columns: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """Draw the centers over the rows, each with a circle of radius `width_`."""
    from matplotlib.patches import Circle

    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise ShapeError(f"X has shape {rows.shape}. Centers are drawn over two columns: give two.")
    ax = axes_or_new(ax, size=(5.0, 4.6))
    points = rows[:, list(columns)]
    if y is None:
        ax.scatter(points[:, 0], points[:, 1], s=12, c="0.6", alpha=0.6, lw=0)
    else:
        scatter_classes(ax, points, np.asarray(y))
    for center in model.centers_[:, list(columns)]:
        middle = (float(center[0]), float(center[1]))
        ax.add_patch(Circle(middle, model.width_, fill=False, color="black", lw=0.6, alpha=0.5))
    ax.plot(*model.centers_[:, list(columns)].T, "+", color="black", ms=8)
    across, up = (f"x{column}" for column in columns)
    ax.set(
        xlabel=across,
        ylabel=up,
        title=f"{len(model.centers_)} RBF centers, width {model.width_:.3g}",
    )
    return ax


def plot_alpha_selection(curve: Mapping[str, AnyArray], *, ax: Axes | None = None) -> Axes:
    """Draw the leave-one-out MSE of every L2 penalty; the smallest is marked."""
    ax = axes_or_new(ax)
    alpha, mse = curve["alpha"], curve["mse"]
    best = int(mse.argmin())
    ax.loglog(alpha, mse, marker=".")
    ax.plot(alpha[best], mse[best], marker="o", ms=10, mfc="none", color=FIRST_COLOR)
    ax.set(xlabel="alpha (L2 penalty)", ylabel="leave-one-out MSE", title="Selecting alpha")
    return ax
