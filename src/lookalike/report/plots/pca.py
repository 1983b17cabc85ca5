"""Pictures of principal components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ParameterError, ShapeError
from lookalike.models.decomposition.pca import PCA
from lookalike.models.estimator import as_rows
from lookalike.report.plots.axes import axes_or_new
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED_POINTS = 60  # columns up to which each has its name at an arrow or a bar


def plot_scree(pca: PCA, *, ax: Axes | None = None) -> Axes:
    """Draw the variance of the rows along each direction, and how much the first ones explain."""
    ax = axes_or_new(ax)
    number = np.arange(1, len(pca.spectrum_) + 1)
    ax.plot(number, pca.spectrum_, marker=".", color="tab:blue")
    ax.set(xlabel="direction", ylabel="variance", ylim=(0, None), title="Scree plot")
    explained = ax.twinx()
    explained.plot(number, _explained(pca), color="tab:orange")
    explained.set(ylabel="variance explained by the first", ylim=(0, 1.02))
    explained.yaxis.label.set_color("tab:orange")
    ax.yaxis.label.set_color("tab:blue")
    return ax


def plot_explained_variance(pca: PCA, *, ax: Axes | None = None) -> Axes:
    """Draw the fraction of variance that the first k directions explain, and what rules keep.

    A line stands at every number that a rule of `choices_` would keep, and the box names them.
    """
    ax = axes_or_new(ax)
    share = np.concatenate([[0.0], _explained(pca)])
    ax.plot(np.arange(len(share)), share, color="tab:blue")
    ax.plot(pca.n_components_, share[pca.n_components_], "o", color="tab:blue")
    places: dict[int, list[str]] = {}
    for rule, kept in pca.choices_.items():
        name = rule if rule[0].isalpha() else f"{float(rule):.0%}"
        places.setdefault(kept, []).append(name)
        ax.axvline(kept, color="0.8", linewidth=0.8, zorder=0)
    if places:
        listed = "\n".join(f"{kept}: {', '.join(places[kept])}" for kept in sorted(places))
        box = {"facecolor": "white", "edgecolor": "0.8"}
        ax.text(0.97, 0.05, listed, transform=ax.transAxes, ha="right", fontsize=8, bbox=box)
    title = f"{pca.n_components_} components explain {share[pca.n_components_]:.1%}"
    ax.set(xlabel="components", ylabel="variance explained", ylim=(0, 1.02), title=title)
    ax.set_xlim(0, len(share) - 1)
    return ax


def plot_loadings(pca: PCA, component: int = 0, *, most: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the largest entries of one direction as bars, with the names of their columns.

    Parameters
    ----------
    pca : PCA
        Fitted.
    component : int, default=0
        Which direction.
    most : int, default=20
        How many of the largest entries are drawn.
    ax : matplotlib axes, optional
        Where to draw.
    """
    loadings = _component(pca, component)
    order = np.argsort(-np.abs(loadings), kind="stable")[:most]
    ax = axes_or_new(ax, size=(6.0, 1.2 + 0.25 * len(order)))
    place = np.arange(len(order))[::-1]
    colors = np.where(loadings[order] < 0, "tab:orange", "tab:blue")
    ax.barh(place, loadings[order], color=colors)
    ax.set_yticks(place, [_names(pca)[j] for j in order])
    ax.axvline(0, color="0.3", linewidth=0.8)
    share = pca.explained_variance_ratio_[component]
    title = f"Component {component + 1}: {share:.1%} of the variance"
    if len(order) < len(loadings):
        title += f", {len(order)} largest of {len(loadings)}"
    ax.set(xlabel="loading", title=title)
    return ax


