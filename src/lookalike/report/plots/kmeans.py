"""Plots of k-means: the number of clusters, their regions, and centers that are images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lookalike.errors import ShapeError
from lookalike.models.cluster.centroids import CenterModel
from lookalike.models.cluster.n_clusters import CLUSTER_CRITERIA, ClusterChoice
from lookalike.report.plots.axes import axes_or_new, plane_grid
from lookalike.report.plots.images import image_grid
from lookalike.report.plots.palette import class_colors
from lookalike.validation import check_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REGION_GRID_NODES = 300  # grid nodes along each axis


def plot_n_clusters(
    choice: ClusterChoice, criterion: str = "silhouette", *, ax: Axes | None = None
) -> Axes:
    """Draw one criterion against the number of clusters, and the number it selects."""
    check_choice("criterion", criterion, CLUSTER_CRITERIA)
    error = choice.gap_error if criterion == "gap" else None
    return plot_criterion(
        choice.n_clusters,
        getattr(choice, criterion),
        choice.chosen.get(criterion),
        name=criterion,
        error=error,
        ax=ax,
    )


def plot_criterion(
    n_clusters: ArrayLike,
    value: ArrayLike,
    selected: int | None,
    *,
    name: str = "mean silhouette",
    error: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the value of a criterion for every number of clusters, and the number selected."""
    ax = axes_or_new(ax)
    ax.errorbar(n_clusters, value, yerr=error, marker="o", capsize=3)
    if selected is not None:
        ax.axvline(selected, color="gray", linestyle=":", label=f"selected: {selected}")
        ax.legend()
    ax.set_xticks(n_clusters)
    ax.set(xlabel="number of clusters", ylabel=name, title="Selecting the number of clusters")
    return ax


def plot_cluster_regions(model: CenterModel, X: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw the Voronoi regions of the centers in the plane of two features, and the rows."""
    rows = np.asarray(X, dtype=np.float64)
    centers = model.cluster_centers_
    if rows.ndim != 2 or rows.shape[1] != 2 or centers.shape[1] != 2:
        raise ShapeError(f"X has shape {rows.shape}. Regions are drawn for two columns: give two.")
    from matplotlib.colors import ListedColormap

    ax = axes_or_new(ax)
    x, y, grid = plane_grid(np.concatenate([rows, centers]), 0.05, REGION_GRID_NODES)
    region = np.asarray(model.predict(grid)).reshape(REGION_GRID_NODES, REGION_GRID_NODES)
    cmap = ListedColormap(class_colors(len(centers)))
    style: dict[str, Any] = {"cmap": cmap, "vmin": -0.5, "vmax": len(centers) - 0.5}
    extent = (x[0], x[-1], y[0], y[-1])
    ax.imshow(region, origin="lower", extent=extent, aspect="auto", alpha=0.35, **style)
    ax.contour(x, y, region, levels=np.arange(len(centers)) + 0.5, colors="gray", linewidths=0.5)
    ax.scatter(rows[:, 0], rows[:, 1], s=12, c=np.asarray(model.predict(rows)), **style)
    ax.scatter(centers[:, 0], centers[:, 1], marker="X", s=60, color="black", edgecolor="white")
    ax.set(xlabel="x0", ylabel="x1", title="Cluster regions")
    return ax


def plot_center_images(
    model: CenterModel, shape: tuple[int, int], *, n_columns: int = 10, ax: Axes | None = None
) -> Axes:
    """Draw the cluster centers of image data as images, `n_columns` per line."""
    centers = model.cluster_centers_
    grid = image_grid(centers, shape, n_columns)
    ax = axes_or_new(ax, size=(0.7 * n_columns, 0.7 * -(-len(centers) // n_columns) + 0.4))
    ax.imshow(grid, cmap="gray_r")
    ax.set_axis_off()
    ax.set_title(f"{len(centers)} cluster centers")
    return ax
