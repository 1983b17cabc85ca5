"""ROC and precision-recall curves of held-out predictions, one class against the rest."""

from __future__ import annotations

import numpy as np

from lookalike.confidence import NORMAL_95_DEVIATIONS
from lookalike.studies.evaluation_results import RocCurve
from lookalike.studies.format import Interval
from lookalike.studies.results import Predictions
from lookalike.studies.scoring import area_under_roc
from lookalike.typing import AnyArray, Array

CURVE_POINTS_KEPT = 200  # of a curve
MOST_CLASSES = 100  # that have one


def roc_curves(predictions: Predictions, n_repeats: int) -> tuple[RocCurve, ...]:
    """Return a curve for the second of two classes, or for each of several.

    Classes without a held-out row, or without another one, have none.
    """
    shares, labels = predictions.shares, predictions.labels
    if shares is None or labels is None or len(labels) < 2:
        return ()
    columns = [1] if len(labels) == 2 else range(min(len(labels), MOST_CLASSES))
    repeat = repeats_of(predictions, n_repeats)
    curves = [
        _curve(labels[j].item(), predictions.y_true == labels[j], shares[:, j], repeat)
        for j in columns
    ]
    return tuple(curve for curve in curves if curve is not None)


def repeats_of(predictions: Predictions, n_repeats: int) -> AnyArray:
    """Return the repeat in which each prediction was made, from 0."""
    fold = predictions.fold
    return fold // max((int(fold.max()) + 1) // n_repeats, 1)


def _curve(label: object, positive: AnyArray, score: Array, repeat: AnyArray) -> RocCurve | None:
    n_repeats = int(repeat.max()) + 1
    parts = [(score[repeat == number], positive[repeat == number]) for number in range(n_repeats)]
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return None
    order = np.argsort(-score, kind="stable")
    last = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)  # of equal scores
    hits = np.cumsum(positive[order])[last]
    alarms = last + 1 - hits
    recall, fall_out, precision = hits / n_positive, alarms / n_negative, hits / (last + 1)
    average = float(np.diff(recall, prepend=0.0) @ precision)
    shown = _thin(recall, fall_out)
    auc = float(np.nanmean([area_under_roc(*part) for part in parts]))
    return RocCurve(
        label,
        n_positive // n_repeats,
        n_negative // n_repeats,
        (0.0, *fall_out[shown].tolist()),
        (0.0, *recall[shown].tolist()),
        (float(precision[0]), *precision[shown].tolist()),
        auc,
        auc_interval(auc, n_positive // n_repeats, n_negative // n_repeats),
        average,
    )


def _thin(recall: Array, fall_out: Array) -> AnyArray:
    """Return places of points evenly along the curve, the ends among them."""
    length = recall + fall_out
    if len(length) <= CURVE_POINTS_KEPT:
        return np.arange(len(length))
    places = np.searchsorted(length, np.linspace(length[0], length[-1], CURVE_POINTS_KEPT))
    return np.unique(np.append(places, len(length) - 1))


def auc_interval(auc: float, n_positive: int, n_negative: int) -> Interval:
    """Return the 95% interval of an AUC by inverting its score test [Newcombe06, method 5].

    It has a width where no pair is in the wrong order, too.

    Examples
    --------
    >>> low, high = auc_interval(0.9, 20, 30)
    >>> round(low, 2), round(high, 2)
    (0.76, 0.96)
    """
    middle = (n_positive + n_negative) / 2

    def distance(theta: float) -> float:
        """Return how many standard errors the estimate is away from `theta`."""
        spread = 2 * middle - 1 - (3 * middle - 3) / ((2 - theta) * (1 + theta))
        variance = theta * (1 - theta) * spread / (n_positive * n_negative)
        return abs(auc - theta) / variance**0.5 if variance > 0 else np.inf

    ends = []
    for outer in (0.0, 1.0):
        inside, outside = auc, outer
        for _ in range(50):
            half = (inside + outside) / 2
            inside, outside = (
                (half, outside) if distance(half) < NORMAL_95_DEVIATIONS else (inside, half)
            )
        ends.append((inside + outside) / 2)
    return min(ends[0], auc), max(ends[1], auc)
