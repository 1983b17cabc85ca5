"""One round of k-means: every row goes to its nearest center, and the rows of each are summed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.data.chunk import Chunk, Matrix
from lookalike.kernels.assign import assigner_of, no_sums, unit_rows
from lookalike.kernels.native_arrays import as_dense
from lookalike.typing import AnyArray, Array, Rows, to_host


class LloydArithmetic(NamedTuple):
    """How rows are read, assigned and summed; the same for every round and every engine."""

    grid: Array  # (3, d + 2): offsets of the columns, and what rounds their sums
    scale: float  # a power of two that brings typical differences of rows near 1; 0: trust no bound
    unit: bool  # whether rows are divided by their length

    def rows(self, X: Matrix) -> Matrix:
        """Return the rows of which distances are taken."""
        return unit_rows(X) if self.unit else X


class LloydStep:
    r"""Sums of the rows nearest to each center.

    .. math:: S_c = \sum_{n : c(n) = c} w_n x_n, \qquad
              c(n) = \arg\min_c \|x_n - \mu_c\|^2

    [UGR]. Sums are exact additions of rounded terms (see ``lookalike.kernels.sums``): the bits of
    the result depend on the rows and the centers alone.

    Parameters
    ----------
    centers : ndarray of shape (k, d)
    frame : LloydArithmetic
        How rows are read and summed.
    """

    on_gpu = True

    def __init__(self, centers: Array, frame: LloydArithmetic) -> None:
        self.centers = centers
        self.frame = frame

    def init(self, n_features: int) -> Array:
        """Return the sums of no rows."""
        return no_sums(len(self.centers), n_features)

    def update(self, state: Array, chunk: Chunk) -> Array:
        """Add the rows of `chunk` to the sums of their centers."""
        sums = state.copy()
        rows = assigner_of(self.frame.rows(chunk.X), self.frame.scale, threads=1)
        labels = rows.no_labels()
        rows.step(self.centers, labels, chunk.weight, self.frame.grid, sums)
        return sums

    def merge(self, left: Array, right: Array) -> Array:
        """Join two groups of rows."""
        return left + right

    def finalize(self, state: Array) -> Array:
        """Return the sums."""
        return state


class FarthestRows(NamedTuple):
    """Rows far from their center, the farthest first, of equally far ones the first."""

    key: Array  # (m,) squared distance
    row: Rows  # (m,) global row numbers
    label: AnyArray  # (m,)
    weight: Array  # (m,)
    X: Array  # (m, d)


class Farthest:
    """The rows farthest from their nearest center, those without weight left out.

    Parameters
    ----------
    centers : ndarray of shape (k, d)
    count : int
        Number of rows.
    frame : LloydArithmetic
        How rows are read.
    """

    on_gpu = True

    def __init__(self, centers: Array, count: int, frame: LloydArithmetic) -> None:
        self.centers = centers
        self.count = count
        self.frame = frame

    def init(self, n_features: int) -> FarthestRows:
        """Return the farthest of no rows."""
        return FarthestRows(
            np.empty(0),
            np.empty(0, np.int64),
            np.empty(0, np.int32),
            np.empty(0),
            np.empty((0, n_features)),
        )

    def update(self, state: FarthestRows, chunk: Chunk) -> FarthestRows:
        """Join the rows of `chunk`."""
        X = self.frame.rows(chunk.X)
        rows = assigner_of(X, self.frame.scale, threads=1)
        labels = rows.no_labels()
        rows.assign(self.centers, labels)
        key = to_host(rows.keys(self.centers, labels))
        far = farthest_of(X, key, to_host(labels), chunk.weight, self.count)
        return self.merge(state, far._replace(row=far.row + chunk.offset))

    def merge(self, left: FarthestRows, right: FarthestRows) -> FarthestRows:
        """Keep the farthest of both."""
        key, row, label, weight, X = map(np.concatenate, zip(left, right, strict=True))
        order = np.lexsort((row, -key))[: self.count]
        return FarthestRows(key[order], row[order], label[order], weight[order], X[order])

    def finalize(self, state: FarthestRows) -> FarthestRows:
        """Return the rows, the farthest first."""
        return state


def farthest_of(
    X: Matrix, key: Array, label: AnyArray, weight: Array | None, count: int
) -> FarthestRows:
    """Return the `count` rows of the largest keys, those without weight left out."""
    weighed = np.ones(len(key)) if weight is None else weight
    candidates = np.flatnonzero(weighed > 0)
    if len(candidates) > count:
        least = np.partition(key[candidates], len(candidates) - count)[len(candidates) - count]
        candidates = candidates[key[candidates] >= least]
    order = candidates[np.lexsort((candidates, -key[candidates]))[:count]]
    rows = as_dense(to_host(X[order])).astype(np.float64)
    return FarthestRows(key[order], order.astype(np.int64), label[order], weighed[order], rows)
