"""Pictures of kernel principal components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ShapeError
from lookalike.models.decomposition.kernel_pca import KernelPCA
from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_kernel_pca_scores(
    model: KernelPCA, X: Any, y: Any = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the rows along the first two directions, a color for each class."""
    scores = np.asarray(model.transform(X))
    if scores.shape[1] < 2:
        raise ShapeError(f"The model has {scores.shape[1]} direction(s), and two are drawn.")
    ax = axes_or_new(ax)
    labels = np.zeros(len(scores)) if y is None else np.asarray(y)
    for label in np.unique(labels):
        here = labels == label
        ax.scatter(scores[here, 0], scores[here, 1], s=12, label=None if y is None else str(label))
    if y is not None:
        ax.legend()
    ax.set(xlabel="first direction", ylabel="second direction", title="Kernel PCA")
    return ax


def plot_kernel_pca_contours(
    model: KernelPCA, X: Any, *, direction: int = 0, ax: Axes | None = None
) -> Axes:
    """Draw lines of equal score of one direction in the plane of two columns, and the rows."""
    rows = np.asarray(X, dtype=np.float64)
    if rows.shape[1] != 2:
        raise ShapeError(f"X has {rows.shape[1]} columns, and lines are drawn for two.")
    ax = axes_or_new(ax)
    low, high = rows.min(axis=0), rows.max(axis=0)
    margin = 0.1 * (high - low)
    across, up = (np.linspace(a - m, b + m, 80) for a, b, m in zip(low, high, margin, strict=True))
    grid = np.column_stack([part.ravel() for part in np.meshgrid(across, up)])
    score = np.asarray(model.transform(grid))[:, direction].reshape(80, 80)
    filled = ax.contourf(across, up, score, levels=12, cmap="coolwarm")
    ax.figure.colorbar(filled, ax=ax, label=f"score along direction {direction + 1}")
    ax.scatter(rows[:, 0], rows[:, 1], s=6, color="black")
    ax.set(xlabel="x0", ylabel="x1", title="Lines of equal score", aspect="equal")
    return ax
