"""Plots of Gaussian mixtures: covariance ellipses, EM iterations, and the BIC."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from lookalike.errors import ShapeError
from lookalike.models.estimator import feature_names
from lookalike.models.mixture.covariance_types import COVARIANCE_TYPES
from lookalike.models.mixture.gaussian import GaussianMixture
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR, class_colors
from lookalike.studies.format import count
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWN_ITERATIONS = (0, 1, 2, 5, 20)  # of EM that are drawn


def plot_mixture(
    model: GaussianMixture,
    X: ArrayLike | None = None,
    *,
    columns: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """Draw each component as ellipses of one and two standard deviations, over the rows.

    Rows are colored by their responsibilities; the smaller the weight of a component, the fainter
    its ellipses.

    Parameters
    ----------
    model : GaussianMixture
        Fitted.
    X : table, optional
        Rows to draw.
    columns : pair of int
        The two features that are drawn.
    ax : axes, optional
        Where to draw.
    """
    if model.means_.shape[1] < 2:
        raise ShapeError(
            "Ellipses are drawn for two columns, the mixture has one. Fit two columns or more."
        )
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Ellipse

    ax = axes_or_new(ax, size=(5.0, 4.6))
    k = len(model.weights_)
    colors = np.array([to_rgb(color) for color in class_colors(k)])
    if X is not None:
        rows = np.asarray(X, dtype=np.float64)
        shade = np.clip(model.predict_proba(rows) @ colors, 0, 1)
        across, up = rows[:, list(columns)].T
        ax.scatter(across, up, s=12, c=shade, alpha=0.7, lw=0)
    for j, (mean, covariance) in enumerate(zip(model.means_, _matrices(model), strict=True)):
        values, vectors = np.linalg.eigh(covariance[np.ix_(columns, columns)])
        angle = float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))
        middle = (float(mean[columns[0]]), float(mean[columns[1]]))
        strength = float(0.25 + 0.75 * model.weights_[j] / model.weights_.max())
        for deviations in (1, 2):
            long, short = 2 * deviations * np.sqrt(values[::-1])
            ax.add_patch(
                Ellipse(
                    middle,
                    long,
                    short,
                    angle=angle,
                    fill=False,
                    lw=2 / deviations,
                    color=colors[j],
                    alpha=strength,
                )
            )
        ax.plot(*middle, marker="+", ms=9, color="black")
    ax.autoscale_view()
    names = feature_names(model)
    ax.set(xlabel=names[columns[0]], ylabel=names[columns[1]], title="Gaussian mixture components")
    return ax


def plot_em_iterations(
    model: GaussianMixture,
    X: ArrayLike,
    *,
    iterations: Sequence[int] = DRAWN_ITERATIONS,
    axes: Sequence[Axes] | None = None,
) -> Sequence[Axes]:
    """Draw the components after some iterations of EM, side by side [UGR].

    Parameters
    ----------
    model : GaussianMixture
        Its parameters set the initialization; the model itself is not changed.
    X : table of two columns
        The rows.
    iterations : sequence of int
        After which the components are drawn.
    axes : sequence of axes, optional
        As many as `iterations`.
    """
    if axes is None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(3.2 * len(iterations), 3.2), layout="constrained")
        axes = list(np.atleast_1d(figure.subplots(1, len(iterations), sharex=True, sharey=True)))
    for ax, number in zip(axes, iterations, strict=True):
        fitted = clone(model).set_params(max_iter=number, tol=0.0, warm_start=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            plot_mixture(fitted.fit(X), X, ax=ax)
        ax.set(title=f"{count(number, 'iteration')}\nmean log-likelihood {fitted.score(X):.3f}")
    return axes


def plot_bic(curve: Mapping[str, AnyArray], *, ax: Axes | None = None) -> Axes:
    """Draw the BIC, or the held-out likelihood, of every number of components; the best is marked.

    Parameters
    ----------
    curve : mapping
        `curve_` of a mixture whose number of components was chosen.
    ax : axes, optional
        Where to draw.
    """
    ax = axes_or_new(ax)
    count = curve["n_components"]
    if "bic" in curve:
        values, best, label = curve["bic"], int(curve["bic"].argmin()), "BIC (lower is better)"
    else:
        values, reach = curve["log_likelihood"], curve["standard_error"]
        best, label = int(values.argmax()), "held-out log-likelihood (higher is better)"
        ax.fill_between(count, values - reach, values + reach, alpha=0.15, lw=0)
    ax.plot(count, values, marker=".")
    ax.plot(count[best], values[best], marker="o", ms=10, mfc="none", color=FIRST_COLOR)
    ax.set(xlabel="number of components", ylabel=label)
    ax.set_title("Selecting the number of components")
    ax.locator_params(axis="x", integer=True)
    return ax


def _matrices(model: GaussianMixture) -> Array:
    shape = COVARIANCE_TYPES[model.covariance_type]
    each = shape.of_each(model.covariances_, *model.means_.shape)
    return np.stack([np.diag(variances) for variances in each]) if shape.diagonal else each
