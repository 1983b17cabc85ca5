"""The confusion matrix of held-out rows as a figure of a page."""

from __future__ import annotations

import numpy as np

from lookalike.report.page.html import Html
from lookalike.report.page.svg import figure
from lookalike.report.plots.confusion_matrix import MAX_COUNTED_CLASSES, plot_confusion_matrix
from lookalike.studies.results import Study

MAX_ERRORS_NAMED = 3
SMALL_MATRIX = 4  # classes up to which a small figure has room for all figures


def confusion_matrix(study: Study, name: str) -> Html | None:
    """Return the share of each true class that was predicted as each class, with counts.

    Of repeated cross-validation counts are means, so that they add up to the rows.
    """
    scores = study.held_out
    if scores is None or not scores.confusion_matrix or len(scores.labels) < 2:
        return None
    labels = scores.labels
    target = "class" if study.target is None else study.target.name
    target = "class" if target == "target" else target
    matrix = np.array(scores.confusion_matrix, np.float64) / scores.n_repeats
    errors = [
        (matrix[i][j], labels[i], labels[j])
        for i in range(len(labels))
        for j in range(len(labels))
        if i != j and matrix[i][j] >= 0.5
    ]
    worst = sorted(errors, key=lambda entry: -entry[0])[:MAX_ERRORS_NAMED]
    listed = "; ".join(f"{true} predicted as {pred} ({times:,.0f}×)" for times, true, pred in worst)
    counted = f", mean of {scores.n_repeats} repeats" if scores.n_repeats > 1 else ""
    caption = "Confusion matrix: percent of each true class"
    caption += f", and rows{counted}. " if len(labels) <= MAX_COUNTED_CLASSES else ". "
    caption += f"Most frequent errors: {listed or 'none'}."
    return figure(
        lambda ax: plot_confusion_matrix(matrix, labels, target=target, ax=ax),
        name=name,
        alt=caption,
        caption=caption,
        size=_size(len(labels)),
    )


def _size(n_classes: int) -> tuple[float, float]:
    if n_classes <= SMALL_MATRIX:
        return 4.8, 3.9
    return (6.4, 5.6) if n_classes <= MAX_COUNTED_CLASSES else (6.4, 6.0)
