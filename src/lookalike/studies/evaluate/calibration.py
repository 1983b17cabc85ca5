"""Calibration of class probabilities on held-out rows: reliability bins, Brier score, ECE."""

from __future__ import annotations

import numpy as np

from lookalike.confidence import wilson
from lookalike.studies.evaluate.roc import repeats_of
from lookalike.studies.evaluation_results import Calibration, CalibrationBin
from lookalike.studies.results import Predictions
from lookalike.typing import AnyArray, Array, Rows

RELIABILITY_BINS = 10
MIN_ROWS_FOR_CALIBRATION = 30
ROWS_PER_RELIABILITY_BIN = 10  # of a bin on average
ECE_DRAWS = 500  # of outcomes, for the ECE of probabilities that are right
MAX_OUTCOMES_DRAWN = 4_000_000  # outcomes drawn in all
ECE_QUANTILE = 0.99
VISIBLE_ERROR = 0.05  # expected calibration error that "not detected" speaks of
POWER_DRAWS = 200


def calibration(
    predictions: Predictions, n_repeats: int, seed: int, groups: Rows | None = None
) -> Calibration | None:
    """Return the calibration of the probabilities; None without them, or below 30 rows.

    What calibrated probabilities reach by chance is that of rows of a group (in the first repeat)
    which come true together.

    Of two classes it is that of the probability of the second, of several that of the class
    predicted. The Brier score is the mean squared distance between probability and outcome: of
    two classes that of the second class, of several summed over the classes.
    """
    if predictions.probability is None or predictions.shares is None or predictions.labels is None:
        return None
    once = repeats_of(predictions, n_repeats) == 0
    labels, shares, y = predictions.labels, predictions.shares[once], predictions.y_true[once]
    if len(y) < MIN_ROWS_FOR_CALIBRATION or len(labels) < 2:
        return None
    outcome = (y[:, None] == labels).astype(np.float64)
    two = len(labels) == 2
    if two:
        label, probability, came_true = labels[1].item(), shares[:, 1], outcome[:, 1]
    else:
        label, probability = None, predictions.probability[once]
        came_true = (predictions.y_pred[once] == y).astype(np.float64)
    unit = np.arange(len(y)) if groups is None else np.unique(groups, return_inverse=True)[1]
    halved = 0.5 if two else 1.0
    frequency = outcome.mean(axis=0)
    bins = bin_rows(probability, min(RELIABILITY_BINS, max(len(y) // ROWS_PER_RELIABILITY_BIN, 1)))
    return Calibration(
        label,
        _bins(probability, came_true, bins),
        halved * float(((shares - outcome) ** 2).sum(axis=1).mean()),
        halved * float(((frequency - outcome) ** 2).sum(axis=1).mean()),
        _ece(probability, came_true, bins),
        chance := _chance(probability, bins, unit, seed),
        len(y),
        _power(probability, bins, unit, chance, seed),
    )


def bin_rows(values: Array, n_bins: int) -> Rows:
    """Return the bin of every row, about equally many in each; equal values are in one bin.

    A bin of less than half of its share of the rows is joined to the one before it.
    """
    _, codes, size = np.unique(values, return_inverse=True, return_counts=True)
    middle = (np.cumsum(size) - size / 2) / len(values)  # share of the rows below
    of_value = (n_bins * middle).astype(np.int64)
    first = np.bincount(of_value, size, minlength=n_bins) >= len(values) / (2 * n_bins)
    first[int(of_value[0])] = True
    bins: Rows = np.unique((np.cumsum(first) - 1)[of_value[codes]], return_inverse=True)[1]
    return bins


def _bins(probability: Array, came_true: AnyArray, bins: Rows) -> tuple[CalibrationBin, ...]:
    size = np.bincount(bins)
    mean, share = np.bincount(bins, probability) / size, np.bincount(bins, came_true) / size
    return tuple(
        CalibrationBin(p, s, wilson(s, n), n)
        for p, s, n in zip(mean.tolist(), share.tolist(), size.tolist(), strict=True)
    )


def _ece(probability: Array, came_true: AnyArray, bins: Rows) -> float:
    return float(np.abs(np.bincount(bins, came_true - probability)).sum() / len(bins))


def _power(probability: Array, bins: Rows, unit: Rows, chance: float, seed: int) -> float:
    """Return how often probabilities that are 5 points off exceed the chance level.

    They are off as models are: too extreme, or all too high, whichever is seen less often.
    """
    rng = np.random.default_rng(seed)
    side = np.where(probability > np.median(probability), 1.0, -1.0)
    powers = []
    for direction in (side, np.ones(len(probability))):
        right = np.clip(probability - VISIBLE_ERROR * direction, 0.0, 1.0)
        if abs(right - probability).mean() < VISIBLE_ERROR / 2:  # no room to be so wrong
            continue
        drawn = [_ece(probability, _drawn(rng, right, unit), bins) for _ in range(POWER_DRAWS)]
        powers.append(float((np.array(drawn) > chance).mean()))
    return min(powers, default=0.0)


def _chance(probability: Array, bins: Rows, unit: Rows, seed: int) -> float:
    """Return the 99% quantile of the ECE when outcomes are drawn with these probabilities."""
    rng = np.random.default_rng(seed)
    draws = max(min(ECE_DRAWS, MAX_OUTCOMES_DRAWN // len(bins)), 40)
    drawn = [_ece(probability, _drawn(rng, probability, unit), bins) for _ in range(draws)]
    return float(np.quantile(drawn, ECE_QUANTILE))


def _drawn(rng: np.random.Generator, probability: Array, unit: Rows) -> AnyArray:
    """Return outcomes of these probabilities; those of one unit come true together."""
    came_true: AnyArray = rng.random(int(unit.max()) + 1)[unit] < probability
    return came_true
