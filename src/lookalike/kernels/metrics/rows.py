"""Rows as the scan reads them: dense of four kinds, or sparse with rising columns; checked once."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias, TypedDict

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lookalike.errors import MissingValueError, ParameterTypeError, ShapeError
from lookalike.inexact import first_inexact, warn_inexact
from lookalike.kernels.native_arrays import (
    NUMBER_TYPES,
    native_matrix,
    native_rows,
    table_shape,
)
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import require_sparse_places


class NativeSparse(TypedDict):
    """Compressed sparse rows as the native core takes them."""

    start: Rows
    column: NDArray[np.int32]
    value: Array
    cols: int


class SparseRows(NamedTuple):
    """Compressed sparse rows: float64 values, columns rising and once each, no stored zeros."""

    start: Rows
    column: NDArray[np.int32]
    value: Array
    shape: tuple[int, int]

    def native(self) -> NativeSparse:
        """Return the rows as the native core takes them."""
        return {
            "start": self.start, "column": self.column, "value": self.value, "cols": self.shape[1]
        }  # fmt: skip

    def check(self) -> None:
        """Raise unless starts rise from 0 to the end and every column is one of the shape's."""
        n, d = self.shape
        fits = (
            len(self.start) == n + 1
            and self.start[0] == 0
            and self.start[-1] == len(self.column) == len(self.value)
            and bool((self.start[1:] >= self.start[:-1]).all())
            and bool(((self.column >= 0) & (self.column < d)).all())
        )
        if not fits:
            raise ShapeError(f"the sparse rows are not a matrix of {n} x {d}. Build them again.")


MetricRows: TypeAlias = AnyArray | SparseRows  # as a metric compares them


def sparse_rows(X: Any, *, what: str = "X") -> SparseRows:
    """Return a canonical copy of `X`, any matrix or array of scipy.sparse, or dense rows."""
    if not sp.issparse(X):
        X = sp.csr_array(native_rows(X, what).values.astype(np.float64))
    table_shape(X, name=what)
    require_sparse_places(X, what)
    if X.dtype.kind not in "fiub":
        raise ParameterTypeError(f"{what} holds {X.dtype}. Give real numbers.")
    if X.shape[1] > np.iinfo(np.int32).max:
        raise ShapeError(f"{what} has {X.shape[1]} columns; sparse rows may have 2**31 - 1.")
    inexact = first_inexact(X.tocsr().data)
    if inexact is not None:
        warn_inexact(inexact[1], *_place(X.tocsr(), inexact[0]), of=what, depth=5)
    csr = sp.csr_array(X.astype(np.float64), copy=True)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    bad = np.flatnonzero(~np.isfinite(csr.data))
    if bad.size:
        row, column = _place(csr, int(bad[0]))
        raise MissingValueError(
            f"{what} is {csr.data[bad[0]]} at row {row}, column {column}. "
            "Every stored value must be finite."
        )
    return SparseRows(
        csr.indptr.astype(np.int64), csr.indices.astype(np.int32), csr.data, tuple(csr.shape)
    )


def largest_size(X: MetricRows) -> float:
    """Return the largest absolute value."""
    values = X.value if isinstance(X, SparseRows) else X
    if not values.size:
        return 0.0
    least, most = np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)
    return 0.0 if np.isnan(most) else max(abs(float(least)), abs(float(most)))


def join_rows(X: MetricRows, more: MetricRows) -> MetricRows:
    """Return the rows of both, those of `X` first."""
    if isinstance(X, SparseRows) and isinstance(more, SparseRows):
        return SparseRows(
            np.concatenate([X.start, X.start[-1] + more.start[1:]]),
            np.concatenate([X.column, more.column]),
            np.concatenate([X.value, more.value]),
            (X.shape[0] + more.shape[0], X.shape[1]),
        )
    joined = np.concatenate([np.asarray(X), np.asarray(more)])
    return (
        joined if joined.dtype == np.uint64 else native_matrix(joined, NUMBER_TYPES)
    )  # sets are bits


def keep_rows(X: MetricRows, keep: NDArray[np.bool_]) -> MetricRows:
    """Return the rows where `keep` is true."""
    if not isinstance(X, SparseRows):
        return X[keep]
    lengths = np.diff(X.start)
    entries = np.repeat(keep, lengths)
    start = np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.int64)
    return SparseRows(start, X.column[entries], X.value[entries], (len(start) - 1, X.shape[1]))


def _place(csr: sp.csr_array, entry: int) -> tuple[int, int]:
    """Return row and column of a stored value."""
    return int(np.searchsorted(csr.indptr, entry, side="right")) - 1, int(csr.indices[entry])
