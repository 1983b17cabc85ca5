"""Pictures of principal components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.models.pca import PCA
from lookalike.report.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_scree(pca: PCA, *, ax: Axes | None = None) -> Axes:
    """Draw the variance of the rows along each direction, and how much the first ones explain."""
    ax = axes_or_new(ax)
    number = np.arange(1, len(pca.spectrum_) + 1)
    ax.plot(number, pca.spectrum_, marker=".", color="tab:blue")
    ax.set(xlabel="direction", ylabel="variance", ylim=(0, None), title="Scree plot")
    explained = ax.twinx()
    share = np.cumsum(pca.spectrum_) / max(pca.spectrum_.sum(), np.finfo(float).tiny)
    explained.plot(number, share, color="tab:orange")
    explained.set(ylabel="variance explained by the first", ylim=(0, 1.02))
    explained.yaxis.label.set_color("tab:orange")
    ax.yaxis.label.set_color("tab:blue")
    return ax
