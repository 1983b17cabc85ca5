"""The section on the held-out error: scores, confusion matrix, and every class."""

from __future__ import annotations

from lookalike.report.page.confusion import confusion_matrix
from lookalike.report.page.data_figure import figure_kind
from lookalike.report.page.held_out_curves import curves
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.plots.confusion_matrix import MAX_COUNTED_CLASSES
from lookalike.studies.format import count, interval, percent, score
from lookalike.studies.results import HeldOutScores, MetricScore, Study
from lookalike.studies.task import TASKS_BY_NAME

CLASSES_LISTED = 40  # classes whose scores are listed


def held_out(study: Study) -> Html | None:
    """Return the scores on held-out rows, the confusion matrix, and the scores of each class."""
    scores = study.held_out
    if scores is None:
        return None
    parts = [_scores(study, scores), _other_splits(study, scores)]
    if figure_kind(study) != "confusion":  # else it is on the first screen
        parts.append(confusion_matrix(study, "confusion"))
    return join([*parts, _classes(scores), curves(study)])


def _scores(study: Study, scores: HeldOutScores) -> Html:
    task, metric = TASKS_BY_NAME[study.task], scores.metric
    main = MetricScore(metric, task.metric_title, scores.error, scores.interval, scores.baseline)
    lines = [
        [
            one.title,
            score(one.name, one.value),
            interval(one.name, one.interval),
            "–" if one.baseline is None else score(one.name, one.baseline),
        ]
        for one in scores.scores or (main,)
    ]
    note = (
        f"Measured on {count(scores.n_rows, 'held-out row')} ({study.shape.split}), each by a "
        "model that was neither fitted nor selected on it."
    )
    if scores.n_repeats > 1:
        note += f" Each row was held out {scores.n_repeats} times, and scores are means."
    if scores.interval_method:
        note += f" Interval of the {task.metric_title}: {scores.interval_method}."
    head = ["metric", "value", "95% CI", f"baseline ({task.baseline_title})"]
    return join([tag("p", note), table("Scores on held-out rows", head, lines)])


def _other_splits(study: Study, scores: HeldOutScores) -> Html | None:
    if not scores.other_splits:
        return None
    title = TASKS_BY_NAME[study.task].metric_title
    lines = [
        [
            other.description,
            score(scores.metric, other.error),
            interval(scores.metric, other.interval),
            count(other.n_rows),
            count(other.n_copies) if other.kind != "time" else "–",
        ]
        for other in scores.other_splits
    ]
    head = ["held-out rows", title, "95% CI", "rows", "identical to a training row"]
    note = (
        "The same model, where rows are held out otherwise. Identical rows on both sides, and rows "
        "next to each other in time, may make the error too small for new rows."
    )
    caption = f"Held-out {title} of other splits"
    return join([tag("h3", "Other splits"), tag("p", note), table(caption, head, lines)])


def _classes(scores: HeldOutScores) -> Html | None:
    if not scores.classes:
        return None
    lines = [
        [
            scores_of_class.label,
            *(
                "–" if value is None else percent(value)
                for value in (scores_of_class.precision, scores_of_class.recall)
            ),
            "–" if scores_of_class.f1 is None else f"{scores_of_class.f1:.3f}",
            count(scores_of_class.support),
            f"{scores_of_class.predicted:,.4g}"
            if scores_of_class.predicted % 1
            else count(scores_of_class.predicted),
        ]
        for scores_of_class in scores.classes[:CLASSES_LISTED]
    ]
    more = len(scores.classes) - len(lines)
    caption = "Scores of each class" + (f"; {more} more are in study.json" if more > 0 else "")
    head = ["class", "precision", "recall", "F1", "support", "predicted"]
    inside = table(caption, head, lines)
    if len(lines) <= MAX_COUNTED_CLASSES:
        return inside
    return tag("details", tag("summary", f"Scores of all {len(scores.classes)} classes"), inside)
