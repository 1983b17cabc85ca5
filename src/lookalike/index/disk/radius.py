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
        for some, key in search.compared(pairs):
            near = key <= limit[some.query]
            parts.append((some.query[near], key[near], some.row[near]))
    query, key, row = (
        np.concatenate([part[i] for part in parts]) if parts else np.empty(0, np.int64)
        for i in range(3)
    )
    order = np.lexsort((row, key, query))
    start = starts_of(np.bincount(query, minlength=len(limit)))
    return np.asarray(key[order], np.float64), row[order], start
