"""All rows within a radius, of rows on disk."""

from __future__ import annotations

import numpy as np

from lookalike.index.disk.search import DiskSearch
from lookalike.kernels.radius import starts_of
from lookalike.typing import Array, Rows


def rows_within(search: DiskSearch, limit: Array) -> tuple[Array, Rows, Rows]:
    """Return keys, rows and starts of all rows whose key is at most `limit`, nearest first."""
    parts: list[tuple[Rows, Array, Rows]] = []
    for pairs in search.pairs_within(limit):
        for pairs_of_block, key in search.compared(pairs):
            near = key <= limit[pairs_of_block.query]
            parts.append((pairs_of_block.query[near], key[near], pairs_of_block.row[near]))
    none = (np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64))
    query = np.concatenate([part[0] for part in (none, *parts)])
    keys = np.concatenate([part[1] for part in (none, *parts)])
    row = np.concatenate([part[2] for part in (none, *parts)])
    order = np.lexsort((row, keys, query))
    start = starts_of(np.bincount(query, minlength=len(limit)))
    return keys[order], row[order], start