def plot_biplot(
    pca: PCA, X: Any, *, components: tuple[int, int] = (0, 1), y: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw rows by two of their scores, and columns as arrows along their loadings.

    Arrows are as long as the loading times the deviation along the direction, all enlarged
    alike to be seen beside the rows.

    Parameters
    ----------
    pca : PCA
        Fitted.
    X : table
        The rows to draw.
    components : pair of int, default=(0, 1)
        Which directions.
    y : array, optional
        A class for every row, shown by color.
    ax : matplotlib axes, optional
        Where to draw.
    """
    ax = axes_or_new(ax, size=(6.5, 5.5))
    loadings = np.stack([_component(pca, j) for j in components])
    scores = as_rows(pca.transform(X))[:, list(components)]
    if y is None:
        ax.scatter(scores[:, 0], scores[:, 1], s=10, alpha=0.6, color="tab:blue", linewidths=0)
    else:
        labels = np.asarray(y)
        for label in np.unique(labels):
            here = scores[labels == label]
            ax.scatter(here[:, 0], here[:, 1], s=10, alpha=0.6, linewidths=0, label=str(label))
        ax.legend(loc="best", fontsize=8)
    arrows = loadings * np.sqrt(pca.explained_variance_[list(components)])[:, None]
    longest = np.linalg.norm(arrows, axis=0).max()
    arrows = arrows * (0.9 * np.abs(scores).max() / longest if longest > 0 else 1.0)
    for j, (dx, dy) in enumerate(arrows.T):
        ax.annotate("", (dx, dy), (0, 0), arrowprops={"arrowstyle": "->", "color": "tab:red"})
        if arrows.shape[1] <= NAMED_POINTS:
            side = "center" if abs(dx) < abs(dy) / 2 else "left" if dx > 0 else "right"
            ax.annotate(_names(pca)[j], (dx, dy), color="tab:red", fontsize=8, ha=side,
                        va="bottom" if dy >= 0 else "top")  # fmt: skip
    shares = [f"component {j + 1} ({pca.explained_variance_ratio_[j]:.1%})" for j in components]
    ax.set(xlabel=shares[0], ylabel=shares[1], title="Rows and columns")
    ax.margins(0.1)
    return ax


def plot_components(
    pca: PCA, shape: tuple[int, int], *, n_components: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw directions of image data as pictures: blue below zero, red above.

    Parameters
    ----------
    pca : PCA
        Fitted on images, a picture a row.
    shape : (height, width)
        Of a picture.
    n_components : int, optional
        How many directions are drawn; up to 49 when None.
    ax : matplotlib axes, optional
        Where to draw.
    """
    n_drawn = min(pca.n_components_, 49) if n_components is None else n_components
    pictures = np.stack([_component(pca, j) for j in range(n_drawn)])
    across = int(np.ceil(np.sqrt(n_drawn)))
    sheet = _sheet(pictures / np.abs(pictures).max(axis=1, keepdims=True), shape, across)
    ax = axes_or_new(ax, size=(6.0, 6.0 * sheet.shape[0] / sheet.shape[1] + 0.4))
    ax.imshow(sheet, cmap=_with_gaps("RdBu_r"), vmin=-1, vmax=1)
    ax.set(xticks=[], yticks=[], title=f"The first {n_drawn} components")
    return ax


def plot_reconstructions(
    pca: PCA,
    X: Any,
    shape: tuple[int, int],
    *,
    n_components: Sequence[int] = (100, 30, 5),
    ax: Axes | None = None,
) -> Axes:
    """Draw pictures above what is left of them when only so many components are kept.

    As in [Barber, fig. 15.3]: the fewer components, the more a picture resembles the mean.

    Parameters
    ----------
    pca : PCA
        Fitted on images, with as many components as the largest number asked for.
    X : table
        A picture a row.
    shape : (height, width)
        Of a picture.
    n_components : sequence of int, default=(100, 30, 5)
        How many are kept in each strip.
    ax : matplotlib axes, optional
        Where to draw.
    """
    pictures = as_rows(X).astype(np.float64)
    if max(n_components) > pca.n_components_:
        raise ParameterError(
            f"n_components={max(n_components)} are asked for, the model has {pca.n_components_}. "
            "Fit it with more."
        )
    U = pca.components_.astype(np.float64)
    along = (pictures - pca.mean_) @ U.T
    strips = [pictures, *(pca.mean_ + along[:, :k] @ U[:k] for k in n_components)]
    sheet = _sheet(np.concatenate(strips), shape, len(pictures))
    ax = axes_or_new(ax, size=(8.0, 8.0 * sheet.shape[0] / sheet.shape[1] + 0.4))
    least, largest = pictures.min(), pictures.max()
    ax.imshow(sheet, cmap=_with_gaps("gray"), vmin=least, vmax=largest)
    height = shape[0] + 1
    ax.set_yticks(
        [height * i + shape[0] / 2 for i in range(len(strips))],
        ["original", *(f"{k} components" for k in n_components)],
    )
    ax.set(xticks=[], title="Reconstructions")
    ax.tick_params(length=0)
    return ax


def _explained(pca: PCA) -> Array:
    """Return the fraction of variance that the first directions explain, for every number known."""
    kept = pca.explained_variance_ratio_.sum()
    total = pca.explained_variance_.sum() / kept if kept > 0 else 1.0
    return np.asarray(np.cumsum(pca.spectrum_) / total)


def _component(pca: PCA, which: int) -> AnyArray:
    if not 0 <= which < pca.n_components_:
        raise ParameterError(
            f"component={which} is not among the {pca.n_components_} of the model, "
            "which count from 0."
        )
    return np.asarray(pca.components_[which])


def _names(pca: PCA) -> list[str]:
    names = getattr(pca, "feature_names_in_", None)
    return (
        [f"x{j}" for j in range(pca.n_features_in_)] if names is None else [str(n) for n in names]
    )


def _sheet(pictures: AnyArray, shape: tuple[int, int], across: int) -> Array:
    """Return pictures side by side, `across` in a line, with NaN between and beyond them."""
    height, width = shape
    if height * width != pictures.shape[1]:
        raise ShapeError(
            f"shape={shape} has {height * width} pixels, a row {pictures.shape[1]}. "
            "Give the height and width of a picture."
        )
    lines = -(-len(pictures) // across)
    sheet = np.full((lines * (height + 1) - 1, across * (width + 1) - 1), np.nan)
    for number, picture in enumerate(pictures):
        top, left = number // across * (height + 1), number % across * (width + 1)
        sheet[top : top + height, left : left + width] = picture.reshape(shape)
    return sheet


def _with_gaps(name: str) -> Any:
    """Return a color map that leaves gaps white."""
    import matplotlib as mpl

    return mpl.colormaps[name].with_extremes(bad="white")
