"""One pass over the codes for a whole batch of queries; rows are read where codes leave doubt.

The nearest of a few rows in memory give every query a limit. The codes of a block leave the rows
that may lie within it, and bounds from above bring it down. At the end the likeliest rows that
are left are read, and then those that may still be nearer. Float64 decides between them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lookalike.index.disk.row_file import changed_rows
from lookalike.index.disk.segment import Segment
from lookalike.index.exact import ExactIndex
from lookalike.index.join import (
    NearestKeys,
    join_nearest,
    keys_of_part,
    limits_of,
    nearest_of_pairs,
    none_searched,
    require_all_searched,
)
from lookalike.kernels.block_search import NO_PAIRS, BlockSearch, RowPairs
from lookalike.kernels.exact import NO_MASK, nearest
from lookalike.kernels.pair_keys import pair_keys
from lookalike.settings import settings
from lookalike.typing import AnyArray, Array, Rows

KEY_ROUNDING_FACTOR = 1 + 2.0**-30  # more than all roundings of a key, and of a bound
SQUARE_ROUNDING_FLOOR = 2.0**-500  # likewise of squares that vanish
MOST_CANDIDATES = 4096  # of a query in a block; with more, the rows of the block are all read
PAIR_BYTES = 40  # that a candidate takes
PAIRS_AT_ONCE = 1 << 16  # compared at once
MAX_ROWS_READ_WITHOUT_CODES = 1 << 14
MIN_SUBSET_RATIO_FOR_CODES = 64  # all rows to those allowed
NO_ROW = np.empty(0, np.int64)


class DiskSearch:
    """The search for the `k` nearest rows of a batch of queries.

    Parameters
    ----------
    segments : list of Segment
        All rows.
    Q : array
        Queries as the metric compares them.
    k : int
        Neighbors of each; there are at least this many rows allowed, and one more with `exclude`.
    exclude : array
        A row for each query that is not a neighbor of it, or nothing.
    allowed : array of bool
        For each row whether it may be a neighbor, or nothing where all may.
    seeds : ExactIndex
        Of the rows in memory, scaled.
    scale : float
        A power of two by which queries and rows are multiplied.
    threads : int
        Threads.
    """

    segments: list[Segment]
    k: int
    scale: float
    exclude: Rows
    allowed: AnyArray
    threads: int
    covered: NearestKeys
    waiting: RowPairs
    best: NearestKeys
    limit: Array

    def __init__(
        self,
        segments: list[Segment],
        Q: AnyArray,
        k: int,
        *,
        exclude: Rows,
        allowed: AnyArray,
        seeds: ExactIndex,
        scale: float,
        threads: int,
    ) -> None:
        self.segments, self.k, self.scale = segments, k, scale
        self.Q: AnyArray = Q if scale == 1.0 else Q * scale
        self.seeds = seeds
        self.exclude, self.allowed, self.threads = exclude, allowed, threads
        self.best = none_searched(len(Q))  # of the rows that were compared
        self.covered = none_searched(0)
        self.waiting = NO_PAIRS
        self.limit = np.full(len(Q), np.inf)  # keys that the k-th neighbors do not exceed
        most = settings().memory // 8 // (PAIR_BYTES * max(len(Q), 1))
        self.most: int = int(min(max(most, 8 * k), max(MOST_CANDIDATES, 8 * k)))

    def run(self) -> NearestKeys:
        """Return the nearest rows of every query by their keys."""
        chosen = np.flatnonzero(self.allowed) if len(self.allowed) else NO_ROW
        if len(self.allowed) and len(chosen) <= max(
            MAX_ROWS_READ_WITHOUT_CODES, self._n_rows // MIN_SUBSET_RATIO_FOR_CODES
        ):
            return self._run_few(chosen)
        self.limit = self._seed_limits()
        for segment in self.segments:
            self._search_segment(segment)
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
        return int(max(1024, min(PAIRS_AT_ONCE, settings().memory // 8 // size)))

    def _seed_limits(self) -> Array:
        """Return for every query a key that the k-th nearest row does not exceed."""
        wanted = self.k + (len(self.exclude) > 0)
        row = np.concatenate([segment.seed_row for segment in self.segments])
        mask = self.allowed[row] if len(self.allowed) else np.ones(len(row), bool)
        if mask.sum() < wanted:
            row = np.flatnonzero(self.allowed) if len(self.allowed) else np.arange(self._n_rows)
            n_seeds = min(max(4 * wanted, 1024), len(row))
            row = row[np.unique(np.linspace(0, len(row) - 1, n_seeds).astype(np.int64))]
            near = ExactIndex(self.read(row), filter="none")
            mask = np.ones(len(row), bool)
        else:
            near = self.seeds
        everyone = bool(mask.all())
        nearest = near.query(self.Q, wanted, where=None if everyone else mask, threads=self.threads)
        limit: Array = (
            nearest.distance[:, -1] * KEY_ROUNDING_FACTOR
        ) ** 2 * KEY_ROUNDING_FACTOR + SQUARE_ROUNDING_FLOOR
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
            part = keys_of_part(*none_searched(0)[:2], segment.first + start, segment.first + stop)
            self.covered = join_nearest((self.covered, part), self.k)

    def _search_segment(self, segment: Segment) -> None:
        """Let the rows of a segment that may be near enough wait, or compare them."""
        wanted = [n for n in range(len(segment.blocks)) if self._any_allowed(segment, n)]
        self._cover(segment, set(range(len(segment.blocks))) - set(wanted))
        for pairs, number, crowded in self._candidates(segment, wanted, self.k):
            self._wait(pairs)
            if len(crowded):
                self._compare_block(segment, number, crowded)
            self.limit = np.minimum(self.limit, limits_of(self.best, self.k))
            self._cover(segment, {number})

    def _compare_block(self, segment: Segment, number: int, query: Rows) -> None:
        """Compare all rows of a block with some queries."""
        start, stop = segment.range_of(number)
        first = segment.first + start
        values = self._scaled(segment.rows.slice(start, stop))
        row = np.arange(first, first + stop - start)
        if len(self.allowed):
            row = row[self.allowed[row]]
            values = values[row - first]
        self._compare_all(values, row, query)

    def _candidates(
        self, segment: Segment, numbers: list[int], k: int
    ) -> Iterator[tuple[RowPairs, int, Rows]]:
        """Give, block by block, pairs that may lie within the limits, and queries of too many.

        The pairs may be of this block or of those before; with the last block all were given.
        With `k`, `limit` falls as bounds from above allow, and is looked at before every block.
        """
        if segment.codes is None:
            everyone = np.arange(len(self.Q))
            yield from ((NO_PAIRS, number, everyone) for number in numbers)
            return
        ratio = segment.scale / self.scale
        layout = segment.codes.layout
        search = BlockSearch(
            layout.map, layout.mean, layout.directions, self.Q, scale=ratio,
            exclude=self.exclude, limit=self.limit * ratio**2, k=k, threads=self.threads,
        )  # fmt: skip
        for number, data in segment.codes.read(numbers):
            start, stop = segment.range_of(number)
            block = segment.blocks[number]
            search.lower(self.limit * ratio**2)
            crowded = search.scan(
                layout.parts(block, data),
                n_rows=block.n_rows,
                extra=layout.extra if layout.map.blocks > 1 else 0,
                first=segment.first + start,
                allowed=self._allowed_in(segment, start, stop),
                most=self.most,
            )
            pairs = NO_PAIRS
            if k == 0 or number == numbers[-1] or len(search) * PAIR_BYTES > self._room:
                if k:
                    self.limit = np.minimum(self.limit, search.limits() / ratio**2)
                pairs = search.take()
                pairs = pairs._replace(low=pairs.low / ratio)
            yield pairs, number, crowded

    def pairs_within(self, limit: Array) -> Iterator[RowPairs]:
        """Give the pairs of every block whose key may be at most the limit of the query."""
        self.limit = limit
        for segment in self.segments:
            wanted = [n for n in range(len(segment.blocks)) if self._any_allowed(segment, n)]
            for pairs, number, crowded in self._candidates(segment, wanted, 0):
                yield pairs
                start, stop = segment.range_of(number)
                row = np.arange(segment.first + start, segment.first + stop)
                row = row[self.allowed[row]] if len(self.allowed) else row
                for query in crowded.tolist():
                    self_rows = self.exclude[query] if len(self.exclude) else -1
                    others = row[row != self_rows]
                    yield RowPairs(np.full(len(others), query), others, np.zeros(len(others)))

    @property
    def _room(self) -> int:
        """Bytes that candidates may take."""
        return settings().memory // 8

    def _wait(self, pairs: RowPairs) -> None:
        if not len(pairs.query):
            return
        self.waiting = RowPairs(
            *(np.concatenate(both) for both in zip(self.waiting, pairs, strict=True))
        )
        wanted = 8 * self.k
        while len(self.waiting.query) * PAIR_BYTES > self._room // 2:
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
        for compared, key in self.compared(chosen):
            self._keep(compared.query, key, compared.row)
        self.waiting = self._still_possible(self.waiting)

    def _still_possible(self, waiting: RowPairs) -> RowPairs:
        """Return the pairs that may be nearer than the k-th row so far."""
        limit = np.minimum(self.limit, limits_of(self.best, self.k))
        reach = np.sqrt(limit) * KEY_ROUNDING_FACTOR + SQUARE_ROUNDING_FLOOR
        return waiting.some(waiting.low <= reach[waiting.query])

    def compared(self, pairs: RowPairs) -> Iterator[tuple[RowPairs, Array]]:
        """Give pairs with their keys; their rows are read in the order of the file."""
        order = np.argsort(pairs.row, kind="stable")
        for start in range(0, len(order), self._at_once):
            chosen = pairs.some(order[start : start + self._at_once])
            row, inverse = np.unique(chosen.row, return_inverse=True)
            values = self.read(row)
            key = pair_keys(self.Q[chosen.query], values, inverse[:, None], threads=self.threads)[
                :, 0
            ]
            if (np.sqrt(key) * KEY_ROUNDING_FACTOR + SQUARE_ROUNDING_FLOOR < chosen.low).any():
                raise changed_rows(self.segments[0].file.place.path)
            yield chosen, key

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
