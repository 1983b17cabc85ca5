"""Connected components of core rows, and the labels of the rows beside them."""

from __future__ import annotations

import numpy as np

from lookalike import _core
from lookalike.kernels.radius import RadiusResult
from lookalike.typing import AnyArray, Rows


def join_core_rows(query: Rows, near: RadiusResult, core: AnyArray, parent: Rows) -> None:
    """Join core rows that are near each other; `parent` of each is then the smallest of its own.

    Parameters
    ----------
    query : array of int64
        The row that each query is.
    near : RadiusResult
        The rows near them.
    core : mask
        Of all rows, which are core rows.
    parent : array of int64
        Of all rows the components so far, ``arange`` at first; changed in place.

    Examples
    --------
    >>> near = RadiusResult(np.zeros(3), np.array([0, 2, 1]), np.array([0, 2, 3]))
    >>> parent = np.arange(3)
    >>> join_core_rows(np.array([2, 1]), near, np.array([True, False, True]), parent)
    >>> parent
    array([0, 1, 0])
    """
    _core.join_core_rows(
        query=np.ascontiguousarray(query, np.int64),
        start=near.start,
        row=near.row,
        core=np.ascontiguousarray(core).view(np.uint8),
        parent=parent,
    )


def least_labels(query: Rows, near: RadiusResult, label_of_row: Rows) -> Rows:
    """Return the least label of the rows near each query, -1 where none has one.

    Examples
    --------
    >>> near = RadiusResult(np.zeros(3), np.array([0, 2, 1]), np.array([0, 2, 3]))
    >>> least_labels(np.array([2, 1]), near, np.array([4, -1, 3]))
    array([ 3, -1])
    """
    label = np.empty(len(query), np.int64)
    _core.least_labels(
        query=np.ascontiguousarray(query, np.int64),
        start=near.start,
        row=near.row,
        label_of_row=np.ascontiguousarray(label_of_row, np.int64),
        label=label,
    )
    return label
