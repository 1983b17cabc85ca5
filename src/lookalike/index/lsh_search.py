"""Nearest rows among those that share a bucket with a query, and among all for comparison."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookalike.index.base import Neighbors
from lookalike.index.exact import ExactIndex
from lookalike.kernels.lsh import Buckets, KeyForm, Tables, nearest, no_tables
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
) -> tuple[Neighbors, Rows]:
    """Return the `k` nearest candidates of every query, and how many were compared with it.

    Where they are too few, the neighbors are exact, and -1 stands for how many were compared.
    `exact` makes the index that searches for queries of too few candidates; forms that it does
    not serve compare all rows.
    """
    distance, row, compared = nearest(
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
    lacking = np.flatnonzero(compared < 0)
    if form in EXACT_FORMS and len(lacking):
        without = exclude[lacking] if len(exclude) else None
        found = exact().query(Q[lacking], k, exclude=without, threads=threads)
        distance[lacking], row[lacking] = found
        if form is KeyForm.COSINE:
            keys = pair_keys(Q[lacking], X, found.row, threads=threads)
            distance[lacking] = np.minimum(0.5 * keys, 2.0)
    return Neighbors(distance, row), compared


def search_all(
    X: AnyArray, Q: AnyArray, k: int, *, form: KeyForm, exclude: Rows, threads: int
) -> Neighbors:
    """Return the `k` nearest of all rows of `X`, compared one by one."""
    buckets = np.empty((len(Q), 0), np.uint64)
    distance, row, _ = nearest(
        X, no_tables(), Q, buckets, k, form=form, exclude=exclude, threads=threads
    )
    return Neighbors(distance, row)
