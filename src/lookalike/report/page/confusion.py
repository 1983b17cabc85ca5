"""The confusion matrix of held-out rows as a figure of a page."""

from __future__ import annotations

from lookalike.report.page.html import Html
from lookalike.report.page.svg import figure
from lookalike.report.plots.confusion_matrix import MAX_COUNTED_CLASSES, plot_confusion_matrix
from lookalike.studies.results import HeldOutScores

MAX_ERRORS_NAMED = 3
SMALL_MATRIX = 4  # classes up to which a small figure has room for all figures


def confusion_matrix(scores: HeldOutScores, name: str) -> Html | None:
    """Return the share of each true class that was predicted as each class, with counts."""
    matrix, labels = scores.confusion_matrix, scores.labels
    if not matrix or len(labels) < 2:
        return None
    errors = [
        (matrix[i][j], labels[i], labels[j])
        for i in range(len(labels))
        for j in range(len(labels))
        if i != j and matrix[i][j]
    ]
    worst = sorted(errors, key=lambda entry: -entry[0])[:MAX_ERRORS_NAMED]
    named = "; ".join(f"{true} predicted as {pred} ({times:,}×)" for times, true, pred in worst)
    times = f" over {scores.n_repeats} repeats" if scores.n_repeats > 1 else ""
    caption = f"Confusion matrix{times}: percent of each true class"
    caption += ", and rows. " if len(labels) <= MAX_COUNTED_CLASSES else ". "
    caption += f"Most frequent errors: {named or 'none'}."
    return figure(
        lambda ax: plot_confusion_matrix(matrix, labels, ax=ax),
        name=name,
        alt=caption,
        caption=caption,
        size=_size(len(labels)),
    )


def _size(n_classes: int) -> tuple[float, float]:
    if n_classes <= SMALL_MATRIX:
        return 4.8, 3.9
    return (6.4, 5.6) if n_classes <= MAX_COUNTED_CLASSES else (6.4, 6.0)
