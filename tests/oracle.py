"""The reference of every search: float64, direct differences, one order of summation, ties by row.

Slow and obvious on purpose. Whatever an index does, its answer equals this one.
"""

from __future__ import annotations

import numpy as np

LANES = 8


def lane_sum(terms):
    """Sum the last axis as the kernels do: term j goes to lane j % 8, then lanes fold in half."""
    return _lane_sum(np.ascontiguousarray(np.moveaxis(terms, -1, 0)))


def _lane_sum(terms):
    """Sum the first axis: NumPy is quicker where the terms of a lane are one after another."""
    lanes = np.zeros((LANES, *terms.shape[1:]))
    for start in range(0, len(terms), LANES):
        part = terms[start : start + LANES]
        lanes[: len(part)] = lanes[: len(part)] + part
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = lanes[:half] + lanes[half:]
    return lanes[0]


def squared_distances(Q, X):
    """Return sum_j (q_j - x_j)^2 for every pair, as (queries, rows)."""
    Q, X = np.asarray(Q, np.float64), np.asarray(X, np.float64)
    columns = np.ascontiguousarray(X.T)
    sums = [_lane_sum((q[:, None] - columns) ** 2) for q in Q]
    return np.stack(sums) if len(Q) else np.zeros((0, len(X)))


def nearest(keys, k, exclude=None):
    """Return the k smallest keys of every query and their rows; of equal keys the smaller row."""
    keys = np.array(keys, np.float64)
    if exclude is not None:
        keys[np.arange(len(keys)), exclude] = np.inf
    rows = np.argsort(keys, axis=1, kind="stable")[:, :k].astype(np.int64)
    return np.take_along_axis(keys, rows, axis=1), rows
