"""The part of a page on how well the winner answers rows that took no part in any choice."""

from __future__ import annotations

from lookalike.report.page.format import between, count, percent
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.confusion_matrix import COUNTED, plot_confusion_matrix
from lookalike.studies.results import HeldOutScores, Study
from lookalike.studies.summary import amount

LISTED = 40  # classes whose scores are listed


def estimate(study: Study) -> Html | None:
    """Return the honest estimate: the measure, each class, which was taken for which."""
    found = study.held_out
    if found is None:
        return None
    return join([_told(study, found), _confusion(found), _classes(found)])


def _told(study: Study, found: HeldOutScores) -> Html:
    name = {"error": "wrong answers", "rmse": "root mean squared error"}[found.metric]
    rows = [
        [name, amount(found.metric, found.error), between(found.metric, found.interval)],
        [
            "the same, without looking at the features",
            amount(found.metric, found.baseline),
            between(found.metric, found.baseline_interval),
        ],
    ]
    if found.r2 is not None and found.r2_interval is not None:
        ends = f"{found.r2_interval[0]:.3f} to {found.r2_interval[1]:.3f}"
        rows.append(["share of the variance explained, R²", f"{found.r2:.3f}", ends])
    if found.mae is not None:
        rows.append(["mean absolute error", f"{found.mae:.4g}", ""])
    note = (
        f"Measured on {count(found.n_rows, 'row')} ({study.shape.split}) that took no part in "
        "any choice. Intervals hold with 95 % confidence."
    )
    return join([tag("p", note), table("The winner on held-out rows", ["", "", "interval"], rows)])


def _confusion(found: HeldOutScores) -> Html | None:
    if not found.confusion_matrix or len(found.labels) < 2:
        return None
    wrong = [
        (found.confusion_matrix[i][j], found.labels[i], found.labels[j])
        for i in range(len(found.confusion_matrix))
        for j in range(len(found.labels))
        if i < len(found.labels) and i != j and found.confusion_matrix[i][j]
    ]
    worst = sorted(wrong, key=lambda entry: -entry[0])[:3]
    told = "; ".join(f"{true} taken for {given} {_times(times)}" for times, true, given in worst)
    matrix = [line[: len(found.labels)] for line in found.confusion_matrix[: len(found.labels)]]
    return figure(
        lambda ax: plot_confusion_matrix(matrix, found.labels, ax=ax),
        name="confusion",
        alt=f"Confusion matrix. Most frequent mistakes: {told or 'none'}.",
        caption=f"Which class was taken for which. Most frequent mistakes: {told or 'none'}.",
        size=(6.4, 5.2) if len(found.labels) <= COUNTED else (6.4, 6.2),
    )


def _classes(found: HeldOutScores) -> Html | None:
    if not found.classes:
        return None
    lines = [
        [
            one.label,
            one.support,
            one.predicted,
            "–" if one.precision is None else percent(one.precision),
            "–" if one.recall is None else percent(one.recall),
        ]
        for one in found.classes[:LISTED]
    ]
    more = len(found.classes) - len(lines)
    caption = "Each class" + (f"; {more} more are in study.json" if more > 0 else "")
    head = ["class", "rows", "answered so", "of those right", "of its rows found"]
    inside = table(caption, head, lines)
    if len(lines) <= COUNTED:
        return inside
    return tag("details", tag("summary", f"Each of the {len(found.classes)} classes"), inside)


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
