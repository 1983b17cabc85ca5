"""Rows as the scan reads them: dense of four kinds, or sparse with rising columns; checked once."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import MissingValueError, ParameterError, ParameterTypeError, ShapeError
from lookalike.typing import AnyArray, Array, Rows

_NATIVE = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.uint8), np.dtype(np.int8))
_EXACT = 2**53  # the largest whole number up to which float64 holds them all


class SparseRows(NamedTuple):
    """Compressed sparse rows: float64 values, columns rising and once each, no stored zeros."""

    start: Rows
    column: NDArray[np.int32]
    value: Array
    shape: tuple[int, int]

    def check(self) -> None:
        """Raise unless starts rise from 0 to the end and every column is one of the shape's."""
        n, d = self.shape
        fits = (
            len(self.start) == n + 1
            and self.start[0] == 0
            and self.start[-1] == len(self.column) == len(self.value)
            and bool((np.diff(self.start) >= 0).all())
            and bool(((self.column >= 0) & (self.column < d)).all())
        )
        if not fits:
            raise ShapeError(f"the sparse rows are not a matrix of {n} x {d}. Give rows anew.")


NativeRows: TypeAlias = AnyArray | SparseRows


def dense_rows(X: Any, *, what: str = "X", missing: bool = False) -> AnyArray:
    """Return `X` as a matrix of float32, float64, uint8 or int8, itself where it is one already.

    Nothing is rounded: float16 and short integers become float32, others float64, and an integer
    that float64 cannot hold is an error. NaN is an error unless `missing`; infinity always is.
    """
    if is_sparse(X):
        raise ParameterTypeError(
            f"{what} is sparse and this metric has no sparse form. "
            f"Use a Minkowski, cosine or inner-product metric, or give {what}.toarray()."
        )
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        row = np.argwhere(np.ma.getmaskarray(X))[0]
        raise MissingValueError(
            f"{what} is masked at {tuple(row.tolist())}. Fill or drop the rows."
        )
    table_shape(X, what=what)
    X = _native_kind(np.asarray(X), what)
    item = X.dtype.itemsize
    readable = (
        X.strides[1] == item and X.strides[0] >= item * X.shape[1] and not X.strides[0] % item
    )
    rows: AnyArray = X if readable or not X.size else np.ascontiguousarray(X)
    _check_finite(rows, what, missing)
    return rows


def sparse_rows(X: Any, *, what: str = "X") -> SparseRows:
    """Return a canonical copy of `X`, any matrix or array of scipy.sparse, or dense rows."""
    import scipy.sparse

    if not is_sparse(X):
        X = scipy.sparse.csr_array(dense_rows(X, what=what).astype(np.float64))
    table_shape(X, what=what)
    if X.dtype.kind not in "fiub":
        raise ParameterTypeError(f"{what} holds {X.dtype}. Give real numbers.")
    if X.shape[1] > np.iinfo(np.int32).max:
        raise ShapeError(f"{what} has {X.shape[1]} columns; sparse rows may have 2**31 - 1.")
    _native_kind(np.atleast_2d(X.tocsr().data), what)  # raises where float64 is not exact
    csr = scipy.sparse.csr_array(X.astype(np.float64), copy=True)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    bad = np.flatnonzero(~np.isfinite(csr.data))
    if bad.size:
        row = int(np.searchsorted(csr.indptr, bad[0], side="right")) - 1
        raise MissingValueError(
            f"{what} is {csr.data[bad[0]]} at row {row}, column {csr.indices[bad[0]]}. "
            "Every stored value must be finite."
        )
    return SparseRows(
        csr.indptr.astype(np.int64), csr.indices.astype(np.int32), csr.data, tuple(csr.shape)
    )


def is_sparse(X: Any) -> bool:
    """Tell whether `X` is a matrix or array of scipy.sparse."""
    import scipy.sparse

    return bool(scipy.sparse.issparse(X))


