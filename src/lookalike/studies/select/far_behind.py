"""When a candidate is so far behind another that it is not fitted to further folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookalike.typing import Array

FAR_BEHIND_SHARE = 0.1  # of the other's loss, and
FAR_BEHIND_ERRORS = 2.0  # standard errors of the difference, by which a candidate is far behind,
FAR_BEHIND_ERRORS_OF_FEW = 3.0  # and with few rows, whose folds cost little
FAR_BEHIND_ROWS = 300


def is_behind(loss: Array, other: Array, part: float, errors: float) -> bool:
    """Return whether losses exceed others of the same rows by a part, beyond standard errors.

    Examples
    --------
    >>> is_behind(np.array([1.0, 1, 1, 0] * 25), np.array([0.0, 0, 1, 0] * 25), 0.1, 3.0)
    True
    """
    difference = loss - other
    error = float(difference.std()) / len(difference) ** 0.5
    return bool(difference.mean() - errors * error > part * other.mean())


def is_far_behind(loss: Array, other: Array) -> bool:
    """Return whether losses exceed others of the same rows by far."""
    few = len(loss) < FAR_BEHIND_ROWS
    errors = FAR_BEHIND_ERRORS_OF_FEW if few else FAR_BEHIND_ERRORS
    return is_behind(loss, other, FAR_BEHIND_SHARE, errors)


def folds_until_far_behind(
    losses: Mapping[int, Array], others: Sequence[Mapping[int, Array]], parts: Sequence[int]
) -> int | None:
    """Return after how many folds a candidate is far behind one of others; None: it never is.

    Losses are those of the rows of each fold; folds that either lacks say nothing.

    Examples
    --------
    >>> wrong, right = np.ones(100), np.zeros(100)
    >>> folds_until_far_behind({0: right, 1: wrong}, [{0: right, 1: right}], [0, 1, 2])
    2
    """
    for n_done in range(1, len(parts)):
        done = parts[:n_done]
        if not all(part in losses for part in done):
            return None
        loss = np.concatenate([losses[part] for part in done])
        for other in others:
            if all(part in other for part in done) and is_far_behind(
                loss, np.concatenate([other[part] for part in done])
            ):
                return n_done
    return None
