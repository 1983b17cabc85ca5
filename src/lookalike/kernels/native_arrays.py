"""Arrays as the native kernels want them: float32 or float64, columns contiguous."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lookalike.typing import AnyArray, Array


def native_matrix(X: AnyArray) -> AnyArray:
    """Return `X` itself where the kernels can read it, a converted copy elsewhere.

    float32 and float64 stay; smaller floats and integers that float32 holds exactly become
    float32; all others become float64.
    """
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.result_type(X.dtype, np.float32), copy=False)
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
    item = X.dtype.itemsize
    readable = (
        X.strides[1] == item and X.strides[0] >= item * X.shape[1] and not X.strides[0] % item
    )
    return (
        X if readable and X.dtype.isnative else np.ascontiguousarray(X, X.dtype.newbyteorder("="))
    )


def as_dense(X: Any) -> AnyArray:
    """Return rows as an array, also those that were sparse."""
    dense: AnyArray = X.toarray() if sp.issparse(X) else X
    return dense


def native_vector(x: AnyArray) -> Array:
    """Return `x` as a contiguous float64 vector."""
    return np.ascontiguousarray(x, dtype=np.float64)