def table_shape(X: Any, *, what: str = "X") -> tuple[int, int]:
    """Return the number of rows and columns of a table of any kind, frames included."""
    try:
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
    except ValueError as error:  # rows of unequal length
        raise ShapeError(f"{what} is no matrix: {error}. Give rows of one length.") from error
    if len(shape) != 2:
        hint = f" {what}.reshape(1, -1) makes one row of it." if len(shape) == 1 else ""
        raise ShapeError(f"{what} has {len(shape)} dimensions: rows and columns make 2.{hint}")
    return int(shape[0]), int(shape[1])


def largest_size(X: NativeRows) -> float:
    """Return the largest absolute value."""
    values = X.value if isinstance(X, SparseRows) else X
    if not values.size:
        return 0.0
    least, most = np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)
    return 0.0 if np.isnan(most) else max(abs(float(least)), abs(float(most)))


def join_rows(X: NativeRows, more: NativeRows) -> NativeRows:
    """Return the rows of both, those of `X` first."""
    if isinstance(X, SparseRows) and isinstance(more, SparseRows):
        return SparseRows(
            np.concatenate([X.start, X.start[-1] + more.start[1:]]),
            np.concatenate([X.column, more.column]),
            np.concatenate([X.value, more.value]),
            (X.shape[0] + more.shape[0], X.shape[1]),
        )
    joined = np.concatenate([np.asarray(X), np.asarray(more)])
    return joined if joined.dtype == np.uint64 else _native_kind(joined, "X")  # bits of sets stay


def keep_rows(X: NativeRows, keep: NDArray[np.bool_]) -> NativeRows:
    """Return the rows where `keep` is true."""
    if not isinstance(X, SparseRows):
        return X[keep]
    lengths = np.diff(X.start)
    entries = np.repeat(keep, lengths)
    start = np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.int64)
    return SparseRows(start, X.column[entries], X.value[entries], (len(start) - 1, X.shape[1]))


def _native_kind(X: AnyArray, what: str) -> AnyArray:
    kind, item = X.dtype.kind, X.dtype.itemsize
    if X.dtype in _NATIVE:
        return X
    if kind == "b":
        return X.view(np.uint8)
    if kind == "O":
        return _from_objects(X, what)
    if kind == "f":
        if item > 8:
            warnings.warn(f"{what} holds {X.dtype}, which is rounded to float64.", stacklevel=4)
        return X.astype(np.float32 if item <= 4 else np.float64)
    if kind in "iu":
        if item == 8 and X.size and max(int(X.max()), -int(X.min())) > _EXACT:
            raise ParameterError(
                f"{what} holds integers beyond 2**53, which float64 cannot tell apart. "
                "Subtract an offset or give them as categories."
            )
        return X.astype(np.float32 if item <= 2 else np.float64)
    raise ParameterTypeError(f"{what} holds {X.dtype}. Give real numbers.")


def _from_objects(X: AnyArray, what: str) -> Array:
    numbers = np.empty(X.shape)
    for row, cells in enumerate(X):
        for column, cell in enumerate(cells):
            try:
                if cell is None or isinstance(cell, str | bytes | complex):
                    raise TypeError
                numbers[row, column] = cell
            except (TypeError, ValueError) as error:
                raise MissingValueError(
                    f"{what} holds {cell!r} at row {row}, column {column}. Give a number."
                ) from error
    return numbers


def _check_finite(X: AnyArray, what: str, missing: bool) -> None:
    if X.dtype.kind != "f" or not X.size:
        return
    if missing:
        finite = not (
            np.isinf(np.fmin.reduce(X, axis=None)) or np.isinf(np.fmax.reduce(X, axis=None))
        )
    else:
        finite = bool(np.isfinite(X.min()) and np.isfinite(X.max()))
    if finite:
        return
    for row, values in enumerate(X):
        bad = np.flatnonzero(np.isinf(values) if missing else ~np.isfinite(values))
        if bad.size:
            raise MissingValueError(
                f"{what} is {values[bad[0]]} at row {row}, column {bad[0]}. "
                "Every value must be finite: drop or fill them, or use a metric for missing values "
                "('nan_euclidean', 'gower')."
            )
