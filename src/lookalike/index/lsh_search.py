"""Nearest rows among those that share a bucket with a query, and among all for comparison."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookalike.index.base import Neighbors
from lookalike.index.exact import ExactIndex
from lookalike.kernels.lsh import HashedQueries, HashedRows, KeyForm, nearest, no_tables
from lookalike.kernels.pair_keys import pair_keys
from lookalike.typing import AnyArray, Rows

EXACT_FORMS = (KeyForm.SQUARED, KeyForm.COSINE)  # whose keys are those of the exact index


def search_buckets(
    rows: HashedRows, queries: HashedQueries, k: int, threads: int, exact: Callable[[], ExactIndex]
) -> tuple[Neighbors, Rows]:
    """Return the `k` nearest candidates of every query, and how many were compared with it.

    Where they are too few, the neighbors are exact, and -1 stands for how many were compared.
    `exact` makes the index that searches for queries of too few candidates; forms that it does
    not serve compare all rows.
    """
    form, (Q, _, exclude) = rows.form, queries
    scan = form not in EXACT_FORMS
    distance, row, compared = nearest(rows, queries, k, threads=threads, scan=scan)
    lacking = np.flatnonzero(compared < 0)
    if not scan and len(lacking):
        without = exclude[lacking] if len(exclude) else None
        found = exact().query(Q[lacking], k, exclude=without, threads=threads)
        distance[lacking], row[lacking] = found
        if form is KeyForm.COSINE:
            keys = pair_keys(Q[lacking], rows.X, found.row, threads=threads)
            distance[lacking] = np.minimum(0.5 * keys, 2.0)
    return Neighbors(distance, row), compared


def search_all(
    X: AnyArray, Q: AnyArray, k: int, *, form: KeyForm, exclude: Rows, threads: int
) -> Neighbors:
    """Return the `k` nearest of all rows of `X`, compared one by one."""
    queries = HashedQueries(Q, np.empty((len(Q), 0), np.uint64), exclude)
    distance, row, _ = nearest(HashedRows(X, no_tables(), form), queries, k, threads=threads)
    return Neighbors(distance, row)
