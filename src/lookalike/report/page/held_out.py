"""The section on the held-out error: scores, confusion matrix, and every class."""

from __future__ import annotations

from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.confusion_matrix import COUNTED, plot_confusion_matrix
from lookalike.studies.format import count, interval, number, percent, score
from lookalike.studies.results import HeldOutScores, Study
from lookalike.studies.task import TASKS

LISTED = 40  # classes whose scores are listed


def held_out(study: Study) -> Html | None:
    """Return the scores on held-out rows, the confusion matrix, and the scores of each class."""
    scores = study.held_out
    if scores is None:
        return None
    return join([_scores(study, scores), _confusion_matrix(scores), _classes(scores)])


def _scores(study: Study, scores: HeldOutScores) -> Html:
    task, metric = TASKS[study.task], scores.metric
    lines = [
        [task.metric_title, score(metric, scores.error), interval(metric, scores.interval)],
        [
            f"baseline ({task.baseline_title})",
            score(metric, scores.baseline),
            interval(metric, scores.baseline_interval),
        ],
    ]
    if scores.r2 is not None and scores.r2_interval is not None:
        low, high = scores.r2_interval
        lines.append(["R²", f"{scores.r2:.3f}", f"{low:.3f} to {high:.3f}"])
    if scores.mae is not None:
        lines.append(["MAE", number(scores.mae), ""])
    note = (
        f"Measured on {count(scores.n_rows, 'held-out row')} ({study.shape.split}), which were not "
        "used in fitting or in any selection."
    )
    head = ["metric", "value", "95% CI"]
    return join([tag("p", note), table("Scores on held-out rows", head, lines)])


def _confusion_matrix(scores: HeldOutScores) -> Html | None:
    matrix, labels = scores.confusion_matrix, scores.labels
    if not matrix or len(labels) < 2:
        return None
    errors = [
        (matrix[i][j], labels[i], labels[j])
        for i in range(len(labels))
        for j in range(len(labels))
        if i != j and matrix[i][j]
    ]
    worst = sorted(errors, key=lambda entry: -entry[0])[:3]
    named = "; ".join(f"{true} predicted as {pred} ({times}×)" for times, true, pred in worst)
    caption = f"Confusion matrix. Most frequent errors: {named or 'none'}."
    return figure(
        lambda ax: plot_confusion_matrix(matrix, labels, ax=ax),
        name="confusion",
        alt=caption,
        caption=caption,
        size=(6.4, 5.2) if len(labels) <= COUNTED else (6.4, 6.2),
    )


def _classes(scores: HeldOutScores) -> Html | None:
    if not scores.classes:
        return None
    lines = [
        [
            one.label,
            *("–" if value is None else percent(value) for value in (one.precision, one.recall)),
            "–" if one.f1 is None else f"{one.f1:.3f}",
            count(one.support),
            count(one.predicted),
        ]
        for one in scores.classes[:LISTED]
    ]
    more = len(scores.classes) - len(lines)
    caption = "Scores of each class" + (f"; {more} more are in study.json" if more > 0 else "")
    head = ["class", "precision", "recall", "F1", "support", "predicted"]
    inside = table(caption, head, lines)
    if len(lines) <= COUNTED:
        return inside
    return tag("details", tag("summary", f"Scores of all {len(scores.classes)} classes"), inside)
