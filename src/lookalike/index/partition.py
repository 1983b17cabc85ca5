"""The index of one partition, as it lies on a worker: rows, codes, and balls that hold the rows."""

from __future__ import annotations

import numpy as np

from lookalike.data.batches import join
from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.errors import EngineError
from lookalike.index.exact import ExactIndex
from lookalike.index.join import NearestKeys, join_nearest, keys_of_part
from lookalike.index.kdtree import KDTreeIndex
from lookalike.index.plan import MAX_COLUMNS_FOR_BOXES
from lookalike.index.tiny_distances import with_tiny_keys
from lookalike.kernels.exact import NO_MASK
from lookalike.kernels.metrics import Metric
from lookalike.kernels.metrics.base import Embedded
from lookalike.kernels.metrics.minkowski import Euclidean
from lookalike.kernels.metrics.rows import MetricRows, SparseRows, keep_rows
from lookalike.kernels.pair_keys import pair_keys
from lookalike.kernels.scan import scan_nearest, scan_within
from lookalike.typing import AnyArray, Array, Rows

MAX_BALLS_PER_PARTITION = 16  # that hold the rows of a partition, at most
BALL_SAMPLE_ROWS = 4_096  # rows that their centers are chosen from
BALL_BLOCK_ROWS = 2_048  # rows whose distances to the centers are in memory at once


