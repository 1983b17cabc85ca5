"""Donors of missing cells: the nearest rows that have the column of a cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike import _core
from lookalike.kernels.native_arrays import native_vector
from lookalike.typing import AnyArray, Array, Rows


class MissingCells(NamedTuple):
    """Cells to fill, those of query i at start[i]:start[i + 1], each the number of a column."""

    start: Rows
    column: Rows

    @classmethod
    def of(cls, missing: AnyArray) -> MissingCells:
        """Return the cells where a mask of shape (queries, columns) is True.

        Examples
        --------
        >>> MissingCells.of(np.array([[False, True], [True, True]]))
        MissingCells(start=array([0, 1, 3]), column=array([1, 0, 1]))
        """
        start = np.concatenate([[0], np.cumsum(missing.sum(axis=1))]).astype(np.int64)
        return cls(start, np.ascontiguousarray(np.nonzero(missing)[1], np.int64))


class CellDonors(NamedTuple):
    """The donors of every cell, nearest first; left-over places have row -1, infinitely far."""

    distance: Array  # (cells, k)
    row: Rows  # (cells, k)


def nearest_donors(
    Q: AnyArray, X: AnyArray, cells: MissingCells, k: int, *, threads: int = 0
) -> CellDonors:
    r"""Return for every cell the `k` nearest rows of `X` that have its column.

    Distances are those of :class:`lookalike.kernels.metrics.nan_euclidean.NanEuclidean`, bit for
    bit, equal ones by row number. Rows that share no column with the query are not donors.

    Parameters
    ----------
    Q, X : ndarray of float64
        Queries and rows, NaN where a value is missing; their squares must be finite.
    cells : MissingCells
        What is to be filled.
    k : int
        Donors of each cell.
    threads : int
        0 means the setting of :func:`lookalike.config`.

    Examples
    --------
    >>> Q = np.array([[1.0, np.nan]])
    >>> X = np.array([[1.0, np.nan], [3.0, 7.0], [1.5, 5.0]])
    >>> nearest_donors(Q, X, MissingCells.of(np.isnan(Q)), 1).row
    array([[2]])
    """
    key = np.empty((len(cells.column), k))
    row = np.empty((len(cells.column), k), np.int64)
    _core.nearest_donors(
        queries=np.ascontiguousarray(Q, np.float64),
        rows=np.ascontiguousarray(X, np.float64),
        start=cells.start,
        column=cells.column,
        threads=threads,
        key=key,
        row=row,
    )
    return CellDonors(np.sqrt(key), row)


def donors_of_distances(
    distance: Array, present: AnyArray, cells: MissingCells, k: int
) -> CellDonors:
    """Return the donors of every cell by distances (queries, rows) that are known, NaN if none.

    `present` says of every row which columns it has.
    """
    query = np.repeat(np.arange(len(cells.start) - 1), np.diff(cells.start))
    far = np.full((len(cells.column), k), np.inf)
    row = np.full((len(cells.column), k), -1, np.int64)
    for cell, (of_query, column) in enumerate(zip(query, cells.column, strict=True)):
        among = np.flatnonzero(present[:, column] & ~np.isnan(distance[of_query]))
        nearest = among[np.argsort(native_vector(distance[of_query, among]), kind="stable")[:k]]
        far[cell, : len(nearest)], row[cell, : len(nearest)] = distance[of_query, nearest], nearest
    return CellDonors(far, row)
