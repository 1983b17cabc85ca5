"""Exact duplicates, and groups of rows that belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from lookalike.typing import AnyArray, Rows

ROWS_READ_AT_ONCE = 10_000  # rows that are read at once
HASH_BYTES = 16


def identical_rows(*parts: Any) -> Rows:
    """Return for every row the first row that is the same in all `parts`, NaN equal to NaN.

    A part is an array of numbers or texts, or a sparse matrix, with a row for each row.

    Examples
    --------
    >>> identical_rows(np.array([[1.0, np.nan], [2.0, 0.0], [1.0, np.nan], [-0.0, 1.0]]))
    array([0, 1, 0, 3])
    """
    group = np.zeros(parts[0].shape[0], np.int64)
    for part in parts:
        group = np.unique(np.column_stack([group, _content(part)]), axis=0, return_inverse=True)[1]
        group = group.reshape(-1).astype(np.int64)
    first = np.full(len(group), len(group))
    np.minimum.at(first, group, np.arange(len(group)))
    leader: Rows = first[group].astype(np.int64)
    return leader


def _content(part: object) -> Rows:
    """Return a number for each row, the same for rows of the same content."""
    keys: Iterable[object]
    if sp.issparse(part):
        rows = sp.csr_array(part)
        rows.sum_duplicates()
        ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        keys = ((rows.indices[a:b].tobytes(), rows.data[a:b].tobytes()) for a, b in ends)
    elif np.asarray(part).dtype.kind in "OUS":
        keys = (tuple(np.atleast_1d(row).tolist()) for row in np.asarray(part))
    else:
        keys = _keys_of_numbers(np.asarray(part))
    number: dict[object, int] = {}
    return np.fromiter((number.setdefault(key, len(number)) for key in keys), np.int64)


def _keys_of_numbers(part: AnyArray) -> Iterator[bytes]:
    """Give each row's bytes, or where these are many, 16 of a hash of them."""
    for start in range(0, len(part), ROWS_READ_AT_ONCE):
        rows = np.ascontiguousarray(part[start : start + ROWS_READ_AT_ONCE])
        rows = rows + np.zeros((), rows.dtype)  # no minus zero
        if rows.dtype.kind == "f":
            rows[np.isnan(rows)] = np.nan
        if rows.nbytes > HASH_BYTES * len(rows):
            yield from (blake2b(row, digest_size=HASH_BYTES).digest() for row in rows)
        else:
            yield from (row.tobytes() for row in rows)


def joined_groups(row: Rows, linked: AnyArray, same: Rows) -> Rows:
    """Return for every row the first row of its group.

    Rows are in one group where `linked` joins them to neighbors `row`, or they are the `same`.
    """
    n_rows = len(row)
    start = np.concatenate([[0], np.cumsum(linked.sum(axis=1))])
    links = sp.csr_array((np.ones(start[-1], bool), row[linked], start), shape=(n_rows, n_rows))
    copies = sp.csr_array((np.ones(n_rows, bool), (np.arange(n_rows), same)), links.shape)
    _, member = connected_components(links + copies, directed=False)
    first = np.full(n_rows, n_rows)
    np.minimum.at(first, member, np.arange(n_rows))
    leader: Rows = first[member].astype(np.int64)
    return leader


def group_sizes(first: Rows) -> Rows:
    """Return for every row how many members its group has."""
    size = np.bincount(first, minlength=len(first))
    return size[first]


def in_conflict(first: Rows, codes: Rows) -> AnyArray:
    """Tell for every row whether its group holds several labels."""
    lowest, highest = np.full(len(first), np.iinfo(np.int64).max), np.full(len(first), -1)
    np.minimum.at(lowest, first, codes)
    np.maximum.at(highest, first, codes)
    mixed: AnyArray = lowest != highest
    return mixed[first]
