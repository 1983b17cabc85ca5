"""Plots of autoencoders: the training loss and the codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.models.decomposition.autoencoder import AutoEncoder
from lookalike.models.inputs import as_rows
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import number_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_loss_curve(model: AutoEncoder, *, ax: Axes | None = None) -> Axes:
    """Draw the training loss, and the validation error where rows were set aside."""
    ax = axes_or_new(ax)
    ax.plot(np.arange(1, len(model.loss_curve_) + 1), model.loss_curve_, label="training loss")
    if model.validation_errors_:
        epoch = np.arange(1, len(model.validation_errors_) + 1)
        half_error = np.asarray(model.validation_errors_) / 2  # the loss is half the squared error
        ax.plot(epoch, half_error, label="validation error / 2")
        ax.legend()
    per_epoch = len(model.loss_curve_) == model.n_iter_
    ax.set(xlabel="epoch" if per_epoch else "evaluation", ylabel="loss", title="Training loss")
    ax.set_yscale("log")
    return ax


def plot_codes(
    model: AutoEncoder, X: ArrayLike, *, color: ArrayLike | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the codes of the rows: the first two against each other, or one against the row number.

    Parameters
    ----------
    model : AutoEncoder
        Fitted.
    X : table
        The rows.
    color : array of shape (n_rows,), optional
        One number per row, shown as its color.
    """
    ax = axes_or_new(ax)
    codes = as_rows(model.transform(X))
    one_code = codes.shape[1] == 1
    x, y = (np.arange(len(codes)), codes[:, 0]) if one_code else codes[:, :2].T
    points = ax.scatter(x, y, c=color, s=14, cmap=None if color is None else number_colors())
    if color is not None:
        ax.figure.colorbar(points, ax=ax)
    ax.set(
        xlabel="row" if one_code else "code 1",
        ylabel="code 1" if one_code else "code 2",
        title="Autoencoder codes",
    )
    return ax
