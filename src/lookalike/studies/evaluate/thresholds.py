"""Thresholds for rare classes: from which probability on a class is worth predicting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.studies.evaluate.intervals import hull
from lookalike.studies.evaluate.kept_interval import kept_rate_interval
from lookalike.studies.evaluate.roc import repeats_of
from lookalike.studies.evaluation_results import ClassThreshold
from lookalike.studies.results import Predictions
from lookalike.typing import AnyArray, Array

MIN_CLASS_ROWS = 10  # whose recall at a threshold says something


def class_thresholds(
    predictions: Predictions, n_repeats: int, labels: Sequence[object], seed: int
) -> tuple[ClassThreshold, ...]:
    """Return the threshold of the highest balanced accuracy for each of these classes.

    Classes with fewer than 10 held-out rows, and models without probabilities, have none.
    """
    if predictions.shares is None or predictions.labels is None or predictions.probability is None:
        return ()
    once = predictions.take(repeats_of(predictions, n_repeats) == 0)
    known = once.labels.tolist() if once.labels is not None else []
    thresholds = []
    for label in labels:
        if label not in known or once.shares is None:
            continue
        positive = np.asarray(once.y_true == label)
        if min(positive.sum(), (~positive).sum()) >= MIN_CLASS_ROWS:
            share = once.shares[:, known.index(label)]
            thresholds.append(_measure(label, share, positive, seed))
    return tuple(thresholds)


def _measure(label: object, share: Array, positive: AnyArray, seed: int) -> ClassThreshold:
    """Return the threshold for all rows, and what thresholds of the other half give."""
    rng, half = np.random.default_rng(seed), np.zeros(len(share), bool)
    for group in (positive, ~positive):  # as many of the class in either half
        rows = rng.permutation(np.flatnonzero(group))
        half[rows[: len(rows) // 2]] = True
    predicted = np.zeros(len(share), bool)
    for part in (half, ~half):
        predicted[part] = share[part] >= best_threshold(share[~part], positive[~part])
    n_rows, n_found = int(positive.sum()), int((predicted & positive).sum())
    recall, threshold = n_found / n_rows, best_threshold(share, positive)
    of_threshold = float((share[positive] >= threshold).mean())  # it is not that of either half
    return ClassThreshold(
        label,
        threshold,
        recall,
        hull(kept_rate_interval(recall, n_rows), kept_rate_interval(of_threshold, n_rows)),
        n_found / int(predicted.sum()) if predicted.any() else None,
        n_rows,
    )


def best_threshold(share: Array, positive: AnyArray) -> float:
    """Return the probability from which on the class is predicted with most balanced accuracy.

    It is in the middle between two probabilities that occur.

    Examples
    --------
    >>> round(best_threshold(np.array([0.1, 0.2, 0.3, 0.4]), np.array([0, 0, 1, 1], bool)), 2)
    0.25
    """
    values = np.unique(share)
    if len(values) == 1:
        return float(values[0])
    edges = (values[1:] + values[:-1]) / 2
    of_class, others = np.sort(share[positive]), np.sort(share[~positive])
    recall = 1 - of_class.searchsorted(edges) / len(of_class)
    specificity = others.searchsorted(edges) / len(others)
    return float(edges[(recall + specificity).argmax()])
