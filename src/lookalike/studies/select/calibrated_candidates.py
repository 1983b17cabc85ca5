"""Calibrated probabilities of candidates, each row's by a calibration chosen on other rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lookalike.models.calibration.temperature import TemperatureScaling, fit_calibration, log_losses
from lookalike.studies.select.out_of_fold import OutOfFold
from lookalike.typing import Array, Rows


def with_calibration(
    table: OutOfFold, name: str, part: Rows
) -> tuple[OutOfFold, TemperatureScaling | None]:
    """Return the table with calibrated probabilities of a candidate, and its calibration.

    It is kept only where the out-of-fold log loss falls; and of candidates that call classes
    impossible, as no number of rows shows that. Classes stay as they were predicted.

    Parameters
    ----------
    table : OutOfFold
        What all candidates predict.
    name : str
        The candidate.
    part : ndarray
        The part of every row, by place: it is calibrated as the rows of the others ask for.
    """
    results = table.contender(name).results
    parts = range(len(table.split.parts))
    if table.labels is None or any(results[part_name].shares is None for part_name in parts):
        return table, None
    places = np.concatenate([held_out for _, held_out in table.split.parts])
    shares = np.concatenate([np.asarray(results[part_name].shares) for part_name in parts])
    codes = np.searchsorted(table.labels, table.y[places])
    if len(np.unique(part[places])) < 2:
        return table, None
    known = np.searchsorted(table.labels, table.y)
    prior = np.bincount(known, minlength=len(table.labels)) / len(known)
    corrected = shares.copy()
    for part_name in np.unique(part[places]):
        own = part[places] == part_name
        corrected[own] = fit_calibration(shares[~own], codes[~own], prior)(shares[own])
    gain = log_losses(shares, codes) - log_losses(corrected, codes)
    if gain.mean() <= 0 and not (shares <= 0).any():
        return table, None
    return _replace(table, name, corrected), fit_calibration(shares, codes, prior)


def log_loss_of(table: OutOfFold, name: str) -> Array | None:
    """Return the log loss of every row by a candidate, over its repeats; None without shares."""
    predictions = table.predictions(name)
    if predictions.shares is None or table.labels is None:
        return None
    codes = np.searchsorted(table.labels, predictions.y_true)
    loss = log_losses(predictions.shares, codes)
    return np.asarray(loss.reshape(-1, table.split.n_repeats).mean(axis=1))


def _replace(table: OutOfFold, name: str, shares: Array) -> OutOfFold:
    """Return the table with other probabilities of a candidate, in the order of the folds."""
    contender, begin, results = table.contender(name), 0, {}
    for part, (_, held_out) in enumerate(table.split.parts):
        results[part] = replace(
            contender.results[part], shares=shares[begin : begin + len(held_out)]
        )
        begin += len(held_out)
    other = replace(contender, results=contender.results | results)
    contenders = tuple(other if each is contender else each for each in table.contenders)
    return replace(table, contenders=contenders)
