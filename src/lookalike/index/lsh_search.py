"""Nearest rows among those that share a bucket with a query, and among all for comparison."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookalike.index.exact import ExactIndex
from lookalike.kernels.lsh import Buckets, KeyForm, LSHNeighbors, Tables, nearest, no_tables
from lookalike.kernels.pair_keys import pair_keys
from lookalike.typing import AnyArray, Rows

EXACT_FORMS = (KeyForm.SQUARED, KeyForm.COSINE)  # whose keys are those of the exact index


def search_buckets(
    X: AnyArray,
    tables: Tables,
    Q: AnyArray,
    buckets: Buckets,
    k: int,
    *,
    form: KeyForm,
    exclude: Rows,
    threads: int,
    exact: Callable[[], ExactIndex],
) -> LSHNeighbors:
    """Return the `k` nearest candidates of every query; exact neighbors where they are too few.

    `exact` makes the index that searches for queries of too few candidates; forms that it does
    not serve compare all rows.
    """
    neighbors = nearest(
        X,
        tables,
        Q,
        buckets,
        k,
        form=form,
        exclude=exclude,
        threads=threads,
        scan=form not in EXACT_FORMS,
    )
    lacking = np.flatnonzero(neighbors.compared < 0)
    if form in EXACT_FORMS and len(lacking):
        without = exclude[lacking] if len(exclude) else None
        distance, row = exact().query(Q[lacking], k, exclude=without, threads=threads)
        if form is KeyForm.COSINE:
            distance = np.minimum(0.5 * pair_keys(Q[lacking], X, row, threads=threads), 2.0)
        neighbors.row[lacking] = row
        neighbors.distance[lacking] = distance
    return neighbors


def search_all(
    X: AnyArray, Q: AnyArray, k: int, *, form: KeyForm, exclude: Rows, threads: int
) -> LSHNeighbors:
    """Return the `k` nearest of all rows of `X`, compared one by one."""
    buckets = np.empty((len(Q), 0), np.uint64)
    return nearest(X, no_tables(), Q, buckets, k, form=form, exclude=exclude, threads=threads)
