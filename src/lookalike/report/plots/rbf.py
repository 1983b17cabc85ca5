"""Pictures of radial basis functions: the bumps, the curve they add up to, centers over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ShapeError
from lookalike.models.rbf.network import RBFNetwork
from lookalike.models.rbf.ridge import PenaltyCurve
from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = 600  # points of a curve


def plot_fitted_curve(
    model: Any, X: Any, y: Any, *, bumps: bool = True, margin: float = 0.25, ax: Axes | None = None
) -> Axes:
    """Draw what a model of one column answers, over the rows; of a network, its bumps too.

    Parameters
    ----------
    model : RBFNetworkRegressor or RBFSmoother
        Fitted on one column.
    X, y : table, array
        The rows.
    bumps : bool
        Whether each bump of a network is drawn, as high as its weight.
    margin : float
        How far beyond the rows, as a part of their range.
    ax : axes, optional
        Where to draw.
    """
    x = np.asarray(X, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != 1:
        raise ShapeError(f"X has shape {x.shape}. A curve is drawn over one column: give one.")
    ax = axes_or_new(ax)
    low, high = float(x.min()), float(x.max())
    beyond = margin * (high - low)
    across = np.linspace(low - beyond, high + beyond, STEPS)[:, None]
    if bumps and isinstance(model, RBFNetwork):
        for line in (model.bumps(across) * np.atleast_2d(model.coef_)[0]).T:
            ax.plot(across[:, 0], line, color="C1", lw=0.7, alpha=0.7)
    ax.plot(across[:, 0], model.predict(across), color="C0", lw=2)
    ax.plot(x[:, 0], np.asarray(y), "o", color="black", ms=4)
    ax.set(xlabel="x", ylabel="y")
    return ax


def plot_rbf_centers(
    model: RBFNetwork,
    X: Any,
    y: Any = None,
    *,
    columns: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """Draw the centers over the rows, each with the circle of one width."""
    from matplotlib.patches import Circle

    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise ShapeError(f"X has shape {rows.shape}. Centers are drawn over two columns: give two.")
    ax = axes_or_new(ax, size=(5.0, 4.6))
    codes = None if y is None else np.unique(np.asarray(y), return_inverse=True)[1]
    colors = "0.6" if codes is None else [f"C{code % 10}" for code in codes]
    across, up = rows[:, list(columns)].T
    ax.scatter(across, up, s=7, c=colors, alpha=0.5, lw=0)
    for center in model.centers_[:, list(columns)]:
        middle = (float(center[0]), float(center[1]))
        ax.add_patch(Circle(middle, model.width_, fill=False, color="black", lw=0.6, alpha=0.5))
    ax.plot(*model.centers_[:, list(columns)].T, "+", color="black", ms=8)
    ax.set(title=f"{len(model.centers_)} centers, r = {model.width_:.3g}")
    return ax


def plot_alpha_selection(curve: PenaltyCurve, *, ax: Axes | None = None) -> Axes:
    """Draw the leave-one-out error of every penalty; the least is marked."""
    ax = axes_or_new(ax)
    best = int(curve.mse.argmin())
    ax.loglog(curve.alpha, curve.mse, marker=".")
    ax.plot(curve.alpha[best], curve.mse[best], marker="o", ms=10, mfc="none", color="C0")
    ax.set(xlabel="alpha", ylabel="mean squared error of rows left out")
    return ax
