"""ROC and precision-recall curves of a classifier on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import class_colors
from lookalike.studies.evaluation_results import RocCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_CURVES_NAMED = 5  # curves that are named; of more those of the lowest area


def plot_roc_curves(curves: Sequence[RocCurve], *, ax: Axes | None = None) -> Axes:
    """Draw the true against the false positive rate, of several classes the five worst ones."""
    ax = axes_or_new(ax, size=(5.2, 4.6))
    for curve in worst_curves(curves):
        name = f"{curve.label}, " if len(curves) > 1 else ""
        ax.plot(
            curve.false_positive_rate,
            curve.true_positive_rate,
            color=_color(curve, curves),
            label=f"{name}AUC {curve.auc:.3f}",
        )
    ax.plot([0, 1], [0, 1], color="0.5", linestyle=":", label="chance")
    ax.set(xlabel="false positive rate", ylabel="true positive rate (recall)", title="ROC")
    return _square(ax)


def plot_precision_recall_curves(curves: Sequence[RocCurve], *, ax: Axes | None = None) -> Axes:
    """Draw the precision against the recall, of several classes the five worst ones."""
    ax = axes_or_new(ax, size=(5.2, 4.6))
    shown = worst_curves(curves)
    for curve in shown:
        name = f"{curve.label}, " if len(curves) > 1 else ""
        ax.step(
            curve.true_positive_rate,
            curve.precision,
            where="pre",
            color=_color(curve, curves),
            label=f"{name}average precision {curve.average_precision:.3f}",
        )
    if len(shown) == 1:
        share = shown[0].n_positive / (shown[0].n_positive + shown[0].n_negative)
        ax.axhline(share, color="0.5", linestyle=":", label="chance")
    ax.set(xlabel="recall", ylabel="precision", title="Precision and recall")
    return _square(ax)


def worst_curves(curves: Sequence[RocCurve]) -> list[RocCurve]:
    """Return at most five curves, those of the lowest area, the lowest first."""
    return sorted(curves, key=lambda curve: curve.auc)[:MAX_CURVES_NAMED]


def _color(curve: RocCurve, curves: Sequence[RocCurve]) -> str:
    """Return the color that the class has on maps; that of the first for a single curve."""
    colors = class_colors(len(curves))
    return colors[[one.label for one in curves].index(curve.label) % len(colors)]


def _square(ax: Axes) -> Axes:
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
    ax.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14))  # below
    return ax
