"""Ranges of K in which a prediction stands, and what they say of a label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lookalike.errors import ParameterError
from lookalike.typing import AnyArray, Rows
from lookalike.validation import check_int

KNOWN_K = 25  # up to which predictions are known, if the model has no larger K


class KRange(NamedTuple):
    """Numbers of neighbors, all from `first` to `last`, with one prediction."""

    first: int
    last: int
    prediction: object

    def __str__(self) -> str:
        return f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"


def k_ranges(predicted: AnyArray, k: Rows) -> tuple[KRange, ...]:
    """Return the runs of equal predictions over K.

    Examples
    --------
    >>> k_ranges(np.array(["a", "a", "b"]), np.array([1, 2, 3]))
    (KRange(first=1, last=2, prediction='a'), KRange(first=3, last=3, prediction='b'))
    """
    starts = np.flatnonzero(np.append(True, predicted[1:] != predicted[:-1]))
    ends = np.append(starts[1:], len(predicted)) - 1
    values = predicted[starts].tolist()
    runs = zip(k[starts].tolist(), k[ends].tolist(), values, strict=True)
    return tuple(KRange(*run) for run in runs)


def largest_k(n_neighbors: int, k_max: int | None, available: int) -> int:
    """Return the largest K that predictions are made for."""
    if available < 1:
        raise ParameterError("No neighbor is left for some row. Give more rows, or more groups.")
    wanted = max(KNOWN_K, n_neighbors) if k_max is None else check_int("k_max", k_max, least=1)
    return min(wanted, available)


def range_around(ranges: Sequence[KRange], k: int) -> KRange:
    """Return the range that holds `k`."""
    return next(run for run in ranges if run.first <= k <= run.last)


def nearest_other_k(ranges: Sequence[KRange], k: int) -> tuple[int, object] | None:
    """Return the K next to `k` with another prediction, and that; None if there is none.

    >>> nearest_other_k([KRange(1, 2, "a"), KRange(3, 9, "b"), KRange(10, 25, "a")], 5)
    (2, 'a')
    """
    now = range_around(ranges, k).prediction
    ends = [
        (abs(end - k), end, run.prediction)
        for run in ranges
        if run.prediction != now
        for end in (run.first, run.last)
    ]
    return min(ends, key=lambda end: end[:2])[1:] if ends else None


def label_stability(ranges: Sequence[KRange], label: object) -> str:
    """Return which K predict the label of a row, and what that says of it, in a sentence."""
    right = [run for run in ranges if str(run.prediction) == str(label)]
    if not right:
        return f"No K up to {ranges[-1].last} predicts its label: probably a wrong label."
    if len(right) == len(ranges):
        return "Every K predicts its label; other models do not."
    return f"K = {right[0]} predicts its label, others do not: a hard row, or a wrong label."
