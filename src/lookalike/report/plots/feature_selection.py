"""Plots of feature selection: univariate scores, the search path, and redundancy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from lookalike.models.estimator import feature_names
from lookalike.models.feature_selection.filter import SelectByFilter
from lookalike.models.feature_selection.redundancy import Redundancy
from lookalike.models.feature_selection.wrapper import SelectByWrapper
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR, SECOND_COLOR
from lookalike.report.plots.ranking import plot_ranking
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCORE_TITLES = {"f": "F statistic", "f_classif": "F statistic", "f_regression": "F statistic"}
T_TEN_GROUPS = 2.262  # 95% quantile of Student's t with nine degrees of freedom


def plot_univariate_scores(
    model: SelectByFilter, *, most: int = 20, ax: Axes | None = None
) -> Axes:
    """Draw the highest univariate scores of a filter with 95% CIs; selected features are dark.

    Parameters
    ----------
    model : SelectByFilter
        Fitted.
    most : int, default=20
        How many features are drawn.
    ax : axes, optional
        Where to draw.
    """
    score = np.nan_to_num(np.abs(model.scores_), nan=0.0)
    finite = np.where(np.isinf(score), np.nanmax(np.where(np.isinf(score), 0.0, score)), score)
    half_width = T_TEN_GROUPS * np.nan_to_num(model.standard_error_)
    ax = plot_ranking(
        feature_names(model).tolist(),
        finite,
        low=np.maximum(finite - half_width, 0.0),
        high=finite + half_width,
        most=most,
        ax=ax,
    )
    order = np.argsort(-finite, kind="stable")[:most]
    for bar, column in zip(ax.patches, order, strict=True):
        bar.set_color(FIRST_COLOR if model.support_[column] else "#c6dbef")
    n_selected = int(model.support_.sum())
    name = model.score_func if isinstance(model.score_func, str) else "score"
    title = SCORE_TITLES.get(name, name.replace("_", " "))
    ax.set(
        xlabel=title,
        title=f"Univariate scores ({n_selected} selected)",
    )
    return ax


def plot_selection_path(model: SelectByWrapper, *, most: int = 40, ax: Axes | None = None) -> Axes:
    """Draw the score of the best subset of every size, with one standard error.

    Each step is labeled with the feature that was added or removed.

    Parameters
    ----------
    model : SelectByWrapper
        Fitted.
    most : int, default=40
        Steps up to which each is named, at its place on the axis.
    ax : axes, optional
        Where to draw.
    """
    ax = axes_or_new(ax, size=(8.0, 4.6))
    size = np.array([len(step.features) for step in model.path_])
    score = np.array([step.score for step in model.path_])
    error = np.array([step.standard_error for step in model.path_])
    ax.fill_between(size, score - error, score + error, color=FIRST_COLOR, alpha=0.15, lw=0)
    ax.plot(size, score, color=FIRST_COLOR, marker=".")
    n_selected, best = int(model.support_.sum()), int(score.argmax())
    limit = score[best] - error[best]
    ax.axhline(limit, color="0.6", lw=0.8, ls="--", label="best minus one standard error")
    ax.plot(
        n_selected, model.score_, "o", ms=10, mfc="none", color=SECOND_COLOR,
        label=f"{n_selected} selected",
    )  # fmt: skip
    names, sign = feature_names(model), "-" if model.direction == "backward" else "+"
    ax.set(
        xlabel="features in the subset", ylabel="validation score",
        title=f"{model.direction.capitalize()} selection path",
    )  # fmt: skip
    if len(model.path_) <= most:
        steps = [f"{sign}{names[step.moved]}  " if step.moved >= 0 else "" for step in model.path_]
        labels = [f"{step}{n}" for step, n in zip(steps, size, strict=True)]
        ax.set_xticks(size, labels, rotation=90, fontsize="x-small")
    else:
        ax.locator_params(axis="x", integer=True)
    ax.legend(fontsize="small", loc="lower right")
    return ax


def plot_redundancy(redundancy: Redundancy, *, ax: Axes | None = None) -> Axes:
    """Draw the redundancy of every pair of features, redundant ones side by side.

    Parameters
    ----------
    redundancy : Redundancy
        The result of :func:`lookalike.feature_selection.feature_redundancy`.
    ax : axes, optional
        Where to draw.
    """
    side = 2.5 + 0.2 * len(redundancy.names)
    ax = axes_or_new(ax, size=(side + 1.0, side))
    shared = np.nan_to_num(redundancy.matrix)
    shared = (shared + shared.T) / 2
    order = _leaf_order(shared)
    top = 1.0 if redundancy.measure == "pearson" else float(shared.max())
    image = ax.imshow(shared[np.ix_(order, order)], cmap="Blues", vmin=0.0, vmax=top)
    names = [str(redundancy.names[j]) for j in order]
    ax.set_xticks(np.arange(len(names)), names, rotation=90, fontsize="x-small")
    ax.set_yticks(np.arange(len(names)), names, fontsize="x-small")
    unit = "|correlation|" if redundancy.measure == "pearson" else "mutual information (nats)"
    ax.figure.colorbar(image, ax=ax, shrink=0.8, label=unit)
    ax.set_title("Redundancy of the features")
    return ax


def _leaf_order(shared: AnyArray) -> AnyArray:
    """Return the features in the leaf order of average-linkage clustering."""
    if len(shared) < 3:
        return np.arange(len(shared))
    distance = shared.max() - shared
    np.fill_diagonal(distance, 0.0)
    tree = hierarchy.linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
    return np.asarray(hierarchy.leaves_list(tree))
