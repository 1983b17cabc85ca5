"""The squared Euclidean distance that decides every search, in its one order of summation."""

from __future__ import annotations

import numpy as np

from lookalike import _core
from lookalike.errors import ParameterTypeError
from lookalike.typing import AnyArray, Array

SEARCHABLE = tuple(np.dtype(name) for name in ("float32", "float64", "uint8", "int8"))


def searchable(X: AnyArray) -> AnyArray:
    """Return `X` itself where the search can read it, a converted copy elsewhere.

    float32, float64, uint8 and int8 stay; every other number becomes the smallest float that
    holds it exactly. Rows may be strided; columns become contiguous.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.zeros((3, 2), np.float16)
    >>> searchable(X).dtype, searchable(X.astype(np.int32)).dtype
    (dtype('float32'), dtype('float64'))
    """
    if X.dtype.kind not in "fiub":
        raise ParameterTypeError(
            f"rows of dtype {X.dtype} are not real numbers. Convert them to float first."
        )
    if X.dtype.newbyteorder("=") not in SEARCHABLE:
        small = X.dtype.kind != "b" and np.result_type(X.dtype, np.float32) == np.float32
        X = X.astype(np.float32 if small or X.dtype.kind == "b" else np.float64)
    item = X.dtype.itemsize
    width = item * X.shape[1]
    rows_fit = X.shape[0] == 1 or (X.strides[0] >= width and X.strides[0] % item == 0)
    columns_fit = X.shape[1] == 1 or X.strides[1] == item
    if rows_fit and columns_fit and X.dtype.isnative and X.flags.aligned:
        return X
    return np.ascontiguousarray(X, X.dtype.newbyteorder("="))


def squared_distances(Q: AnyArray, X: AnyArray) -> Array:
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
        _core.squared_distances(searchable(Q), searchable(X), key)
    return key
