"""Which share of the boxes of a KD-tree a search would open, measured on a sample of the rows."""

from __future__ import annotations

import numpy as np

from lookalike.typing import AnyArray, Array

BOX_SAMPLE_ROWS, BOX_SAMPLE_QUERIES = 4000, 64
BOX_ROWS = 16  # rows of a box
BOX_NEIGHBORS = 10  # neighbors that are searched for
SAMPLE_REDUCTION = 4  # of a second sample, to see how the share falls with more rows


def box_share(X: AnyArray) -> float:
    """Return the share of boxes that come nearer to a row than its tenth neighbor does.

    Of more rows than the sample it is continued as it fell from a quarter of the sample to all of
    it. Nothing is timed: the same rows give the same share. 1 where rows are too few to tell or
    not finite.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> box_share(rng.uniform(size=(5000, 2))) < 0.05 < box_share(rng.uniform(size=(5000, 20)))
    True
    """
    sample = np.asarray(X[:: max(1, len(X) // BOX_SAMPLE_ROWS)][:BOX_SAMPLE_ROWS], np.float64)
    if len(sample) < 2 * SAMPLE_REDUCTION * BOX_ROWS or not np.isfinite(sample).all():
        return 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        sample = sample - sample.mean(axis=0)
        sampled_rows = np.linspace(0, len(sample) - 1, BOX_SAMPLE_QUERIES).astype(np.int64)
        queries = sample[sampled_rows]
        share, of_fewer = _open(sample, queries), _open(sample[::SAMPLE_REDUCTION], queries)
    if not 0 < share <= 1:
        return 1.0
    fall = max(np.log(of_fewer / share) / np.log(SAMPLE_REDUCTION), 0.0)
    return float(share * (len(X) / len(sample)) ** -fall)


def _open(rows: Array, queries: Array) -> float:
    """Return the mean share of the boxes of `rows` that a search for a query opens."""
    low, high = _boxes(rows)
    square = np.einsum("ij,ij->i", rows, rows)
    squared_norm = np.einsum("ij,ij->i", queries, queries)
    distance = np.maximum(squared_norm[:, None] + square - 2 * queries @ rows.T, 0.0)
    reach = np.partition(distance, BOX_NEIGHBORS, axis=1)[:, BOX_NEIGHBORS]
    outside = np.zeros((len(queries), len(low)))
    for column in range(rows.shape[1]):
        at = queries[:, column, None]
        outside += np.maximum(np.maximum(low[:, column] - at, at - high[:, column]), 0.0) ** 2
    return float((outside <= reach[:, None]).mean())


def _boxes(rows: Array) -> tuple[Array, Array]:
    """Return the least and largest values of boxes, split at medians of the widest column."""
    low, high, parts = [], [], [rows]
    while parts:
        part = parts.pop()
        if len(part) <= BOX_ROWS:
            low.append(part.min(axis=0))
            high.append(part.max(axis=0))
            continue
        half = len(part) // 2
        order = np.argpartition(part[:, part.var(axis=0).argmax()], half)
        parts += [part[order[:half]], part[order[half:]]]
    return np.array(low), np.array(high)
