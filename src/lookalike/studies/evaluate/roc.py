"""ROC and precision-recall curves of held-out predictions, one class against the rest."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from lookalike.studies.evaluation_results import RocCurve
from lookalike.studies.format import Interval
from lookalike.studies.results import Predictions
from lookalike.studies.task import NORMAL
from lookalike.typing import AnyArray, Array

POINTS = 200  # of a curve
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
    return tuple(one for one in curves if one is not None)


def repeats_of(predictions: Predictions, n_repeats: int) -> AnyArray:
    """Return the repeat in which each prediction was made, from 0."""
    fold = predictions.fold
    return fold // max((int(fold.max()) + 1) // n_repeats, 1)


def _curve(label: object, positive: AnyArray, score: Array, repeat: AnyArray) -> RocCurve | None:
    n_repeats = int(repeat.max()) + 1
    parts = [(score[repeat == one], positive[repeat == one]) for one in range(n_repeats)]
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
    shown = _thinned(recall, fall_out)
    auc = float(np.mean([_auc(*part)[0] for part in parts]))
    first, reach = _auc(*parts[0])
    del first
    return RocCurve(
        label,
        n_positive // n_repeats,
        n_negative // n_repeats,
        (0.0, *fall_out[shown].tolist()),
        (0.0, *recall[shown].tolist()),
        (float(precision[0]), *precision[shown].tolist()),
        auc,
        _interval(auc, reach, n_positive // n_repeats, n_negative // n_repeats),
        average,
    )


def _thinned(recall: Array, fall_out: Array) -> AnyArray:
    """Return places of points evenly along the curve, the ends among them."""
    length = recall + fall_out
    if len(length) <= POINTS:
        return np.arange(len(length))
    places = np.searchsorted(length, np.linspace(length[0], length[-1], POINTS))
    return np.unique(np.append(places, len(length) - 1))


def _auc(score: Array, positive: AnyArray) -> tuple[float, float]:
    """Return the area under the ROC curve and its standard error [DeLong88]."""
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    ranks = rankdata(score)
    above = (ranks[positive] - rankdata(score[positive])) / n_negative
    below = 1 - (ranks[~positive] - rankdata(score[~positive])) / n_positive
    variance = sum(
        float(part.var(ddof=1)) / len(part) if len(part) > 1 else 0.25 for part in (above, below)
    )
    return float(above.mean()), variance**0.5


def _interval(auc: float, error: float, n_positive: int, n_negative: int) -> Interval:
    """Return the 95% interval of an AUC, never of no width: not below that of one misplaced row."""
    least = 1 / (2 * min(n_positive, n_negative) + 1)
    reach = max(NORMAL * error, least)
    return max(auc - reach, 0.0), min(auc + reach, 1.0)
