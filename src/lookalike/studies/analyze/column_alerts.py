"""Alerts: what to know of a column before it is used; facts of the rows, and tested claims."""

from __future__ import annotations

import numpy as np

from lookalike.printable import number
from lookalike.studies.format import count, format_list, percent
from lookalike.studies.load.similar_labels import describe_similar_labels, similar_labels
from lookalike.studies.profile_results import Alert, Association
from lookalike.studies.rare_classes import rare_classes
from lookalike.studies.results import ColumnDescription
from lookalike.typing import AnyArray, Array, Rows

MAX_VALUES_OF_SCALE = 20  # distinct values up to which a number is a scale
VALUES_NEXT_TO_EXTREME = 5  # distinct values next to an extreme that it is compared with
CAPPED_VALUE_RATIO = 3  # as often as any of these a capped value occurs, at least
LEAST_CAPPED = 10  # rows
NEARLY_CONSTANT_SHARE = 0.9  # share of the rows with one value
TAIL_SHARE_OF_ROWS, HEAVY_TAIL_VARIANCE, MIN_ROWS_FOR_TAIL = (
    0.01,
    1 / 3,
    200,
)  # share of rows; of the variance; rows needed
NORMAL_TAIL = 0.085  # share of the variance of a normal distribution in the outer 1%
MANY_CATEGORIES = 50  # categories
MANY_MISSING_SHARE = 0.5  # share of missing values
CLASSES_NAMED_IN_ALERT = 3  # classes in a sentence
ADVICE_ON_LABELS = "If they are one class, write them alike in the data."


def of_description(column: ColumnDescription, n_rows: int) -> list[Alert]:
    """Return alerts that follow from what a column holds."""
    alerts = []
    if column.kind in ("constant", "empty", "identifier"):
        alerts.append(Alert(column.kind, f"{column.reason[:1].upper()}{column.reason[1:]}."))
    if column.odd_cells:
        alerts.append(Alert("odd_cells", f"{column.odd_cells}."))
    if column.kind != "empty" and column.missing >= MANY_MISSING_SHARE * n_rows:
        share = percent(column.missing / n_rows)
        alerts.append(Alert("missing", f"No value in {share} of the rows."))
    return alerts


def of_numbers(values: Array, counts: Rows, label: str = "") -> list[Alert]:
    """Return alerts of numbers, given their distinct values in order and how often each occurs."""
    if len(values) < 2:
        return []
    alerts = _one_value(number(float(values[np.argmax(counts)])), counts)
    if len(values) <= MAX_VALUES_OF_SCALE:
        return alerts
    alerts += _cap(values, counts, "maximum")
    if values[0] != 0:
        alerts += _cap(-values[::-1], counts[::-1], "minimum")
    return alerts + _heavy_tail(values, counts, label)


def of_categories(levels: list[str], counts: Rows) -> list[Alert]:
    """Return alerts of categories, given how often each occurs."""
    if len(levels) < 2:
        return []
    alerts = _one_value(repr(levels[int(np.argmax(counts))]), counts)
    if len(levels) > MANY_CATEGORIES:
        single = int((counts == 1).sum())
        rows = f"; {count(single)} of them in one row only" if single else ""
        alerts.append(Alert("high_cardinality", f"{count(len(levels))} categories{rows}."))
    return alerts


def of_classes(y: AnyArray) -> list[Alert]:
    """Return the alerts of classes: labels that are probably one, and rare ones."""
    alerts = []
    if groups := similar_labels(y):
        text = f"Labels that differ by case or spaces only: {describe_similar_labels(groups)}."
        alerts.append(Alert("similar_labels", f"{text} {ADVICE_ON_LABELS}"))
    classes, counts = np.unique(y, return_counts=True)
    rare = rare_classes(classes.tolist(), counts.tolist())
    if not rare:
        return alerts
    named = format_list(
        [f"{label!r} {percent(share)}" for label, share in rare], CLASSES_NAMED_IN_ALERT
    )
    text = f"Rare classes, below 30% of an equal share: {named} of the rows."
    return [*alerts, Alert("imbalanced", text)]


def of_missing(test: Association | None, missing: AnyArray, target: AnyArray) -> list[Alert]:
    """Return the alert of values that are missing in some classes more than in others."""
    if test is None or not test.detected:
        return []
    p = "p < 0.001" if test.p_value < 0.001 else f"p = {test.p_value:.3f}"
    if target.dtype.kind == "f":
        with_gaps, there = (number(float(np.median(target[one]))) for one in (missing, ~missing))
        text = f"Median target {with_gaps} where missing, {there} elsewhere (rank test"
    else:
        share = np.bincount(target, missing) / np.maximum(np.bincount(target), 1)
        ends = f"{percent(share.min())} to {percent(share.max())}"
        text = f"Missing in {ends} of the rows of a class (chi-square test"
    return [Alert("missing_by_target", f"{text}, corrected {p}).")]


def _one_value(value: str, counts: Rows) -> list[Alert]:
    share = float(counts.max() / counts.sum())
    if share < NEARLY_CONSTANT_SHARE:
        return []
    return [Alert("nearly_constant", f"{percent(share)} of the values are {value}.")]


def _cap(values: Array, counts: Rows, which: str) -> list[Alert]:
    """Return the alert of an extreme that occurs far more often than the values next to it.

    Where numbers are rounded by some, round ones occur often, and an extreme may be one of them:
    it must be the most frequent value, or farther from the others than these from each other.
    """
    rows, most = int(counts[-1]), int(counts[-1 - VALUES_NEXT_TO_EXTREME : -1].max())
    if rows < LEAST_CAPPED or rows < CAPPED_VALUE_RATIO * most:
        return []
    is_code = values[-1] / 2 - values[-2] / 2 > values[-2] / 2 - values[0] / 2
    if rows < counts.max() and not is_code:
        return []
    value = (
        abs(values[-1]) if values[-1] == 0 else values[-1] if which == "maximum" else -values[-1]
    )
    share = percent(rows / int(counts.sum()))
    what = "a cap or a code" if is_code else "capped there"
    times = "once" if most == 1 else f"{count(most)} times"
    text = (
        f"{count(rows)} rows ({share}) are exactly at the {which} {number(float(value))}, each of "
        f"the {VALUES_NEXT_TO_EXTREME} values next to it occurs at most {times}: probably {what}."
    )
    return [Alert(f"capped_at_{which}", text)]


def _heavy_tail(values: Array, counts: Rows, label: str) -> list[Alert]:
    """Return the alert of few rows that carry much of the variance."""
    n_rows = int(counts.sum())
    largest = float(np.abs(values).max())
    if n_rows < MIN_ROWS_FOR_TAIL or largest == 0:
        return []
    scaled = values / largest
    square = (scaled - np.average(scaled, weights=counts)) ** 2
    order = np.argsort(-square, kind="stable")
    outer = int(np.ceil(TAIL_SHARE_OF_ROWS * n_rows))
    taken = np.diff(np.minimum(np.cumsum(counts[order]), outer), prepend=0)
    share = float(taken @ square[order] / (counts @ square))
    if share < HEAVY_TAIL_VARIANCE:
        return []
    text = (
        f"1% of the rows carry {share:.0%} of the variance{label} (of a normal distribution: "
        f"{NORMAL_TAIL:.0%}); a logarithm or ranks may help."
    )
    return [Alert("heavy_tailed", text)]
