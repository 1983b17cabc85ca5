"""Pictures of auto-associative networks: how training went, and what the codes are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.models.decomposition.autoencoder import AutoEncoder
from lookalike.models.estimator import as_rows
from lookalike.report.plots.axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_loss_curve(coder: AutoEncoder, *, ax: Axes | None = None) -> Axes:
    """Draw the loss as training went on, and the error of the rows set aside where some were."""
    ax = axes_or_new(ax)
    ax.plot(np.arange(1, len(coder.loss_curve_) + 1), coder.loss_curve_, label="loss")
    if coder.validation_errors_:
        number = np.arange(1, len(coder.validation_errors_) + 1)
        half = np.asarray(coder.validation_errors_) / 2  # as in the loss
        ax.plot(number, half, label="half the error of rows set aside")
        ax.legend()
    by_epochs = len(coder.loss_curve_) == coder.n_iter_
    ax.set(xlabel="round" if by_epochs else "evaluation", ylabel="loss", title="Training")
    ax.set_yscale("log")
    return ax


def plot_codes(coder: AutoEncoder, X: Any, *, color: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the codes of rows: two of them against each other, or one along the rows.

    Parameters
    ----------
    coder : AutoEncoder
        Fitted.
    X : table
        The rows.
    color : array of shape (n_rows,), optional
        A number a row, shown as its color.
    """
    ax = axes_or_new(ax)
    codes = as_rows(coder.transform(X))
    single = codes.shape[1] == 1
    x, y = (np.arange(len(codes)), codes[:, 0]) if single else codes[:, :2].T
    points = ax.scatter(x, y, c=color, s=14, cmap=None if color is None else "viridis")
    if color is not None:
        ax.figure.colorbar(points, ax=ax)
    ax.set(
        xlabel="row" if single else "code 0",
        ylabel="code 0" if single else "code 1",
        title="Codes of the rows",
    )
    return ax
