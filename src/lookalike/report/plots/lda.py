"""Plots of linear discriminants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.models.discriminant.lda import LinearDiscriminantAnalysis
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import class_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_discriminants(
    model: LinearDiscriminantAnalysis, X: ArrayLike, y: ArrayLike, *, ax: Axes | None = None
) -> Axes:
    """Draw the rows by their scores on the linear discriminants.

    Two discriminants give a scatter plot with the class means, one a histogram per class.
    """
    ax = axes_or_new(ax)
    scores, labels = np.asarray(model.transform(X)), np.asarray(y)
    centers = (model.means_ - model.xbar_) @ model.scalings_
    bins = np.linspace(scores[:, 0].min(), scores[:, 0].max(), 41).tolist()
    colors = class_colors(len(model.classes_))
    for number, label in enumerate(model.classes_):
        of_label, color = labels == label, colors[number]
        if scores.shape[1] == 1:
            ax.hist(scores[of_label, 0], bins, color=color, alpha=0.6, label=str(label))
        else:
            across, up = scores[of_label, :2].T
            ax.scatter(across, up, s=14, color=color, alpha=0.7, label=str(label))
            across, up = centers[number, :2]
            ax.scatter(across, up, s=90, color=color, marker="X", edgecolor="black")
    share = model.explained_variance_ratio_
    ax.set(
        xlabel=f"discriminant 1 ({share[0]:.0%} of the between-class variance)",
        ylabel="rows" if scores.shape[1] == 1 else f"discriminant 2 ({share[1]:.0%})",
        title="Linear discriminants",
    )
    ax.legend(title="class", fontsize="small")
    return ax
