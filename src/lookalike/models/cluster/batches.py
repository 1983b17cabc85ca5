"""Batches of rows drawn at random, and the centers that they move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike.data.batches import gather, join
from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.engines import Engine
from lookalike.kernels.assign import assigner_of
from lookalike.kernels.native_arrays import as_dense
from lookalike.models.cluster.lloyd import nearest_centers
from lookalike.models.inputs import as_floats
from lookalike.reductions.ranges import Range
from lookalike.typing import AnyArray, Array, Rows, to_host

VALUES_OF_A_DRAW = 2**23  # of the rows that are drawn at once, and cut into batches
MAX_REASSIGNED_SHARE = 0.5  # of the rows of a batch that may become centers


class Batch(NamedTuple):
    """Some rows, and what each of them weighs."""

    rows: Any
    weight: Array


class MovedCenters(NamedTuple):
    """The centers after a batch, the weight that each was given so far, and its inertia before."""

    centers: Array
    counts: Array
    inertia: float


def batch_of(source: Source) -> Batch:
    """Return all rows of a table, each value finite, as one batch."""
    chunk = gather(source)
    rows: Any = as_floats(to_host(chunk.X))
    require_finite(rows, 0, source.columns)
    rows = rows.tocsr() if sp.issparse(rows) else rows
    return Batch(rows, np.ones(rows.shape[0]) if chunk.weight is None else np.asarray(chunk.weight))


def inertia_of(batch: Batch, centers: Array, label: AnyArray) -> float:
    """Return the sum of squared distances of rows to their centers, times their weights."""
    key = to_host(assigner_of(batch.rows, 1.0, 1).keys(centers, label))
    return float((key * batch.weight).sum())


def draw_batches(
    source: Source, engine: Engine, extent: Range, size: int, seed: int
) -> Iterator[Batch]:
    """Give batches of rows that have weight at random, each once before any comes again.

    There is no end to them. They are the same on every engine: an order of the row numbers is
    drawn, and as many batches as fit in memory are read in one pass. Where a batch would have all
    rows, it has them in their order.
    """
    number = np.arange(extent.rows)
    if extent.weighted < extent.rows:
        number = np.concatenate(list(engine.map(_weighted_rows, source)))
    together = max(1, VALUES_OF_A_DRAW // max(1, source.n_features * size)) * size
    for epoch in count():
        order = number
        if size < len(number):
            order = np.random.RandomState([seed, epoch]).permutation(number)
        for begin in range(0, max(1, len(order) // size) * size, together):
            drawn = _rows_at(source, engine, order[begin : begin + together])
            for at in range(0, len(drawn.weight) - size + 1, size):
                yield Batch(drawn.rows[at : at + size], drawn.weight[at : at + size])


def _weighted_rows(chunk: Chunk) -> Rows:
    """Return the numbers of the rows of a chunk that have weight."""
    assert chunk.weight is not None
    return chunk.offset + np.flatnonzero(np.asarray(chunk.weight))


def _rows_at(source: Source, engine: Engine, order: Rows) -> Batch:
    """Return the rows of these numbers."""
    number = np.sort(order)

    def take(chunk: Chunk) -> Chunk:
        first, last = np.searchsorted(number, [chunk.offset, chunk.offset + chunk.X.shape[0]])
        row = number[first:last] - chunk.offset
        rows: Any = to_host(chunk.X[row])
        return Chunk(rows, None, None if chunk.weight is None else np.asarray(chunk.weight)[row])

    vars(take)["on_gpu"] = True
    drawn = join(list(engine.map(take, source)))
    place = np.searchsorted(number, order)
    rows: Any = as_floats(drawn.X)
    weight = np.ones(len(order)) if drawn.weight is None else drawn.weight[place]
    return Batch(rows[place], weight)


def move_centers(batch: Batch, centers: Array, counts: Array, threads: int) -> MovedCenters:
    """Move each center to the mean of the rows that it was given so far [Sculley10]."""
    label = nearest_centers(batch.rows, centers, unit=False, threads=threads)
    chosen = sp.csr_array(
        (batch.weight, label, np.arange(len(label) + 1)), shape=(len(label), len(centers))
    )
    total = np.asarray(chosen.sum(axis=0)).ravel()
    sums = np.asarray(as_dense(chosen.T @ batch.rows), np.float64)
    counts = counts + total
    share = np.divide(1.0, counts, out=np.zeros_like(counts), where=counts > 0)
    moved = centers + (sums - centers * total[:, None]) * share[:, None]
    return MovedCenters(moved, counts, inertia_of(batch, centers, label))


def reassign(
    moved: MovedCenters, batch: Batch, ratio: float, rng: np.random.RandomState
) -> MovedCenters:
    """Give centers of little weight a row of the batch, and the least weight of the others.

    That is less than `ratio` times the largest.
    """
    few = moved.counts < ratio * moved.counts.max()
    few[moved.counts.argmax()] = False  # whatever the ratio
    most = int(MAX_REASSIGNED_SHARE * batch.rows.shape[0])
    if np.count_nonzero(few) > most:
        few[np.argsort(moved.counts, kind="stable")[most:]] = False
    if not few.any():
        return moved
    rows = rng.choice(batch.rows.shape[0], np.count_nonzero(few), replace=False)
    centers, counts = moved.centers.copy(), moved.counts.copy()
    centers[few] = as_dense(batch.rows[rows])
    counts[few] = moved.counts[~few].min()
    return moved._replace(centers=centers, counts=counts)


class Convergence:
    """Says when batches stop to improve the centers, by a moving average of their inertia.

    Parameters
    ----------
    share : float
        Of the newest batch in the average.
    least_shift : float
        Squared shifts of the centers that add up to at most this end it; 0 goes on.
    patience : int, optional
        Batches in turn that may leave the least average as it is; None goes on.
    log : function
        Receives what happens.
    """

    def __init__(
        self, share: float, least_shift: float, patience: int | None, log: Callable[[str], None]
    ) -> None:
        self.share, self.least_shift, self.patience, self._log = share, least_shift, patience, log
        self.average = self.least_average = np.inf
        self.unimproved = 0
        self.reason = "max_iter"

    def reached(self, step: str, inertia: float, shift: float) -> bool:
        """Return whether to stop after a batch of this mean inertia, which moved the centers."""
        first = np.isinf(self.average)
        self.average = inertia if first else self.average + self.share * (inertia - self.average)
        self._log(
            f"Minibatch step {step}: mean batch inertia: {inertia}, ewa inertia: {self.average}"
        )
        if self.least_shift > 0.0 and shift <= self.least_shift:
            self.reason = "small centers change"
        elif self.average < self.least_average:
            self.least_average, self.unimproved = self.average, 0
        else:
            self.unimproved += 1
            if self.patience is not None and self.unimproved >= self.patience:
                self.reason = "lack of improvement in inertia"
        stops = self.reason != "max_iter"
        if stops:
            self._log(f"Converged ({self.reason}) at step {step}")
        return stops
