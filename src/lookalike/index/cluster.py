"""Neighbors among rows on a Dask cluster: an index on every worker, partial results merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import numpy as np

from lookalike.data.predicate import Where
from lookalike.data.source import Source
from lookalike.engines.dask import DaskEngine
from lookalike.engines.dask_parts import PartCalls, WorkerParts
from lookalike.engines.tree import MergeTree
from lookalike.index.base import Neighbors
from lookalike.index.chunked import ChunkedIndex
from lookalike.index.join import (
    NearestKeys,
    join_nearest,
    keys_of_part,
    limits_of,
    none_searched,
    require_all_searched,
)
from lookalike.index.partition import Balls, PartitionIndex, slack_of
from lookalike.index.rescale import stretched
from lookalike.index.tiny_distances import distances_of_keys
from lookalike.index.validate import check_k, check_where
from lookalike.kernels.exact import NO_MASK
from lookalike.kernels.metrics import Metric
from lookalike.kernels.metrics.rows import MetricRows, SparseRows, keep_rows
from lookalike.typing import AnyArray, Array, Rows

Result = TypeVar("Result")

QUERY_BLOCK_BYTES = 2**24  # of queries with their neighbors that are on their way together
MAX_QUERIES_PER_BLOCK = 16_384  # of a block
BLOCKS_IN_FLIGHT = 2  # blocks
LEAST_RULED_OUT = 0.02  # share of pairs that balls must rule out, for a second round to pay


class ClusterIndex(ChunkedIndex):
    """Rows on the workers of a Dask cluster, each partition with an index that stays there.

    Queries are sent in blocks. Those of a block first go to the partition whose rows may be
    nearest, and then to every partition that may hold a nearer row than the k-th so far: the
    distance to balls around the rows of each says so. Partial results are merged in a tree.

    Parameters
    ----------
    source : Source
        The rows.
    metric : Metric
        What is near.
    engine : DaskEngine
        The cluster.
    n_rows : int
        How many rows there are.
    largest : float
        The largest magnitude among their values.
    """

    engine: DaskEngine
    of_collection: bool
    dtype: np.dtype
    searched: int
    skipped: int
    _number = "one per partition"

    def __init__(
        self, source: Source, metric: Metric, engine: DaskEngine, n_rows: int, largest: float = 1.0
    ) -> None:
        super().__init__(source, metric, engine, n_rows, largest)
        build = partial(
            PartitionIndex, metric=metric, scale=self.scale, n_features=source.n_features
        )
        self.of_collection, self.dtype = source.home == "dask", source.dtype
        self._parts = WorkerParts(engine, build, source)
        facts = self._parts.call(
            lambda calls: calls.results([calls.at(j, _facts) for j in range(len(self._parts))])
        )
        self.balls: list[Balls | None] = [balls for balls, _ in facts]
        self._tiny = all(tiny for _, tiny in facts)
        self.searched = self.skipped = 0  # pairs of a query and a partition
        self.decisions.add(
            "partitions", f"{len(self._parts)}", "each has an index on the worker that holds it"
        )

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "source": None, "engine": None}

    def _nearest_rows(
        self, queries: MetricRows, k: int, exclude: Rows | None, allowed: AnyArray
    ) -> Neighbors:
        """Search block by block: a partition gets no query where none of its rows is allowed."""

        def search(part: slice) -> Neighbors:
            self_rows = None if exclude is None else exclude[part]
            block = _rows(queries, part)
            return self._parts.call(
                lambda calls: self._nearest(calls, calls.send(block), k, self_rows, allowed)
            )

        return join_neighbors(list(_in_turn(search, _blocks(queries.shape, k))))

    def query_self(self, k: int, where: Where = None) -> Iterator[Neighbors]:
        """Give the neighbors of all rows, block by block; a row is not its own neighbor.

        The rows of a block come from the worker that holds them, and pass through no other place.
        """
        allowed = check_where(where, self.n_rows)
        query_block = partial(self.query_own, k=k, allowed=allowed)
        return _in_turn(query_block, self.own_blocks(k, allowed))

    def own_blocks(self, k: int, allowed: AnyArray = NO_MASK) -> list[tuple[int, int, int]]:
        """Return the blocks of a self-search: partition, first row in it, row to stop at."""
        check_k(k, self.n_rows, excluding=True, allowed=allowed)
        return [
            (number, part.start, min(part.stop, length))
            for number, length in enumerate(self._parts.n_rows)
            for part in _blocks((length, self.n_features), k)
        ]

    def query_own(
        self, block: tuple[int, int, int], k: int, allowed: AnyArray = NO_MASK
    ) -> Neighbors:
        """Return the neighbors of the rows of a block, each without itself."""
        number, first, stop = block
        self_rows = self._parts.starts[number] + np.arange(first, stop)

        def nearest(calls: PartCalls) -> Neighbors:
            rows = calls.at(number, PartitionIndex.take, first, stop)
            return self._nearest(calls, rows, k, self_rows, allowed)

        return self._parts.call(nearest)

    def _within(self, queries: MetricRows, most: Array) -> list[tuple[Rows, Array, Rows]]:
        def search(calls: PartCalls) -> list[tuple[Rows, Array, Rows]]:
            sent = calls.send(queries)
            numbers = range(len(self._parts))
            return calls.results(
                [calls.at(number, PartitionIndex.within, sent, most) for number in numbers]
            )

        return self._parts.call(search)

    def _nearest(
        self, calls: PartCalls, block: object, k: int, exclude: Rows | None, allowed: AnyArray
    ) -> Neighbors:
        """Return the neighbors of a block of queries that lies on the cluster."""
        masks = self._masks(allowed)
        first, bounded = self._first_partitions(calls, block, k, exclude, masks)
        nearest: NearestKeys = calls.result(
            self._search(calls, block, first, k, exclude, masks=masks)
        )
        sent = first
        if bounded:
            limit = np.sqrt(np.maximum(limits_of(nearest, k), 0.0))
            later = calls.result(calls.anywhere(_reachable, block, self.balls, first, limit))
            rest: NearestKeys = calls.result(
                self._search(calls, block, later, k, exclude, masks=masks)
            )
            sent = first | later
            nearest = join_nearest([nearest._replace(covered=(), n_searched=0), rest], k)
        self.searched += int(sent.sum())
        self.skipped += int((~sent).sum())
        require_all_searched(nearest, self.n_rows)
        return Neighbors(self._distance(nearest.key), nearest.row)

    def _masks(self, allowed: AnyArray) -> list[AnyArray]:
        """Return for every partition which of its rows may be neighbors; nothing where all may."""
        ranges = zip(self._parts.starts, self._parts.n_rows, strict=True)
        return [allowed[start : start + length] for start, length in ranges]

    def _first_partitions(
        self,
        calls: PartCalls,
        block: object,
        k: int,
        exclude: Rows | None,
        masks: list[AnyArray],
    ) -> tuple[Any, bool]:
        """Return which partitions each query is sent to first, and whether others may follow."""
        lengths = self._parts.n_rows
        if any(len(mask) for mask in masks):
            lengths = [int(mask.sum()) for mask in masks]
        if len(lengths) > 1 and all(balls is not None for balls in self.balls):
            wanted = k + (exclude is not None)
            first = calls.result(
                calls.anywhere(_may_be_nearest, block, self.balls, lengths, wanted)
            )
            if first is not None:
                return first, True
        n_queries = calls.result(calls.anywhere(_count, block)) if exclude is None else len(exclude)
        return np.ones((n_queries, len(lengths)), bool), False

    def _search(
        self,
        calls: PartCalls,
        block: object,
        sent: AnyArray,
        k: int,
        exclude: Rows | None,
        *,
        masks: list[AnyArray],
    ) -> Any:
        """Start the search of a block in the partitions that each query is sent to.

        Of a partition to which none is sent, all rows lie beyond the limits, or none is allowed.
        """
        search = partial(_search_part, k=k)
        tree = MergeTree(lambda left, right: calls.anywhere(_join_keys, left, right, k))
        for number, (start, length) in enumerate(
            zip(self._parts.starts, self._parts.n_rows, strict=True)
        ):
            chosen, mask = sent[:, number], masks[number]
            if chosen.any() and (mask.any() or not len(mask)):
                bits = np.packbits(mask)  # an eighth of the bytes on their way
                tree.push(calls.at(number, search, block, chosen, exclude, bits))
            else:
                none = none_searched(len(sent))
                beyond = keys_of_part(none.key, none.row, start, start + length)
                tree.push(calls.anywhere(_same, beyond))
        return tree.result()

    def _distance(self, key: Array) -> Array:
        measure = self.metric.distance
        distance = distances_of_keys(key, measure) if self._tiny else measure(key)
        return stretched(distance, 1 / self.scale, self.metric.degree)


def _facts(part: PartitionIndex) -> tuple[Balls | None, bool]:
    return part.balls, part.has_tiny_keys


def _count(Q: MetricRows) -> int:
    return int(Q.shape[0])


def _same(part: NearestKeys) -> NearestKeys:
    return part


def _join_keys(left: NearestKeys, right: NearestKeys, k: int) -> NearestKeys:
    return join_nearest([left, right], k)


def _search_part(
    part: PartitionIndex,
    Q: MetricRows,
    chosen: AnyArray,
    exclude: Rows | None,
    bits: AnyArray,
    *,
    k: int,
) -> NearestKeys:
    """Return the neighbors in one partition of the queries that are sent to it."""
    allowed = np.unpackbits(bits, count=len(part)).view(bool) if len(bits) else NO_MASK
    if chosen.all():
        return part.search(Q, k, exclude, allowed)
    self_rows = None if exclude is None else exclude[chosen]
    nearest = part.search(keep_rows(Q, chosen), k, self_rows, allowed)
    shape = (len(chosen), nearest.key.shape[1])
    key, row = np.full(shape, np.inf), np.full(shape, -1)
    key[chosen], row[chosen] = nearest.key, nearest.row
    return nearest._replace(key=key, row=row)


def _may_be_nearest(
    Q: MetricRows, balls: list[Balls], sizes: list[int], wanted: int
) -> AnyArray | None:
    """Return the partitions that each query is sent to first; None where balls rule out few.

    The nearest one, and as many more by distance as have the rows wanted together.
    """
    if isinstance(Q, SparseRows):
        return None
    low = np.stack([ball.nearest(Q) for ball in balls], axis=1)
    if (low > 0).mean() < LEAST_RULED_OUT:
        return None
    order = np.argsort(low, axis=1, kind="stable")
    rows_before = np.cumsum(np.array(sizes)[order], axis=1) - np.array(sizes)[order]
    first = np.zeros(low.shape, bool)
    np.put_along_axis(first, order, rows_before < wanted, axis=1)
    return first | ~np.isfinite(low)


def _reachable(Q: AnyArray, balls: list[Balls], first: AnyArray, limit: Array) -> AnyArray:
    """Return which other partitions may hold a row as near as the last neighbor so far."""
    slack = slack_of(Q.shape[1])
    last = limit * (1 + slack)
    low = np.stack([ball.nearest(Q) for ball in balls], axis=1) * (1 - slack)
    return ~first & ~(low > last[:, None])


def _rows(Q: MetricRows, part: slice) -> MetricRows:
    if not isinstance(Q, SparseRows):
        return Q[part]
    kept = np.zeros(Q.shape[0], bool)
    kept[part] = True
    return keep_rows(Q, kept)


def _blocks(shape: tuple[int, ...], k: int) -> list[slice]:
    """Return slices of queries whose values and neighbors take a bounded number of bytes."""
    rows = int(np.clip(QUERY_BLOCK_BYTES // (8 * shape[1] + 32 * k), 1, MAX_QUERIES_PER_BLOCK))
    return [slice(start, start + rows) for start in range(0, max(shape[0], 1), rows)]


def _in_turn(function: Callable[[Any], Result], items: list[Any]) -> Iterator[Result]:
    """Give the results in order, a few at work at once."""
    if len(items) == 1:
        yield function(items[0])
        return
    with ThreadPoolExecutor(BLOCKS_IN_FLIGHT) as pool:
        waiting = []
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > BLOCKS_IN_FLIGHT:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()


def join_neighbors(parts: list[Neighbors]) -> Neighbors:
    """Return the neighbors of the queries of all blocks, one after the other."""
    if len(parts) == 1:
        return parts[0]
    distance, row = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Neighbors(distance, row)
