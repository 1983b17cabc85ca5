"""Pictures of a linear score: its weights where the features are pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ShapeError
from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_coefficients(model: Any, shape: tuple[int, int], *, ax: Axes | None = None) -> Axes:
    """Draw the weights of a fitted linear model of one output as an image.

    Red pixels raise the score when they are bright, blue ones lower it [Barber, exercise 14.3].

    Parameters
    ----------
    model : fitted model with `coef_`
        Such as :class:`lookalike.LinearScore`.
    shape : (int, int)
        Rows and columns of the images.
    ax : Axes, optional
        Where to draw.
    """
    weights = np.asarray(model.coef_)
    if weights.ndim != 1 or weights.size != shape[0] * shape[1]:
        raise ShapeError(
            f"The weights have shape {weights.shape}, images of {shape[0]} x {shape[1]} pixels "
            f"need {shape[0] * shape[1]}. Give the shape of the images, and a model of one output."
        )
    ax = axes_or_new(ax)
    most = float(np.abs(weights).max()) or 1.0
    drawn = ax.imshow(weights.reshape(shape), cmap="RdBu_r", vmin=-most, vmax=most)
    ax.figure.colorbar(drawn, ax=ax, label="score a unit of brightness")
    ax.set(xticks=[], yticks=[], title="What raises the score, and what lowers it")
    return ax
