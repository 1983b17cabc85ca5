"""Candidates among rows that are not in memory: their codes come block by block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from lookalike import _core
from lookalike.kernels.exact import CodeMap
from lookalike.typing import AnyArray, Array, Rows


class RowPairs(NamedTuple):
    """Pairs of query and row that have not been compared."""

    query: Rows
    row: Rows
    low: Array  # no more than the distance

    def some(self, which: AnyArray) -> RowPairs:
        """Return some of the pairs."""
        return RowPairs(self.query[which], self.row[which], self.low[which])


NO_PAIRS = RowPairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


class BlockSearch:
    """Queries, and the rows that the codes of the blocks so far do not rule out.

    Parameters
    ----------
    code_map, mean, directions
        How the rows became codes.
    Q : array
        The queries, which are multiplied by the power of two `scale`.
    exclude : array
        A row for each query that is not a neighbor of it, or nothing.
    limit : array
        For each query a key; rows whose key may be at most that are candidates. Bounds from
        above lower it to one that the keys of `k` rows do not exceed; with 0 it stays.
    """

    def __init__(
        self,
        code_map: CodeMap,
        mean: Array,
        directions: AnyArray,
        Q: AnyArray,
        *,
        scale: float,
        exclude: Rows,
        limit: Array,
        k: int,
        threads: int,
    ) -> None:
        self._native = _core.BlockSearch(
            map=asdict(code_map),
            arrays={"mean": mean, "directions": directions},
            Q=Q,
            scale=scale,
            exclude=exclude,
            limit=np.ascontiguousarray(limit),
            k=k,
            threads=threads,
        )

    def __len__(self) -> int:
        return self._native.size()

    def scan(
        self,
        parts: Mapping[str, AnyArray],
        *,
        n_rows: int,
        extra: int,
        first: int,
        allowed: AnyArray,
        most: int,
    ) -> Rows:
        """Add the candidates of a block whose rows are numbered from `first` on.

        Returns the queries that have more than `most` in it, of which none is kept.
        """
        crowded: Rows = self._native.scan(
            rows=n_rows,
            extra=extra,
            first=first,
            allowed=allowed.view(np.uint8),
            most=most,
            **parts,
        )
        return crowded

    def lower(self, limit: Array) -> None:
        """Lower the limits to these keys, where they are lower."""
        self._native.lower(np.ascontiguousarray(limit))

    def limits(self) -> Array:
        """Return the key that the k-th neighbor of each query does not exceed."""
        limits: Array = self._native.limits()
        return limits

    def take(self) -> RowPairs:
        """Return the candidates that are still possible; none of them is kept here."""
        return RowPairs(*self._native.take())
