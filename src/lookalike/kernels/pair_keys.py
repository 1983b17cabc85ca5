"""The keys of chosen pairs: neighbors measured once more by the reference."""

from __future__ import annotations

import numpy as np

from lookalike import _core
from lookalike.kernels.native_arrays import NUMBER_TYPES, native_matrix
from lookalike.typing import AnyArray, Array, Rows


def pair_keys(Q: AnyArray, X: AnyArray, row: Rows, *, threads: int = 0) -> Array:
    r"""Return the squared distance of every query to each row chosen for it.

    .. math:: K_{ij} = \sum_d (q_{id} - x_{r_{ij}, d})^2

    The very bits by which the search compared them.

    Examples
    --------
    >>> pair_keys(np.zeros((1, 2)), np.array([[3.0, 4.0], [0.0, 1.0]]), np.array([[1, 0]]))
    array([[ 1., 25.]])
    """
    key = np.empty(row.shape)
    if key.size:
        _core.pair_keys(
            Q=native_matrix(Q, NUMBER_TYPES),
            X=native_matrix(X, NUMBER_TYPES),
            row=np.ascontiguousarray(row, np.int64),
            threads=threads,
            key=key,
        )
    return key
