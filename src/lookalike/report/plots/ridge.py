"""Plots of linear models of images: their coefficients."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import ShapeError
from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator


def plot_coefficients(
    model: BaseEstimator, shape: tuple[int, int], *, ax: Axes | None = None
) -> Axes:
    """Draw the coefficients of a linear model with one output as an image.

    Bright red pixels raise the prediction, bright blue ones lower it [Barber, exercise 14.3].

    Parameters
    ----------
    model : fitted model with `coef_`
        For example :class:`lookalike.Ridge`.
    shape : (int, int)
        Height and width of the images.
    ax : Axes, optional
        Where to draw.
    """
    coef = np.asarray(model.coef_)
    if coef.ndim != 1 or coef.size != shape[0] * shape[1]:
        raise ShapeError(
            f"coef_ has shape {coef.shape}, images of {shape[0]} x {shape[1]} pixels "
            f"need {shape[0] * shape[1]}. Give the shape of the images, and a model of one output."
        )
    ax = axes_or_new(ax)
    largest = float(np.abs(coef).max()) or 1.0
    drawn = ax.imshow(coef.reshape(shape), cmap="RdBu_r", vmin=-largest, vmax=largest)
    ax.figure.colorbar(drawn, ax=ax, label="coefficient")
    ax.set(xticks=[], yticks=[], title="Coefficients")
    return ax
