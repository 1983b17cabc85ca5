"""Mean and scatter matrix of the rows of a block: the BLAS does the work, the mean is taken out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike import _core
from lookalike.kernels.compensated import two_sum
from lookalike.kernels.native_arrays import native_matrix
from lookalike.typing import AnyArray, Array, is_tensor

SHIFT_ROWS = 64  # of which the middle is taken out of all rows
SCATTER_BLOCK_ROWS = 2048  # of which the products are summed by the BLAS, in the type of the rows


class Moments(NamedTuple):
    """Weight, mean and scatter of some rows: small, picklable, no rows inside."""

    count: float  # type: ignore[assignment]  # hides tuple.count
    mean: Array  # (d,)
    tail: Array  # (d,), what the mean has beyond its 53 bits
    scatter: Array  # (d, d), sum of w (x - mean)(x - mean)'


@np.errstate(over="ignore", invalid="ignore")  # who needs finite sums looks at them
def scatter(X: AnyArray | sp.csr_array, weight: AnyArray | None = None) -> Moments:
    r"""Gather the weight, mean and scatter of the rows.

    .. math:: S = \sum_n w_n (x_n - \bar x)(x_n - \bar x)^\top

    Rows are shifted by values from their midst before they are multiplied, so that a common
    offset of any size does no harm. Blocks of float32 rows are multiplied in float32 and added in
    float64. Columns that equal the shift throughout a block, as the margins of images do, are
    left out of its product.
    """
    if sp.issparse(X):
        return _sparse_scatter(X, weight)
    if is_tensor(X):
        from lookalike.kernels.gpu.scatter import scatter as on_gpu

        return Moments(*on_gpu(X, weight))
    X = native_matrix(X)
    n_rows, n_features = X.shape
    if n_rows == 0:
        return no_rows(n_features)
    shift = _middle(X[:SHIFT_ROWS])
    product = np.zeros((n_features, n_features))
    total, count = np.zeros(n_features), 0.0
    room = np.empty(min(SCATTER_BLOCK_ROWS, n_rows) * n_features, X.dtype)
    for start in range(0, n_rows, SCATTER_BLOCK_ROWS):
        block = X[start : start + SCATTER_BLOCK_ROWS]
        columns = _core.shift_rows(X=block, shift=shift, out=room)
        weighted = room[: len(block) * len(columns)].reshape(len(block), len(columns))
        if weight is None:
            total[columns] += np.ones(len(weighted), weighted.dtype) @ weighted
            count += len(weighted)
        else:
            w = np.asarray(weight[start : start + SCATTER_BLOCK_ROWS], np.float64)
            total[columns] += w @ weighted
            count += float(w.sum())
            weighted *= np.sqrt(w)[:, None].astype(weighted.dtype)
        _core.add_products(part=weighted.T @ weighted, columns=columns, product=product)
    if count == 0.0:
        return no_rows(n_features)
    drift = total / count
    product -= np.multiply.outer(count * drift, drift)
    return Moments(count, *two_sum(shift.astype(np.float64), drift), product)


def _middle(X: AnyArray) -> AnyArray:
    """Return the median of every column, of two middle values the larger."""
    middle: AnyArray = np.partition(X, len(X) // 2, axis=0)[len(X) // 2]
    return middle


def no_rows(n_features: int) -> Moments:
    """Return the moments of no rows."""
    zero = np.zeros(n_features)
    return Moments(0.0, zero, zero, np.zeros((n_features, n_features)))


def _sparse_scatter(X: sp.csr_array, weight: AnyArray | None) -> Moments:
    """Return the moments of sparse rows; only the d x d product is dense."""
    X = X.astype(np.float64)
    w = np.ones(X.shape[0]) if weight is None else np.asarray(weight, np.float64)
    count = float(w.sum())
    if count == 0.0:
        return no_rows(X.shape[1])
    weighted = sp.diags_array(w) @ X
    mean = np.asarray(weighted.sum(axis=0)).ravel() / count
    product = (X.T @ weighted).toarray() - count * np.outer(mean, mean)
    return Moments(count, mean, np.zeros_like(mean), product)
