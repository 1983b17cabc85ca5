"""Pictures of clusters: how many there are, where they are, and what their centers look like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ShapeError
from lookalike.models.cluster.centroids import CenterModel
from lookalike.models.cluster.n_clusters import CRITERIA, ClusterChoice
from lookalike.models.validation import one_of
from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GRID = 300  # points of the plane along each axis


def plot_n_clusters(
    choice: ClusterChoice, criterion: str = "silhouette", *, ax: Axes | None = None
) -> Axes:
    """Draw one criterion against the number of centers, and the number it chooses."""
    one_of("criterion", criterion, CRITERIA)
    ax = axes_or_new(ax)
    value = getattr(choice, criterion)
    error = choice.gap_error if criterion == "gap" else None
    ax.errorbar(choice.n_clusters, value, yerr=error, marker="o", capsize=3)
    chosen = choice.chosen.get(criterion)
    if chosen is not None:
        ax.axvline(chosen, color="gray", linestyle=":", label=f"chosen: {chosen}")
        ax.legend()
    ax.set_xticks(choice.n_clusters)
    ax.set(xlabel="centers", ylabel=criterion, title="How many clusters")
    return ax


def plot_cluster_regions(model: CenterModel, X: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the part of the plane that is nearest to each center, the rows, and the centers."""
    rows = np.asarray(X, dtype=np.float64)
    centers = model.cluster_centers_
    if rows.ndim != 2 or rows.shape[1] != 2 or centers.shape[1] != 2:
        raise ShapeError(f"X has shape {rows.shape}, and regions are drawn for two columns.")
    ax = axes_or_new(ax)
    both = np.concatenate([rows, centers])
    low, high = both.min(axis=0), both.max(axis=0)
    margin = 0.05 * np.where(high > low, high - low, 1.0)
    across, up = (
        np.linspace(a - m, b + m, GRID) for a, b, m in zip(low, high, margin, strict=True)
    )
    plane = np.column_stack([part.ravel() for part in np.meshgrid(across, up)])
    region = np.asarray(model.predict(plane)).reshape(GRID, GRID)
    shown: dict[str, Any] = {"cmap": "tab20", "vmin": 0, "vmax": 20}
    ends = (across[0], across[-1], up[0], up[-1])
    ax.imshow(region % 20, origin="lower", extent=ends, aspect="auto", alpha=0.35, **shown)
    ax.contour(
        across, up, region, levels=np.arange(len(centers)) + 0.5, colors="gray", linewidths=0.5
    )
    ax.scatter(rows[:, 0], rows[:, 1], s=6, c=np.asarray(model.predict(rows)) % 20, **shown)
    ax.scatter(centers[:, 0], centers[:, 1], marker="X", s=60, color="black", edgecolor="white")
    ax.set(xlabel="x0", ylabel="x1", title="Nearest center")
    return ax


def plot_center_images(
    model: CenterModel, shape: tuple[int, int], *, columns: int = 10, ax: Axes | None = None
) -> Axes:
    """Draw the centers of image data as one sheet of pictures, by number."""
    centers = model.cluster_centers_
    height, width = shape
    if centers.shape[1] != height * width:
        raise ShapeError(f"{centers.shape[1]} features are no pictures of {height} x {width}.")
    lines = -(-len(centers) // columns)
    sheet = np.full((lines * (height + 1) - 1, columns * (width + 1) - 1), np.nan)
    for number, center in enumerate(centers):
        top, left = number // columns * (height + 1), number % columns * (width + 1)
        sheet[top : top + height, left : left + width] = center.reshape(shape)
    ax = axes_or_new(ax, size=(0.7 * columns, 0.7 * lines + 0.4))
    ax.imshow(sheet, cmap="gray_r")
    ax.set_axis_off()
    ax.set_title(f"{len(centers)} centers")
    return ax
