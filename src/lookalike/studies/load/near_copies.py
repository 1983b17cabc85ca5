"""Near copies: rows that repeat another one but for a little noise, as when measured twice.

A model that has seen one of them knows the target of the others, which rows to come do not offer:
like copies they are held out together.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from lookalike.decisions import Decisions
from lookalike.explain.audit.near_duplicates import local_dimension, near_radius
from lookalike.explain.self_search import self_search
from lookalike.studies.load.copies import column_codes, in_order_of_appearance
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Array, Rows

MIN_CONTINUOUS_COLUMNS = 2
MIN_SHARE_OF_VALUES = 0.5  # of the rows that have a value of their own, in a continuous column
ROWS_SEARCHED = (30, 20_000)  # tables of fewer or more rows are not searched for near copies
COPIES_FOUND = 25  # of a row, at most
MIN_NEAR_COPIES = 4
QUANTILE_GRID = np.linspace(0, 1, 33)
SHARE_OF_DISTANCES = 0.95  # of near copies, by which more are looked for
CHANCE_AMONG_COPIES = 0.01  # of a row to be that near another by chance
MIN_SHARE_OF_COPIES = 0.01  # of the rows; of fewer the audit alone speaks


def join_near_copies(
    dataset: Dataset, features: Collection[str], identical: Rows, decisions: Decisions
) -> Rows:
    """Return a number for every row, equal for copies and for near copies of each other.

    Near is: equal in all other columns, and nearer in all continuous ones together than chance puts
    one pair in a hundred tables. Rows in which a number is missing are compared with none.

    Parameters
    ----------
    dataset : Dataset
        The rows; images and documents have no near copies here.
    features : collection of str
        Columns that rows are described by.
    identical : ndarray
        A number for every row, equal for copies.
    decisions : Decisions
        Where it is noted that some are kept together.
    """
    least, most = ROWS_SEARCHED
    if dataset.data_kind != "table" or not least <= len(dataset) <= most:
        return identical
    numbers, codes = _split_columns(dataset, features)
    complete = np.flatnonzero(np.isfinite(numbers).all(axis=1))
    if numbers.shape[1] < MIN_CONTINUOUS_COLUMNS or len(complete) < least:
        return identical
    first, second = _near_pairs(numbers[complete], codes[complete])
    joined = _components((complete[first], complete[second]), identical)
    n_near = len(np.unique(identical)) - len(np.unique(joined))
    if n_near < max(MIN_NEAR_COPIES, MIN_SHARE_OF_COPIES * len(dataset)):
        return identical
    decisions.add(
        "near copies",
        f"{n_near:,} of {len(dataset):,} rows are taken as copies",
        "they repeat an earlier row but for a little noise, nearer than chance puts rows",
    )
    return joined


def _split_columns(dataset: Dataset, features: Collection[str]) -> tuple[Array, Rows]:
    """Return the continuous columns by their quantiles, so that none is skewed; others as codes."""
    numbers, codes = [np.empty((len(dataset), 0))], [np.empty((len(dataset), 0), np.int64)]
    for name in (name for name in dataset.names if name in features):
        column = dataset.column(name)
        if column.dtype.kind != "f" or not _is_continuous(column):
            codes.append(column_codes(column)[:, None])
            continue
        known = np.isfinite(column)
        ends = np.quantile(column[known], QUANTILE_GRID)
        ranked = np.where(known, np.interp(column, ends, QUANTILE_GRID), np.nan)
        numbers.append(ranked[:, None])
    return np.hstack(numbers), np.hstack(codes)


def _is_continuous(column: AnyArray) -> bool:
    known = column[np.isfinite(column)]
    distinct = len(np.unique(known))
    return distinct > 2 and distinct >= MIN_SHARE_OF_VALUES * len(column)


def _near_pairs(numbers: Array, codes: Rows) -> tuple[Rows, Rows]:
    """Return the pairs of rows that are near copies of each other.

    The dimension around a row is that of half of its neighbors against all of them, which copies
    hardly change, smoothed over these neighbors.
    """
    found = self_search(numbers, min(COPIES_FOUND, len(numbers) - 1))
    around = local_dimension(found.distance, float(numbers.shape[1]))
    around = np.minimum(around, np.median(around))
    smooth = np.median(around[found.row], axis=1)
    near = found.distance <= near_radius(found.distance, smooth)[:, None]
    if near.any():  # where there are copies, others as near as most of them are likely ones too
        reach = float(np.quantile(found.distance[near], SHARE_OF_DISTANCES))
        likely = near_radius(found.distance, smooth, CHANCE_AMONG_COPIES * len(numbers))
        near |= found.distance <= np.minimum(likely, reach)[:, None]
    first, place = np.nonzero(near)
    second = found.row[first, place]
    same = (codes[first] == codes[second]).all(axis=1)
    return first[same], second[same]


def _components(pairs: tuple[Rows, Rows], identical: Rows) -> Rows:
    """Return the numbers of copies after those of each pair were joined."""
    first, second = (identical[rows] for rows in pairs)
    size = int(identical.max()) + 1
    links = coo_matrix((np.ones(len(first)), (first, second)), shape=(size, size))
    component = connected_components(links, directed=False)[1]
    return in_order_of_appearance(component[identical])
