r"""The leave-one-out objective of softmax-weighted neighbors, its gradient, and which pairs count.

Every row is predicted by all others, row j of row i with the share

.. math:: p_{ij} = \frac{e^{-\|A x_i - A x_j\|^2}}{\sum_{k \ne i} e^{-\|A x_i - A x_k\|^2}}

[Goldberger et al. 2004]. Shares fall so fast with the distance that the nearest rows have nearly
all: :class:`NearPairs` looks at these alone and bounds what it leaves out, :class:`AllPairs` at
every pair.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lookalike.index.exact import ExactIndex
from lookalike.kernels.pair_keys import pair_keys
from lookalike.kernels.softmax_loss import softmax_loss
from lookalike.typing import AnyArray, Array, Rows

FIRST_SOFTMAX_NEIGHBORS, MAX_SOFTMAX_NEIGHBORS = 64, 256  # neighbors of each row
MAX_SHARE_LEFT_OUT = 0.01  # mean share of the rows left out
MAX_ROWS_FOR_EXACT_SOFTMAX = 3000  # of which every pair is looked at where neighbors leave out more


class AllPairs:
    """The objective over every pair of rows; `y` are the numbers of their `classes`, or targets."""

    left_out: float = 0.0

    def __init__(self, y: AnyArray, *, classes: bool, threads: int) -> None:
        self._y, self._classes, self._threads = y, classes, threads

    def __call__(self, Z: Array) -> tuple[float, Array]:
        """Return the loss at mapped rows `Z`, and its derivative by them."""
        return softmax_loss(Z, self._y, classes=self._classes, threads=self._threads)


class NearPairs:
    """The objective over pairs of near rows; `left_out` bounds the mean share of all others."""

    def __init__(
        self, y: AnyArray, row: Rows, left_out: float, *, classes: bool, threads: int
    ) -> None:
        self._y, self._classes, self._row, self._threads = y, classes, row, threads
        self._near = y[row]
        self._start = np.arange(0, row.size + 1, row.shape[1])
        self.left_out = left_out

    @property
    def n_neighbors(self) -> int:
        """Neighbors of each row."""
        return int(self._row.shape[1])

    def __call__(self, Z: Array) -> tuple[float, Array]:
        """Return the loss at mapped rows `Z`, and its derivative by them."""
        key = pair_keys(Z, Z, self._row, threads=self._threads)
        loss, by_key = self._loss(_softmax(key))
        n_rows = len(Z)
        C = sp.csr_array((by_key.ravel(), self._row.ravel(), self._start), shape=(n_rows, n_rows))
        total = by_key.sum(axis=1) + np.bincount(self._row.ravel(), by_key.ravel(), n_rows)
        return loss, 2.0 * (total[:, None] * Z - C @ Z - C.T @ Z)

    def _loss(self, share: Array) -> tuple[float, Array]:
        """Return the loss by the shares of the neighbors, and its derivative by their keys."""
        if self._classes:  # minus the expected number of rows whose neighbor is of their class
            same = self._near == self._y[:, None]
            right = np.einsum("ij,ij->i", share, same)
            return -float(right.sum()), share * (same - right[:, None])
        mean = (share * self._near).sum(axis=1)
        miss = mean - self._y
        by_key = -2.0 * miss[:, None] * share * (self._near - mean[:, None])
        return float((miss**2).sum()), by_key


def choose_pairs(
    Z: Array, y: AnyArray, *, classes: bool, n_neighbors: int | None, threads: int
) -> AllPairs | NearPairs:
    """Return the objective over this many neighbors; None chooses their number by what is left out.

    Every pair is looked at where many neighbors leave out too much, and rows are few enough.
    """
    n_rows = len(Z)
    k = min(MAX_SOFTMAX_NEIGHBORS if n_neighbors is None else n_neighbors, n_rows - 1)
    row = ExactIndex(Z, threads=threads).query(Z, k, exclude=np.arange(n_rows)).row
    key = pair_keys(Z, Z, row, threads=threads)
    with np.errstate(under="ignore"):
        weight = np.exp(key[:, :1] - key)
    left_out = _left_out(weight, n_rows)
    if n_neighbors is None:
        few = _left_out(weight[:, :FIRST_SOFTMAX_NEIGHBORS], n_rows)
        if few <= MAX_SHARE_LEFT_OUT:
            row = np.ascontiguousarray(row[:, :FIRST_SOFTMAX_NEIGHBORS])
            return NearPairs(y, row, few, classes=classes, threads=threads)
        if left_out > MAX_SHARE_LEFT_OUT and n_rows <= MAX_ROWS_FOR_EXACT_SOFTMAX:
            return AllPairs(y, classes=classes, threads=threads)
    return NearPairs(y, row, left_out, classes=classes, threads=threads)


def _left_out(weight: Array, n_rows: int) -> float:
    """Return a bound for the mean share of rows beyond the neighbors, by the weight of the last."""
    beyond = (n_rows - 1 - weight.shape[1]) * weight[:, -1]
    return float((beyond / (beyond + weight.sum(axis=1))).mean())


def _softmax(key: Array) -> Array:
    """Return the softmax of minus the keys of every row."""
    with np.errstate(under="ignore"):
        share: Array = key.min(axis=1, keepdims=True) - key
        np.exp(share, out=share)
    share /= share.sum(axis=1, keepdims=True)
    return share
