"""Plot of the condensed tree of HDBSCAN: clusters as they shrink and part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.models.cluster.condensed_tree import CondensedTree
from lookalike.models.cluster.hdbscan import HDBSCAN
from lookalike.models.estimator import check_is_fitted
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import class_colors
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNCHOSEN_COLOR = "0.75"


def plot_condensed_tree(model: HDBSCAN, *, ax: Axes | None = None) -> Axes:
    """Draw each cluster from the density at which it is born down to that at which it ends.

    The wider an icicle, the more rows are in the cluster at that density; clusters that were
    chosen have a color and their label.

    Parameters
    ----------
    model : HDBSCAN
        A fitted one.
    ax : matplotlib Axes, optional
        Where to draw; None makes new axes.
    """
    check_is_fitted(model)
    tree, chosen = model.condensed_tree_, model.chosen_clusters_
    ax = axes_or_new(ax)
    center = _centers(tree)
    label = {int(cluster): number for number, cluster in enumerate(chosen)}
    highest, colors = _highest_finite(tree), class_colors(len(chosen))
    for cluster in range(len(tree.birth)):
        density, width = _widths(tree, cluster, highest)
        if not len(density):
            continue
        color = colors[label[cluster]] if cluster in label else UNCHOSEN_COLOR
        left, right = center[cluster] - width / 2, center[cluster] + width / 2
        ax.fill_betweenx(density, left, right, step="pre", color=color, linewidth=0)
        if cluster in label:
            ax.annotate(
                str(label[cluster]),
                (center[cluster], density[-1]),
                ha="center",
                va="top",
                fontsize=8,
            )
        above = tree.above[cluster]
        if above >= 0:
            ends = sorted((center[cluster], center[above]))
            ax.hlines(min(tree.birth[cluster], highest), *ends, color="0.4", linewidth=0.6)
    ax.invert_yaxis()
    ax.set_xticks([])
    ax.set(ylabel="density (1 / distance)", title="Clusters as they shrink and part")
    return ax


def _highest_finite(tree: CondensedTree) -> float:
    finite = tree.edges.density[np.isfinite(tree.edges.density)]
    return float(finite.max(initial=0.0)) * 1.05 or 1.0


def _widths(tree: CondensedTree, cluster: int, highest: float) -> tuple[Array, Array]:
    """Return densities, rising, and how much of the cluster is left at each."""
    own = tree.edges.parent == tree.n_rows + cluster
    density = np.minimum(tree.edges.density[own], highest)
    order = np.argsort(density, kind="stable")
    lost = np.cumsum(tree.edges.size[own][order])
    density = density[order]
    last = np.flatnonzero(np.append(density[1:] != density[:-1], True))
    left = tree.size[cluster] - np.concatenate([[0.0], lost[last[:-1]]])
    start = min(tree.birth[cluster], highest)
    return np.concatenate([[start], density[last]]), np.concatenate([left[:1], left])


def _centers(tree: CondensedTree) -> AnyArray:
    """Return where each cluster stands: leaves side by side, others above the middle of theirs."""
    count = len(tree.birth)
    children: list[list[int]] = [[] for _ in range(count)]
    for cluster in range(1, count):
        children[tree.above[cluster]].append(cluster)
    span = np.zeros(count)  # of each cluster, what it and all below it need
    for cluster in range(count - 1, -1, -1):
        span[cluster] = max(tree.size[cluster], sum(span[child] for child in children[cluster]))
    left, center = np.zeros(count), np.zeros(count)
    for cluster in range(count):
        center[cluster] = left[cluster] + span[cluster] / 2
        at = left[cluster]
        for child in children[cluster]:
            left[child] = at
            at += span[child]
    return center
