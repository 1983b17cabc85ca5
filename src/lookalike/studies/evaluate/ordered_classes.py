"""Whether integers that are classes are an order as well, such as stars from 1 to 5."""

from __future__ import annotations

import numpy as np

from lookalike.typing import AnyArray, Rows

MIN_ORDERED_CLASSES = 3
MIN_FILLED_RANGE = 0.5  # share of the integers between the smallest and the largest class
N_LABEL_ORDERS = 999  # that the errors are compared with
MAX_ORDER_P_VALUE = 0.05


def are_ordered(labels: AnyArray, confusion_matrix: Rows) -> bool:
    """Return whether classes are integers in a row, and an order as far as can be seen.

    Integers from 1, or above, are. Those from 0 may be mere codes: they are an order where errors
    fall on neighboring classes more often than with the classes in another order.

    Examples
    --------
    >>> are_ordered(np.array([1, 2, 3, 4, 5]), np.eye(5, dtype=int))
    True
    >>> are_ordered(np.array([0, 1, 2]), np.eye(3, dtype=int))
    False
    """
    if labels.dtype.kind not in "iu" or len(labels) < MIN_ORDERED_CLASSES:
        return False
    if len(labels) < MIN_FILLED_RANGE * (float(labels[-1]) - float(labels[0]) + 1):
        return False
    return bool(labels[0] > 0) or _errors_are_near(labels, confusion_matrix)


def _errors_are_near(labels: AnyArray, confusion_matrix: Rows) -> bool:
    differences = np.abs(labels[:, None] - labels[None, :].astype(np.float64))
    observed = float((differences * confusion_matrix).sum())
    if observed == 0.0:
        return False
    rng = np.random.default_rng(0)
    as_small = 1
    for _ in range(N_LABEL_ORDERS):
        order = rng.permutation(len(labels))
        shuffled = differences[order][:, order]
        as_small += float((shuffled * confusion_matrix).sum()) <= observed
    return as_small / (N_LABEL_ORDERS + 1) < MAX_ORDER_P_VALUE
