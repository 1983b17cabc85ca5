"""Plots of PCA: spectrum, loadings, biplot, projections, and components of image data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.errors import ParameterError, ShapeError
from lookalike.models.decomposition.pca import PCA
from lookalike.models.estimator import feature_names
from lookalike.models.inputs import as_rows
from lookalike.report.plots.arrow_labels import label_arrows
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.images import image_grid
from lookalike.report.plots.palette import ALERT_COLOR, FIRST_COLOR, SECOND_COLOR
from lookalike.report.plots.scatter import scatter_classes
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

NAMED_ARROWS = 60  # features up to which each arrow has its name


def plot_scree(pca: PCA, *, ax: Axes | None = None) -> Axes:
    """Draw the variance of each principal component, and the cumulative explained variance."""
    return plot_spectrum(pca.spectrum_, _cumulative_ratio(pca), ax=ax)


def plot_spectrum(
    variance: AnyArray, cumulative_ratio: AnyArray, *, ax: Axes | None = None
) -> Axes:
    """Draw variances of principal components, and the ratio that the first ones explain together.

    Parameters
    ----------
    variance : array of shape (n_components,)
        Along each component.
    cumulative_ratio : array of shape (n_components,)
        Of the total variance, explained by the components up to each.
    ax : matplotlib axes, optional
        Where to draw.
    """
    ax = axes_or_new(ax)
    number = np.arange(1, len(variance) + 1)
    ax.plot(number, variance, marker=".", color=FIRST_COLOR)
    ax.set(xlabel="component", ylabel="variance", ylim=(0, None), title="Scree plot")
    ax.locator_params(axis="x", integer=True)
    cumulative = ax.twinx()
    cumulative.plot(number, cumulative_ratio, color=SECOND_COLOR)
    cumulative.set(ylabel="cumulative explained variance ratio", ylim=(0, 1.02))
    cumulative.yaxis.label.set_color(SECOND_COLOR)
    ax.yaxis.label.set_color(FIRST_COLOR)
    return ax


def plot_explained_variance(pca: PCA, *, ax: Axes | None = None) -> Axes:
    """Draw the cumulative explained variance ratio, and the number of components by each rule.

    A vertical line marks every number that a rule of `choices_` selects; the box names the rules.
    """
    ax = axes_or_new(ax)
    ratio = np.concatenate([[0.0], _cumulative_ratio(pca)])
    ax.plot(np.arange(len(ratio)), ratio, color=FIRST_COLOR)
    ax.plot(pca.n_components_, ratio[pca.n_components_], "o", color=FIRST_COLOR)
    rules: dict[int, list[str]] = {}
    for rule, number in pca.choices_.items():
        name = rule if rule[0].isalpha() else f"{float(rule):.0%}"
        rules.setdefault(int(number), []).append(name)
        ax.axvline(number, color="0.8", linewidth=0.8, zorder=0)
    if rules:
        listed = "\n".join(f"{number}: {', '.join(rules[number])}" for number in sorted(rules))
        box = {"facecolor": "white", "edgecolor": "0.8"}
        ax.text(0.97, 0.05, listed, transform=ax.transAxes, ha="right", fontsize=8, bbox=box)
    title = f"{pca.n_components_} components explain {ratio[pca.n_components_]:.1%} of the variance"
    ax.set(xlabel="number of components", ylim=(0, 1.02), title=title)
    ax.set(ylabel="cumulative explained variance ratio", xlim=(0, len(ratio) - 1))
    return ax


def plot_loadings(pca: PCA, component: int = 0, *, most: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the largest loadings of one component as bars, with the names of their features.

    Parameters
    ----------
    pca : PCA
        Fitted.
    component : int, default=0
        Which component.
    most : int, default=20
        How many of the largest loadings are drawn.
    ax : matplotlib axes, optional
        Where to draw.
    """
    loadings = _component(pca, component)
    order = np.argsort(-np.abs(loadings), kind="stable")[:most]
    ax = axes_or_new(ax, size=(6.0, 1.2 + 0.25 * len(order)))
    position = np.arange(len(order))[::-1]
    colors = np.where(loadings[order] < 0, SECOND_COLOR, FIRST_COLOR)
    ax.barh(position, loadings[order], color=colors)
    ax.set_yticks(position, [feature_names(pca)[j] for j in order])
    ax.axvline(0, color="0.3", linewidth=0.8)
    share = pca.explained_variance_ratio_[component]
    title = f"Component {component + 1}: {share:.1%} of the variance"
    if len(order) < len(loadings):
        title += f", {len(order)} largest of {len(loadings)}"
    ax.set(xlabel="loading", title=title)
    return ax


