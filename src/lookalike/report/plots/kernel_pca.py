"""Plots of kernel PCA: scores, and their contours in the plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.errors import ShapeError
from lookalike.models.decomposition.kernel_pca import KernelPCA
from lookalike.report.plots.axes import axes_or_new, plane_grid
from lookalike.report.plots.palette import FIRST_COLOR
from lookalike.report.plots.scatter import scatter_classes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CONTOUR_GRID_NODES = 80  # grid nodes along each axis


def plot_kernel_pca_scores(
    model: KernelPCA, X: ArrayLike, y: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the scores of the rows on the first two components, one color per class."""
    scores = np.asarray(model.transform(X))
    if scores.shape[1] < 2:
        raise ShapeError(
            f"The model has {scores.shape[1]} component(s), two are drawn. Fit n_components >= 2."
        )
    ax = axes_or_new(ax)
    if y is None:
        ax.scatter(scores[:, 0], scores[:, 1], s=12, color=FIRST_COLOR)
    else:
        scatter_classes(ax, scores[:, :2], np.asarray(y))
        ax.legend()
    ax.set(xlabel="component 1", ylabel="component 2", title="Kernel PCA")
    return ax


def plot_kernel_pca_contours(
    model: KernelPCA, X: ArrayLike, *, component: int = 0, ax: Axes | None = None
) -> Axes:
    """Draw the contours of the score on one component over two features, and the rows."""
    rows = np.asarray(X, dtype=np.float64)
    if rows.shape[1] != 2:
        raise ShapeError(f"X has {rows.shape[1]} columns, contours are drawn for two. Give two.")
    ax = axes_or_new(ax)
    x, y, grid = plane_grid(rows, 0.1, CONTOUR_GRID_NODES)
    score = np.asarray(model.transform(grid))[:, component].reshape(
        CONTOUR_GRID_NODES, CONTOUR_GRID_NODES
    )
    filled = ax.contourf(x, y, score, levels=12, cmap="coolwarm")
    ax.figure.colorbar(filled, ax=ax, label=f"score on component {component + 1}")
    ax.scatter(rows[:, 0], rows[:, 1], s=6, color="black")
    ax.set(xlabel="x0", ylabel="x1", title="Kernel PCA contours", aspect="equal")
    return ax
