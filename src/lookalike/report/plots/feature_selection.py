"""Pictures of columns: what each tells, what they tell together, and which tell the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from lookalike.models.feature_selection.redundancy import Redundancy
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.ranking import plot_ranking
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

T_TEN_GROUPS = 2.262  # 95 % of Student's t with nine degrees of freedom


def plot_univariate_scores(model: Any, *, most: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the size of the highest scores of a fitted filter, with 95 % intervals; kept ones dark.

    Parameters
    ----------
    model : SelectByFilter
        Fitted.
    most : int, default=20
        How many columns are drawn.
    ax : axes, optional
        Where to draw.
    """
    score = np.nan_to_num(np.abs(model.scores_), nan=0.0)
    finite = np.where(np.isinf(score), np.nanmax(np.where(np.isinf(score), 0.0, score)), score)
    reach = T_TEN_GROUPS * np.nan_to_num(model.standard_error_)
    ax = plot_ranking(
        _names(model), finite, low=np.maximum(finite - reach, 0.0), high=finite + reach, most=most,
        ax=ax,
    )  # fmt: skip
    order = np.argsort(-finite, kind="stable")[:most]
    for bar, column in zip(ax.patches, order, strict=True):
        bar.set_color("tab:blue" if model.support_[column] else "#c6dbef")
    kept = int(model.support_.sum())
    name = model.score_func if isinstance(model.score_func, str) else "score"
    ax.set(xlabel=name.replace("_", " "), title=f"What each column tells ({kept} kept)")
    return ax


def plot_selection_path(model: Any, *, most: int = 12, ax: Axes | None = None) -> Axes:
    """Draw the score of the best set of every size with one standard error, and what moved.

    Parameters
    ----------
    model : SelectByWrapper
        Fitted.
    most : int, default=12
        Steps up to which the columns are named.
    ax : axes, optional
        Where to draw.
    """
    ax = axes_or_new(ax, size=(8.0, 4.6))
    size = np.array([len(step.features) for step in model.path_])
    score = np.array([step.score for step in model.path_])
    error = np.array([step.standard_error for step in model.path_])
    ax.fill_between(size, score - error, score + error, color="tab:blue", alpha=0.15, lw=0)
    ax.plot(size, score, color="tab:blue", marker=".")
    kept, best = int(model.support_.sum()), int(score.argmax())
    limit = score[best] - error[best]
    ax.axhline(limit, color="0.6", lw=0.8, ls="--", label="a standard error below the best")
    ax.plot(kept, model.score_, "o", ms=10, mfc="none", color="tab:orange", label=f"{kept} kept")
    names, sign = _names(model), "-" if model.direction == "backward" else "+"
    told = [step for step in model.path_ if step.moved >= 0]
    for step in told[:most]:
        ax.annotate(
            f"{sign}{names[step.moved]}", (len(step.features), step.score),
            xytext=(2, -6), textcoords="offset points", rotation=-45, ha="left", va="top",
            fontsize="x-small",
        )  # fmt: skip
    ax.set(
        xlabel="columns in the set", ylabel="score, rows left out",
        title=f"The {model.direction} search, set after set",
    )  # fmt: skip
    ax.margins(y=0.25)
    ax.locator_params(axis="x", integer=True)
    ax.legend(fontsize="small", loc="lower right")
    return ax


def plot_redundancy(redundancy: Redundancy, *, ax: Axes | None = None) -> Axes:
    """Draw what every pair of columns shares, those that tell the same side by side.

    Parameters
    ----------
    redundancy : Redundancy
        What :func:`lookalike.feature_redundancy` returned.
    ax : axes, optional
        Where to draw.
    """
    side = 2.5 + 0.2 * len(redundancy.names)
    ax = axes_or_new(ax, size=(side + 1.0, side))
    shared = np.nan_to_num(redundancy.matrix)
    shared = (shared + shared.T) / 2
    order = _neighborly(shared)
    top = 1.0 if redundancy.measure == "pearson" else float(shared.max())
    image = ax.imshow(shared[np.ix_(order, order)], cmap="Blues", vmin=0.0, vmax=top)
    names = [str(redundancy.names[j]) for j in order]
    ax.set_xticks(np.arange(len(names)), names, rotation=90, fontsize="x-small")
    ax.set_yticks(np.arange(len(names)), names, fontsize="x-small")
    unit = "|correlation|" if redundancy.measure == "pearson" else "information, nats"
    ax.figure.colorbar(image, ax=ax, shrink=0.8, label=unit)
    ax.set_title("Which columns tell the same")
    return ax


def _neighborly(shared: AnyArray) -> AnyArray:
    """Return the columns in an order in which those that share most stand together."""
    if len(shared) < 3:
        return np.arange(len(shared))
    apart = shared.max() - shared
    np.fill_diagonal(apart, 0.0)
    tree = hierarchy.linkage(squareform(apart, checks=False), "average", optimal_ordering=True)
    return np.asarray(hierarchy.leaves_list(tree))


def _names(model: Any) -> list[str]:
    count = model.n_features_in_
    return [str(n) for n in getattr(model, "feature_names_in_", [f"x{j}" for j in range(count)])]
