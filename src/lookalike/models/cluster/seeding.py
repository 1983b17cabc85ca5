"""Where k-means starts: k-means++, farthest first, or rows at random."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Matrix
from lookalike.kernels.assign import Assigner
from lookalike.kernels.native_arrays import as_dense
from lookalike.reductions.sample import mixed
from lookalike.typing import AnyArray, Array, Rows

BLOCK_ROWS = 1024


class Seeds(NamedTuple):
    """Rows chosen as centers, in the order of their choice."""

    rows: Rows  # (k,) numbers among the rows given
    reach: Array  # (k,) squared distance of the row farthest from those chosen so far


class Candidates:
    """Rows that may become centers.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    weight : ndarray of shape (n,), optional
    threads : int
        Of the distances to them.
    """

    def __init__(self, X: Matrix, weight: Array | None, threads: int) -> None:
        self.X = X
        self.weight = np.ones(X.shape[0]) if weight is None else weight
        self._rows = Assigner(X, 1.0, threads)
        self._zero = np.zeros(X.shape[0], np.int32)

    def values(self, rows: Rows) -> Array:
        """Return some rows as float64."""
        return np.asarray(as_dense(self.X[rows]), np.float64)

    def keys(self, place: Array) -> Array:
        """Return the squared distance of every row to one place."""
        return self._rows.keys(np.ascontiguousarray(place[None]), self._zero)


def distinct(X: Matrix, weight: Array | None) -> tuple[Matrix, Array]:
    """Return every row once, in an order that comes from the values alone, and its whole weight.

    So a row that is there twice, or counts twice, or stands elsewhere, makes no difference to what
    is drawn.
    """
    marks = np.concatenate(
        [_marks(X[start : start + BLOCK_ROWS]) for start in range(0, X.shape[0], BLOCK_ROWS)]
    )
    _, first, place = np.unique(marks, return_index=True, return_inverse=True)
    w = np.ones(X.shape[0]) if weight is None else weight
    whole = np.bincount(place, w, minlength=len(first)).astype(np.float64, copy=False)
    return X[first], whole


def plus_plus(candidates: Candidates, k: int, rng: np.random.RandomState) -> Rows:
    """Draw rows with a probability that grows with their squared distance to those drawn.

    [Arthur07], and like scikit-learn the best of ``2 + log k`` draws each time.
    """
    weight = candidates.weight
    trials = 2 + int(np.log(k))
    chosen = np.empty(k, np.int64)
    chosen[0] = _drawn(weight, rng, 1)[0]
    closest = candidates.keys(candidates.values(chosen[:1])[0])
    for place in range(1, k):
        drawn = _drawn(weight * closest, rng, trials)
        nearer = [np.minimum(closest, candidates.keys(x)) for x in candidates.values(drawn)]
        best = int(np.argmin([float((weight * keys).sum()) for keys in nearer]))
        chosen[place], closest = drawn[best], nearer[best]
    return chosen


def farthest_first(candidates: Candidates, k: int, first: int) -> Seeds:
    """Take again and again the row farthest from those taken [Gonzalez85], of equals the first."""
    chosen, reach = np.empty(k, np.int64), np.empty(k)
    closest = np.full(len(candidates.weight), np.inf)
    place = first
    for step in range(k):
        chosen[step] = place
        taken = candidates.values(chosen[step : step + 1])[0]
        closest = np.minimum(closest, candidates.keys(taken))
        place = int(np.argmax(np.where(candidates.weight > 0, closest, -1.0)))
        reach[step] = closest[place]
    return Seeds(chosen, reach)


def at_random(candidates: Candidates, k: int, rng: np.random.RandomState) -> Rows:
    """Draw different rows, the heavier the likelier; where there are too few, some twice."""
    share = candidates.weight / candidates.weight.sum()
    drawn = rng.choice(len(share), min(k, len(share)), replace=False, p=share)
    return np.resize(np.asarray(drawn, np.int64), k)


def middlemost(candidates: Candidates) -> int:
    """Return the row nearest to the mean, which does not depend on the order of the rows."""
    weight = candidates.weight
    total = np.zeros(candidates.X.shape[1])
    for start in range(0, len(weight), BLOCK_ROWS):  # not a product, whose bits a BLAS decides
        here = np.arange(start, min(start + BLOCK_ROWS, len(weight)))
        total += (candidates.values(here) * weight[here, None]).sum(axis=0)
    key = candidates.keys(total / weight.sum())
    return int(np.argmin(np.where(weight > 0, key, np.inf)))


def _marks(X: Matrix) -> AnyArray:
    """Return a number for every row, by its values other than zero and their columns."""
    entries = sp.coo_array(X)
    bits = np.asarray(entries.data, np.float64).view(np.uint64)
    with np.errstate(over="ignore"):
        terms = mixed(bits ^ mixed(entries.coords[1].astype(np.uint64)))
        marks = np.zeros(X.shape[0], np.uint64)
        np.add.at(marks, entries.coords[0], np.where(entries.data != 0, terms, np.uint64(0)))
    return marks


def _drawn(share: Array, rng: np.random.RandomState, count: int) -> Rows:
    """Return rows drawn in proportion to `share`; the first rows where all is zero."""
    heap = np.cumsum(share)
    found = np.searchsorted(heap, rng.uniform(size=count) * heap[-1], side="right")
    last = int(np.searchsorted(heap, heap[-1]))
    return np.asarray(np.minimum(found, last), np.int64)