def plot_biplot(
    pca: PCA,
    X: ArrayLike,
    *,
    components: tuple[int, int] = (0, 1),
    y: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows by two of their scores, and features as arrows along their loadings.

    Arrows are as long as the loading times the standard deviation of the component, all scaled
    by one factor to the range of the rows.

    Parameters
    ----------
    pca : PCA
        Fitted.
    X : table
        The rows to draw.
    components : pair of int, default=(0, 1)
        Which components.
    y : array, optional
        The class of every row, shown by color.
    ax : matplotlib axes, optional
        Where to draw.
    """
    ax = axes_or_new(ax, size=(6.5, 5.5))
    loadings = np.stack([_component(pca, j) for j in components])
    scores = as_rows(pca.transform(X))[:, list(components)]
    if y is None:
        ax.scatter(scores[:, 0], scores[:, 1], s=10, alpha=0.6, color=FIRST_COLOR, linewidths=0)
    else:
        scatter_classes(ax, scores, np.asarray(y))
        ax.legend(loc="best", fontsize=8)
    arrows = loadings * np.sqrt(pca.explained_variance_[list(components)])[:, None]
    longest = np.linalg.norm(arrows, axis=0).max()
    arrows = arrows * (0.9 * np.abs(scores).max() / longest if longest > 0 else 1.0)
    for dx, dy in arrows.T:
        ax.annotate(
            "",
            (dx, dy),
            (0, 0),
            arrowprops={"arrowstyle": "->", "color": ALERT_COLOR, "alpha": 0.7},
        )
    if arrows.shape[1] <= NAMED_ARROWS:
        label_arrows(ax, arrows.T, feature_names(pca).tolist(), fontsize=8)
    shares = [f"component {j + 1} ({pca.explained_variance_ratio_[j]:.1%})" for j in components]
    ax.set(xlabel=shares[0], ylabel=shares[1], title="Biplot")
    ax.margins(0.1)
    return ax


def plot_projections(pca: PCA, X: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw rows of two columns and their reconstructions from the first component.

    As in [Barber, fig. 15.2] and [Bishop95, fig. 8.9]: lines join each row with its orthogonal
    projection; arrows are the eigenvectors, as long as the square roots of their eigenvalues.

    Parameters
    ----------
    pca : PCA
        Fitted on two columns.
    X : table
        The rows to draw.
    ax : matplotlib axes, optional
        Where to draw.
    """
    rows = as_rows(X).astype(np.float64)
    if rows.shape[1] != 2:
        raise ShapeError(f"X has {rows.shape[1]} columns. Projections are drawn for two: give two.")
    ax = axes_or_new(ax, size=(5.5, 5.0))
    mean, first = pca.mean_, _component(pca, 0)
    scores = (rows - mean) @ first
    projected = mean + scores[:, None] * first
    reach = 1.1 * np.abs(scores).max(initial=0.0)
    line = mean + np.array([[-reach], [reach]]) * first
    ax.plot(line[:, 0], line[:, 1], color="0.75", linewidth=1, zorder=0)
    for row, near in zip(rows, projected, strict=True):
        ax.plot(*zip(row, near, strict=True), color="0.6", linewidth=0.8, zorder=1)
    ax.plot(*rows.T, "o", mfc="none", color=ALERT_COLOR, ms=7, label="rows")
    ax.plot(*projected.T, ".", color="black", ms=6, label="reconstructions")
    for axis, variance in zip(pca.components_, pca.explained_variance_, strict=True):
        tip = mean + np.sqrt(variance) * axis
        arrow = {"arrowstyle": "->", "color": FIRST_COLOR, "lw": 2, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", tip, (mean[0], mean[1]), arrowprops=arrow)
    names = feature_names(pca)
    title = "Projection on the first principal component"
    ax.set(xlabel=names[0], ylabel=names[1], aspect="equal", title=title)
    ax.legend(fontsize="small")
    return ax


def plot_components(
    pca: PCA, shape: tuple[int, int], *, n_components: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw components of image data as images: blue below zero, red above.

    Parameters
    ----------
    pca : PCA
        Fitted on images, one per row.
    shape : (height, width)
        Of an image.
    n_components : int, optional
        How many components are drawn; up to 49 when None.
    ax : matplotlib axes, optional
        Where to draw.
    """
    n_drawn = min(pca.n_components_, 49) if n_components is None else n_components
    images = np.stack([_component(pca, j) for j in range(n_drawn)])
    n_columns = int(np.ceil(np.sqrt(n_drawn)))
    grid = image_grid(images / np.abs(images).max(axis=1, keepdims=True), shape, n_columns)
    ax = axes_or_new(ax, size=(6.0, 6.0 * grid.shape[0] / grid.shape[1] + 0.4))
    ax.imshow(grid, cmap=_with_white_gaps("RdBu_r"), vmin=-1, vmax=1)
    ax.set(xticks=[], yticks=[], title=f"First {n_drawn} principal components")
    return ax


def plot_reconstructions(
    pca: PCA,
    X: ArrayLike,
    shape: tuple[int, int],
    *,
    n_components: Sequence[int] = (100, 30, 5),
    ax: Axes | None = None,
) -> Axes:
    """Draw images above their reconstructions from fewer and fewer components.

    As in [Barber, fig. 15.3]: the fewer components, the more an image resembles the mean.

    Parameters
    ----------
    pca : PCA
        Fitted on images, with at least the largest number of `n_components`.
    X : table
        One image per row.
    shape : (height, width)
        Of an image.
    n_components : sequence of int, default=(100, 30, 5)
        Components of each line of reconstructions.
    ax : matplotlib axes, optional
        Where to draw.
    """
    images = as_rows(X).astype(np.float64)
    if max(n_components) > pca.n_components_:
        raise ParameterError(
            f"n_components={max(n_components)} exceeds the {pca.n_components_} of the model. "
            "Fit it with more components."
        )
    U = pca.components_.astype(np.float64)
    scores = (images - pca.mean_) @ U.T
    lines = [images, *(pca.mean_ + scores[:, :k] @ U[:k] for k in n_components)]
    grid = image_grid(np.concatenate(lines), shape, len(images))
    ax = axes_or_new(ax, size=(8.0, 8.0 * grid.shape[0] / grid.shape[1] + 0.4))
    low, high = images.min(), images.max()
    ax.imshow(grid, cmap=_with_white_gaps("gray"), vmin=low, vmax=high)
    height = shape[0] + 1
    ax.set_yticks(
        [height * i + shape[0] / 2 for i in range(len(lines))],
        ["original", *(f"{k} components" for k in n_components)],
    )
    ax.set(xticks=[], title="Reconstructions")
    ax.tick_params(length=0)
    return ax


def _cumulative_ratio(pca: PCA) -> Array:
    """Return the cumulative explained variance ratio of every number of components known."""
    ratio = pca.explained_variance_ratio_.sum()
    total = pca.explained_variance_.sum() / ratio if ratio > 0 else 1.0
    return np.asarray(np.cumsum(pca.spectrum_) / total)


def _component(pca: PCA, which: int) -> AnyArray:
    if not 0 <= which < pca.n_components_:
        raise ParameterError(
            f"component={which} is not among the {pca.n_components_} of the model, "
            "which count from 0."
        )
    return np.asarray(pca.components_[which])


def _with_white_gaps(name: str) -> Colormap:
    """Return a color map that draws NaN in white."""
    import matplotlib as mpl

    return mpl.colormaps[name].with_extremes(bad="white")
