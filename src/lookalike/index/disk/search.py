"""One pass over the codes for a whole batch of queries; rows are read where codes leave doubt.

The nearest of a few rows at hand give every query a limit. The codes of a block leave the rows
that may lie within it; now and then the likeliest of these are read, which brings the limits
down, and at the end all that are left. Float64 decides between rows that were read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lookalike.index.disk.row_file import changed_rows
from lookalike.index.disk.segment import Segment
from lookalike.index.exact import ExactIndex
from lookalike.index.join import (
    NearestKeys,
    join_nearest,
    limits_of,
    nearest_of_pairs,
    none_searched,
    part_of,
    require_all_searched,
)
from lookalike.kernels.exact import NO_MASK, candidates, nearest
from lookalike.kernels.pair_keys import pair_keys
from lookalike.settings import settings
from lookalike.typing import AnyArray, Array, Rows

ABOVE = 1 + 2.0**-30  # more than all roundings of a key, and of a bound
TINY = 2.0**-500  # likewise of squares that vanish
MOST_CANDIDATES = 4096  # of a query in a block; with more, the rows of the block are all read
PAIR_BYTES = 40  # that a candidate takes
PAIRS = 1 << 16  # compared at once
FEW_ROWS, FEW = 1 << 14, 64  # so many rows, or this part of all, are read without codes
NO_ROW = np.empty(0, np.int64)


class RowPairs(NamedTuple):
    """Pairs of query and row that have not been compared."""

    query: Rows
    row: Rows  # among all rows that were ever added
    low: Array  # no more than the distance

    def some(self, which: AnyArray) -> RowPairs:
        """Return some of the pairs."""
        return RowPairs(self.query[which], self.row[which], self.low[which])


NO_PAIRS = RowPairs(NO_ROW, NO_ROW, np.empty(0))


class DiskSearch:
    """The search for the `k` nearest rows of a batch of queries.

    Parameters
    ----------
    segments : list of Segment
        All rows.
    Q : array
        Queries as the metric compares them.
    k : int
        Neighbors of each; there are at least so many rows allowed, and one more with `exclude`.
    exclude : array
        A row for each query that is no neighbor of it, or nothing.
    allowed : array of bool
        For each row whether it may be a neighbor, or nothing where all may.
    seeds : ExactIndex
        Of the rows at hand, scaled.
    scale : float
        A power of two by which queries and rows are multiplied.
    threads : int
        Threads.
    """

    def __init__(
        self,
        segments: list[Segment],
        Q: AnyArray,
        k: int,
        *,
        seeds: ExactIndex,
        exclude: Rows = NO_ROW,
        allowed: AnyArray = NO_MASK,
        scale: float = 1.0,
        threads: int = 0,
    ) -> None:
        self.segments, self.k, self.scale = segments, k, scale
        self.Q: AnyArray = Q if scale == 1.0 else Q * scale
        self.seeds = seeds
        self.exclude, self.allowed, self.threads = exclude, allowed, threads
        self.best = none_searched(len(Q))  # of the rows that were compared
        self.covered = none_searched(0)
        self.waiting = NO_PAIRS
        most = settings().memory // 8 // (PAIR_BYTES * max(len(Q), 1))
        self.most = int(min(max(most, 8 * k), max(MOST_CANDIDATES, 8 * k)))

    def run(self) -> NearestKeys:
        """Return the nearest rows of every query by their keys."""
        chosen = np.flatnonzero(self.allowed) if len(self.allowed) else NO_ROW
        if len(self.allowed) and len(chosen) <= max(FEW_ROWS, self._n_rows // FEW):
            return self._run_few(chosen)
        seeds = self._seed_limits()
        n_blocks, next_look = 0, 1
        for segment in self.segments:
            wanted = [n for n in range(len(segment.blocks)) if self._any_allowed(segment, n)]
            self._cover(segment, set(range(len(segment.blocks))) - set(wanted))
            for number, data in _blocks(segment, wanted):
                limit = np.minimum(seeds, limits_of(self.best, self.k))
                self._search_block(segment, number, data, limit)
                n_blocks += 1
                if n_blocks == next_look:
                    self._look(self.k)
                    next_look *= 2
        wanted_rows = self.k
        while len(self.waiting.query):
            self._look(wanted_rows)
            wanted_rows *= 2
        require_all_searched(self.covered, sum(segment.n_rows for segment in self.segments))
        return self.best

    def _run_few(self, row: Rows) -> NearestKeys:
        """Return the nearest of a few rows: all of them are read, and no codes."""
        for start in range(0, len(row), self._at_once):
            number = row[start : start + self._at_once]
            self._compare_all(self.read(number), number, np.arange(len(self.Q)))
        return self.best

    @property
    def _at_once(self) -> int:
        """Rows that are read and compared at once."""
        size = self.segments[0].rows.shape[1] * 8 * 4
        return int(max(1024, min(PAIRS, settings().memory // 8 // size)))

    def _seed_limits(self) -> Array:
        """Return for every query a key that the k-th nearest row does not exceed."""
        wanted = self.k + (len(self.exclude) > 0)
        row = np.concatenate([segment.seed_row for segment in self.segments])
        mask = self.allowed[row] if len(self.allowed) else np.ones(len(row), bool)
        if mask.sum() < wanted:
            row = np.flatnonzero(self.allowed) if len(self.allowed) else np.arange(self._n_rows)
            some = min(max(4 * wanted, 1024), len(row))
            row = row[np.unique(np.linspace(0, len(row) - 1, some).astype(np.int64))]
            near = ExactIndex(self.read(row), filter="none")
            mask = np.ones(len(row), bool)
        else:
            near = self.seeds
        everyone = bool(mask.all())
        found = near.query(self.Q, wanted, where=None if everyone else mask, threads=self.threads)
        limit: Array = (found.distance[:, -1] * ABOVE) ** 2 * ABOVE + TINY
        return limit

    @property
    def _n_rows(self) -> int:
        return sum(segment.n_rows for segment in self.segments)

    def _scaled(self, X: AnyArray) -> AnyArray:
        return X if self.scale == 1.0 else X * self.scale

    def _allowed_in(self, segment: Segment, start: int, stop: int) -> AnyArray:
        if not len(self.allowed):
            return NO_MASK
        return self.allowed[segment.first + start : segment.first + stop]

    def _any_allowed(self, segment: Segment, number: int) -> bool:
        allowed = self._allowed_in(segment, *segment.range_of(number))
        return not len(self.allowed) or bool(allowed.any())

    def _cover(self, segment: Segment, numbers: set[int]) -> None:
        for number in numbers:
            start, stop = segment.range_of(number)
            part = part_of(*none_searched(0)[:2], segment.first + start, segment.first + stop)
            self.covered = join_nearest((self.covered, part), self.k)

    def _search_block(
        self, segment: Segment, number: int, data: bytes | None, limit: Array
    ) -> None:
        """Let the rows of a block that may be near enough wait, or read all where too many are."""
        pairs, crowded = self._candidates(segment, number, data, limit)
        self._wait(pairs)
        if len(crowded):
            start, stop = segment.range_of(number)
            first = segment.first + start
            values = self._scaled(segment.rows.slice(start, stop))
            row = np.arange(first, first + stop - start)
            if len(self.allowed):
                row = row[self.allowed[row]]
                values = values[row - first]
            self._compare_all(values, row, crowded)
        self._cover(segment, {number})

    def _candidates(
        self, segment: Segment, number: int, data: bytes | None, limit: Array
    ) -> tuple[RowPairs, Rows]:
        """Return the pairs of a block that may lie within the limits, and queries of too many."""
        start, stop = segment.range_of(number)
        if data is None:
            return NO_PAIRS, np.arange(len(self.Q))
        assert segment.codes is not None
        ratio = segment.scale / self.scale
        found, _ = candidates(
            segment.codes.layout.unpack(segment.blocks[number], data, self.threads),
            self.Q,
            limit * ratio**2,
            scale=ratio,
            allowed=self._allowed_in(segment, start, stop),
            most=self.most,
            threads=self.threads,
        )
        counts = np.diff(found.start)
        query = np.repeat(np.arange(len(self.Q)), counts)
        pairs = RowPairs(query, found.row + (segment.first + start), found.low / ratio)
        crowded = np.flatnonzero(counts > self.most)
        if len(crowded):
            pairs = pairs.some(counts[query] <= self.most)
        if len(self.exclude):
            pairs = pairs.some(pairs.row != self.exclude[pairs.query])
        return pairs, crowded

    def pairs_within(self, limit: Array) -> Iterator[RowPairs]:
        """Give the pairs of every block whose key may be at most the limit of the query."""
        for segment in self.segments:
            wanted = [n for n in range(len(segment.blocks)) if self._any_allowed(segment, n)]
            for number, data in _blocks(segment, wanted):
                pairs, crowded = self._candidates(segment, number, data, limit)
                yield pairs
                start, stop = segment.range_of(number)
                row = np.arange(segment.first + start, segment.first + stop)
                row = row[self.allowed[row]] if len(self.allowed) else row
                for query in crowded.tolist():
                    own = self.exclude[query] if len(self.exclude) else -1
                    others = row[row != own]
                    yield RowPairs(np.full(len(others), query), others, np.zeros(len(others)))

    def _wait(self, some: RowPairs) -> None:
        self.waiting = RowPairs(
            *(np.concatenate(both) for both in zip(self.waiting, some, strict=True))
        )
        wanted = 8 * self.k
        while len(self.waiting.query) * PAIR_BYTES > settings().memory // 8:
            self._look(wanted)
            wanted *= 2

    def _compare_all(self, values: AnyArray, number: Rows, query: Rows) -> None:
        """Compare rows that were read with some queries."""
        wanted = min(self.k + (len(self.exclude) > 0), len(number))
        Q = self.Q[query]
        _, local, _ = nearest(
            values, None, Q, wanted, scale=1.0, exclude=NO_ROW, threads=self.threads
        )
        key, row = pair_keys(Q, values, local, threads=self.threads), number[local]
        if len(self.exclude):
            key = np.where(row == self.exclude[query][:, None], np.inf, key)
        self._keep(np.repeat(query, wanted), key.reshape(-1), row.reshape(-1))

    def _look(self, wanted: int) -> None:
        """Read the `wanted` likeliest rows that wait for each query, and compare them."""
        waiting = self._still_possible(self.waiting)
        order = np.lexsort((waiting.row, waiting.low, waiting.query))
        waiting = waiting.some(order)
        first = np.searchsorted(waiting.query, np.arange(len(self.Q)))
        likely = np.arange(len(waiting.query)) - first[waiting.query] < wanted
        chosen = waiting.some(likely)
        self.waiting = waiting.some(~likely)
        for some, key in self.compared(chosen):
            self._keep(some.query, key, some.row)
        self.waiting = self._still_possible(self.waiting)

    def _still_possible(self, waiting: RowPairs) -> RowPairs:
        """Return the pairs that may be nearer than the k-th row so far."""
        reach = np.sqrt(limits_of(self.best, self.k)) * ABOVE + TINY
        return waiting.some(waiting.low <= reach[waiting.query])

    def compared(self, pairs: RowPairs) -> Iterator[tuple[RowPairs, Array]]:
        """Give pairs with their keys; their rows are read in the order of the file."""
        order = np.argsort(pairs.row, kind="stable")
        for start in range(0, len(order), self._at_once):
            some = pairs.some(order[start : start + self._at_once])
            row, place = np.unique(some.row, return_inverse=True)
            values = self.read(row)
            key = pair_keys(self.Q[some.query], values, place[:, None], threads=self.threads)[:, 0]
            if (np.sqrt(key) * ABOVE + TINY < some.low).any():
                raise changed_rows(self.segments[0].file.place.path)
            yield some, key

    def _keep(self, query: Rows, key: Array, row: Rows) -> None:
        table = nearest_of_pairs(query, key, row, len(self.Q), self.k)
        self.best = join_nearest((self.best, table), self.k)

    def read(self, row: Rows) -> AnyArray:
        """Return rows of rising numbers, embedded and scaled."""
        parts = []
        for segment in self.segments:
            begin, end = np.searchsorted(row, [segment.first, segment.first + segment.n_rows])
            if end > begin:
                raw = segment.file.read(row[begin:end] - segment.first)
                parts.append(self._scaled(segment.rows.embed(raw)))
        return stacked(parts)


def stacked(parts: list[AnyArray]) -> AnyArray:
    """Return rows of several segments in one array of a type that holds them all."""
    if len(parts) == 1:
        return parts[0]
    same = len({part.dtype for part in parts}) == 1
    return np.concatenate(parts, dtype=parts[0].dtype if same else np.float64)


def _blocks(segment: Segment, numbers: list[int]) -> Iterator[tuple[int, bytes | None]]:
    """Give the codes of blocks in order; nothing where the segment has none."""
    if segment.codes is None:
        return ((number, None) for number in numbers)
    return segment.codes.read(numbers)
