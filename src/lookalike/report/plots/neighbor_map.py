"""Plots of neighbor maps, with the measures of the map below each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.models.estimator import check_is_fitted
from lookalike.models.manifold.neighbor_map import NeighborMap
from lookalike.models.manifold.quality import MapQuality
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.scatter import plot_scatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAP_METHOD_TITLES = {"tsne": "t-SNE", "umap": "UMAP"}


def plot_neighbor_map(
    model: NeighborMap, y: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the rows where the map has them, with its measures in the caption.

    Parameters
    ----------
    model : NeighborMap
        Fitted.
    y : array, optional
        The class of every row, or numbers in float64, shown by color. `model.torn_` shows where
        the map tears neighbors apart.
    ax : matplotlib axes, optional
        Where to draw.
    """
    check_is_fitted(model)
    ax = axes_or_new(ax, size=(6.4, 5.4))
    points = model.embedding_
    order = np.arange(len(points))
    if y is not None and np.asarray(y).dtype.kind == "f":  # small numbers do not hide large ones
        order = np.argsort(np.asarray(y), kind="stable")
    plot_scatter(points[order], None if y is None else np.asarray(y)[order], ax=ax)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(
        title=f"Neighbor map ({MAP_METHOD_TITLES[model.method]}) of {len(points):,} rows",
        xlabel=_in_two_lines(quality_text(model.quality_)),
    )
    return ax


def quality_text(quality: MapQuality) -> str:
    """Return the measures of a map as a caption states them."""
    parts = [
        f"trustworthiness {quality.trustworthiness:.3f}",
        f"continuity {quality.continuity:.3f}",
        f"neighbor preservation {quality.neighbor_preservation:.0%}",
    ]
    if np.isnan(quality.trustworthiness):
        parts[0] = "trustworthiness not known"
    return f"{', '.join(parts)} ({quality.n_neighbors} neighbors of {quality.n_rows:,} rows)"


def _in_two_lines(text: str) -> str:
    return text.replace(", neighbor", ",\nneighbor")