class Balls:
    """Balls that hold all rows: centers far apart, each row in the ball of a near one."""

    def __init__(self, X: AnyArray) -> None:
        sample = X[:: -(-len(X) // BALL_SAMPLE_ROWS)].astype(np.float64)
        center = _spread_centers(sample)
        owner = np.concatenate(
            [
                _lower_distances(X[start : start + BALL_BLOCK_ROWS], center).argmin(axis=1)
                for start in range(0, len(X), BALL_BLOCK_ROWS)
            ]
        )
        radius = np.zeros(len(center))
        for ball in range(len(center)):
            mine = X[owner == ball]
            if len(mine):
                center[ball] = mine.mean(axis=0, dtype=np.float64)  # nearer to all of them
                gaps = [
                    (mine[start : start + BALL_BLOCK_ROWS] - center[ball])
                    for start in range(0, len(mine), BALL_BLOCK_ROWS)
                ]
                radius[ball] = max(
                    np.sqrt((differences**2).sum(axis=1)).max() for differences in gaps
                )
        used = np.unique(owner)
        self._center = center[used]
        self._radius = radius[used] * (1 + slack_of(X.shape[1]))  # rounded up

    def nearest(self, Q: AnyArray) -> Array:
        """Return below which distance no row can lie of each query, rounded down."""
        lowest: Array = (_lower_distances(Q, self._center) - self._radius).min(axis=1)
        return lowest


class PartitionIndex:
    """The rows of a partition, arranged for search.

    Parameters
    ----------
    part : Source or Chunk
        The rows, with their numbers among all.
    metric : Metric
        What is near; nothing is measured on the partition.
    scale : float
        A power of two by which rows and queries are multiplied before they are compared.
    n_features : int
        How many columns every partition has.
    """

    offset: int
    metric: Metric
    scale: float

    def __init__(self, part: Source | Chunk, metric: Metric, scale: float, n_features: int) -> None:
        chunk = part if isinstance(part, Chunk) else join(list(part.chunks()))
        self.offset, self.metric, self.scale = chunk.offset, metric, scale
        if chunk.X.shape[1] != n_features:
            raise EngineError(
                f"The partition from row {self.offset} on has {chunk.X.shape[1]} columns, the "
                f"first has {n_features}. Give partitions of one width."
            )
        self.rows: MetricRows = metric.rows(chunk.X)
        self._index: ExactIndex | KDTreeIndex | None = None
        self.balls: Balls | None = None
        rows = self.rows
        if isinstance(metric, Embedded) and not isinstance(rows, SparseRows):
            scaled = rows if scale == 1 else rows * scale
            few = scaled.shape[1] <= MAX_COLUMNS_FOR_BOXES
            self._index = (KDTreeIndex if few else ExactIndex)(scaled, threads=1)
            self._scaled = scaled
            if scale == 1:
                self.balls = Balls(rows)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def __sizeof__(self) -> int:
        """Return the bytes of rows and codes: the scheduler does not move what is large."""
        values = self.rows.value if isinstance(self.rows, SparseRows) else self.rows
        codes = getattr(self._index, "nbytes", 0) if self._index is not None else 0
        return 1024 + int(values.nbytes) + int(codes)

    def take(self, start: int, stop: int) -> MetricRows:
        """Return some of the rows, as queries."""
        if not isinstance(self.rows, SparseRows):
            return self.rows[start:stop]
        kept = np.zeros(len(self), bool)
        kept[start:stop] = True
        return keep_rows(self.rows, kept)

    def search(
        self, Q: MetricRows, k: int, exclude: Rows | None, allowed: AnyArray = NO_MASK
    ) -> NearestKeys:
        """Return the nearest rows of every query, at most `k`, of those that are allowed."""
        limited = len(allowed) > 0
        n_rows = int(allowed.sum()) if limited else len(self)
        wanted = min(k + (exclude is not None), n_rows)
        if self._index is not None and not isinstance(Q, SparseRows):
            queries = Q if self.scale == 1 else Q * self.scale
            where = allowed if limited else None
            distance, local = self._index.query(queries, wanted, where=where, threads=1)
            key = pair_keys(queries, self._scaled, local, threads=1)
            if self.has_tiny_keys:
                key = with_tiny_keys(key, distance)
        else:
            rows = keep_rows(self.rows, allowed) if limited else self.rows
            key, local = scan_nearest(self.metric, Q, rows, wanted, scale=self.scale, threads=1)
            local = np.flatnonzero(allowed)[local] if limited else local
        row = local + self.offset
        if exclude is not None:
            key = np.where(row == exclude[:, None], np.inf, key)
        nearest = keys_of_part(key, row, self.offset, self.offset + len(self))
        return join_nearest([nearest], k)

    @property
    def has_tiny_keys(self) -> bool:
        """Whether distances whose squares vanish have keys of their own."""
        return self._index is not None and self.scale == 1 and type(self.metric) is Euclidean

    def within(self, Q: MetricRows, most: Array) -> tuple[Rows, Array, Rows]:
        """Return query, key and row of every pair whose key is within the limit of its query."""
        key, row, start = scan_within(self.metric, Q, self.rows, most, scale=self.scale, threads=1)
        query = np.repeat(np.arange(Q.shape[0]), np.diff(start))
        return query, key, row + self.offset


def slack_of(n_features: int) -> float:
    """Return more than the share by which a distance of this many columns is rounded."""
    return (n_features + 16) * 2.0**-51


def _spread_centers(sample: Array) -> Array:
    """Return rows, each as far as possible from those before; the mean of equal rows."""
    chosen = [sample.mean(axis=0)]
    with np.errstate(over="ignore"):
        squared = ((sample - chosen[0]) ** 2).sum(axis=1)
        while (
            len(chosen) <= MAX_BALLS_PER_PARTITION
            and np.isfinite(squared).all()
            and squared.max() > 0
        ):
            chosen.append(sample[int(squared.argmax())])
            squared = np.minimum(squared, ((sample - chosen[-1]) ** 2).sum(axis=1))
    return np.array(chosen[1:] or chosen)


def _lower_distances(Q: AnyArray, center: Array) -> Array:
    """Return distances by one matrix product, less than all that rounding may have added."""
    shift = center.mean(axis=0)
    q, c = Q.astype(np.float64) - shift, center - shift
    size_q, size_c = (q**2).sum(axis=1)[:, None], (c**2).sum(axis=1)
    slack = 2 * slack_of(Q.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        square = size_q + size_c - 2 * (q @ c.T) - slack * (np.sqrt(size_q) + np.sqrt(size_c)) ** 2
        low: Array = np.sqrt(np.maximum(np.nan_to_num(square, nan=0.0), 0.0)) * (1 - slack)
    return low
