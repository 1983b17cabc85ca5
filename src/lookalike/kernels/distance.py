"""The squared Euclidean distance that decides every search, in its one order of summation."""

from __future__ import annotations

import numpy as np

from lookalike import _core
from lookalike.kernels.native_arrays import NUMBER_TYPES, NativeRows, native_matrix
from lookalike.typing import AnyArray, Array


def squared_distances(Q: AnyArray | NativeRows, X: AnyArray | NativeRows) -> Array:
    r"""Return the squared distance of every query to every row.

    .. math:: D_{qn} = \sum_j (q_j - x_{nj})^2

    float64, direct differences: term j is added to lane j % 8, then the lanes are folded in
    half. The same bits on every machine.

    Examples
    --------
    >>> import numpy as np
    >>> squared_distances(np.zeros((1, 2)), np.array([[3.0, 4.0]]))
    array([[25.]])
    """
    key = np.empty((len(Q), len(X)))
    if key.size:
        queries, rows = native_matrix(Q, NUMBER_TYPES), native_matrix(X, NUMBER_TYPES)
        _core.squared_distances(Q=queries, X=rows, key=key)
    return key
