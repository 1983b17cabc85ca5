"""Plots of the evidence for one prediction: its neighbors and their features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import ParameterError
from lookalike.explain.prediction.explanation import Explanation
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR, class_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_evidence(evidence: Explanation, *, ax: Axes | None = None) -> Axes:
    """Draw the neighbors by distance and class; crosses mark rows whose removal flips the vote."""
    if evidence.classes is None or evidence.votes is None:
        raise ParameterError("A predicted number has no votes. Explain a predicted class.")
    ax = axes_or_new(ax)
    position = np.arange(len(evidence.rows))
    colors = class_colors(len(evidence.classes))
    for number, label in enumerate(evidence.classes):
        of_label = evidence.targets == label
        if of_label.any():
            votes = evidence.votes[number] / evidence.votes.sum()
            ax.barh(
                position[of_label],
                evidence.distances[of_label],
                color=colors[number],
                label=f"{label}: {votes:.0%} of the votes",
            )
    removed = set() if evidence.flip_rows is None else set(evidence.flip_rows.tolist())
    marked = [i for i, row in enumerate(evidence.rows) if int(row) in removed]
    if marked:
        label = f"without the rows marked: {evidence.flip_label}"
        ax.plot(evidence.distances[marked], marked, "x", color="black", label=label)
    if evidence.other_distance is not None:
        ax.axvline(
            evidence.other_distance,
            color="0.3",
            linestyle="--",
            label=f"nearest of another class: row {evidence.other_row} ({evidence.other_label})",
        )
    ax.set_yticks(position, [f"row {row}" for row in evidence.rows])
    ax.invert_yaxis()
    ax.set(
        xlabel="distance", title=f"Prediction {evidence.prediction}, margin {evidence.margin:.2g}"
    )
    ax.legend(loc="upper left", bbox_to_anchor=(0.0, -0.15), fontsize="small")
    return ax


def plot_feature_contributions(
    evidence: Explanation, *, n_features: int = 12, ax: Axes | None = None
) -> Axes:
    """Draw the features that contribute most to the distances to the neighbors."""
    if evidence.feature_shares is None:
        raise ParameterError("The metric is not a sum over features. Draw plot_evidence.")
    ax = axes_or_new(ax)
    most = evidence.features()[:n_features]
    ax.barh(range(len(most)), [share for _, share in most], color=FIRST_COLOR)
    ax.set_yticks(range(len(most)), [name for name, _ in most])
    ax.invert_yaxis()
    ax.set(xlabel="mean share of the distance", title="Feature contributions to the distances")
    return ax
