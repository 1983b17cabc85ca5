"""Linear maps of rows: a row gives the same bits alone and among others."""

from __future__ import annotations

import numpy as np

from lookalike import _core
from lookalike.kernels.native_arrays import NUMBER_TYPES, native_matrix, native_vector
from lookalike.typing import AnyArray, Array


def map_rows(X: AnyArray, W: Array, center: Array | None = None, *, threads: int = 0) -> Array:
    r"""Return :math:`(X - c) W^\top` in float64, summed in one order whatever the batch.

    The product of a BLAS rounds differently for another number of rows.

    Examples
    --------
    >>> map_rows(np.array([[3.0, 4.0]]), np.array([[1.0, 1.0]]), np.array([1.0, 1.0]))
    array([[5.]])
    """
    rows, directions = native_matrix(X, NUMBER_TYPES), np.ascontiguousarray(W, np.float64)
    out = np.empty((len(rows), len(directions)))
    middle = np.zeros(rows.shape[1]) if center is None else native_vector(center)
    if out.size:
        _core.map_rows(X=rows, center=middle, W=directions, threads=threads, out=out)
    return out
