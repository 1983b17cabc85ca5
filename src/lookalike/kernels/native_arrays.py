"""Arrays as the native kernels read them, and the one door at which rows are checked.

Kernels read float32, float64, uint8 and int8 with contiguous columns. `native_matrix` brings an
array into such a form; `native_rows` also checks what the user gave, once: whoever is handed the
`NativeRows` it returns looks at their shape and at nothing else.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from lookalike import _core
from lookalike.errors import MissingValueError, ParameterTypeError, ShapeError
from lookalike.inexact import first_inexact, warn_inexact
from lookalike.threads import default_threads
from lookalike.typing import AnyArray, Array

FLOAT_TYPES = (np.dtype(np.float32), np.dtype(np.float64))
NUMBER_TYPES = (*FLOAT_TYPES, np.dtype(np.uint8), np.dtype(np.int8))


class ValueRange(NamedTuple):
    """Which values a matrix holds."""

    bad_row: int  # of the first value that is not finite, or -1
    bad_column: int
    least: float
    most: float
    whole: bool  # all are integers within +-2^15


class NativeRows:
    """Rows that passed the door: numbers in a native dtype and layout, finite unless allowed.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_features)
        The rows.
    value_range : ValueRange, optional
        Where it is known already; else measured when it is first needed.
    """

    dtype: np.dtype
    shape: tuple[int, ...]

    def __init__(self, values: AnyArray, value_range: ValueRange | None = None) -> None:
        self.values = values
        self.shape, self.dtype = values.shape, values.dtype
        if value_range is not None:
            self.range = value_range

    @cached_property
    def range(self) -> ValueRange:
        """Least and largest value, and whether all are small whole numbers."""
        return value_range(self.values)

    @property
    def largest(self) -> float:
        """The largest magnitude."""
        return max(-self.range.least, self.range.most)

    def __len__(self) -> int:
        return len(self.values)


RowsLike: TypeAlias = ArrayLike | NativeRows  # arrays, lists of rows, data frames


def native_rows(
    X: RowsLike,
    name: str = "X",
    *,
    dtypes: tuple[np.dtype, ...] = NUMBER_TYPES,
    missing: bool = False,
    threads: int = 0,
) -> NativeRows:
    """Return `X` as rows that kernels and indexes take without checking their values again.

    Nothing is rounded silently: float16, booleans and integers become the smallest dtype that
    holds them, and a whole number or long double that float64 cannot hold exactly warns.

    Parameters
    ----------
    X : array, data frame, list of rows, or NativeRows
        What the user gave. An array of a native dtype and layout is kept by reference.
    name : str
        What errors call it.
    dtypes : tuple of dtypes
        Those that the caller reads.
    missing : bool
        Whether NaN may stand for a missing value. Infinity never passes.
    threads : int
        Threads of the check; 0 means the setting.

    Examples
    --------
    >>> native_rows([[1, 2], [3, 4]]).values.dtype
    dtype('float64')
    """
    if isinstance(X, NativeRows):
        values = native_matrix(X.values, dtypes)
        return X if values is X.values else NativeRows(values, X.range)
    if sp.issparse(X):
        raise ParameterTypeError(
            f"{name} is sparse and this metric or index has no sparse form. Use a Minkowski, "
            f"cosine or inner-product metric with a scan, or give {name}.toarray()."
        )
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        row, column = np.argwhere(np.ma.getmaskarray(X))[0][:2]
        raise MissingValueError(
            f"{name} is masked at row {row}, column {column}. Fill the value or drop the row."
        )
    table_shape(X, name=name)
    values = native_matrix(_numbers(_as_array(X, name), name), dtypes)
    if values.dtype.kind != "f":
        return NativeRows(values)
    measured = value_range(values, threads)
    if measured.bad_row < 0:
        return NativeRows(values, measured)
    if not (missing and _first_infinite(values) is None):
        raise _not_finite(values, name, missing, measured)
    return NativeRows(values)


def native_matrix(X: AnyArray | NativeRows, dtypes: tuple[np.dtype, ...] = FLOAT_TYPES) -> AnyArray:
    """Return `X` itself where kernels of these dtypes can read it, a converted copy elsewhere.

    Other numbers become the smallest float that holds them, booleans bytes where those are read.
    Rows may be strided; columns become contiguous. Values are not looked at.

    Examples
    --------
    >>> X = np.zeros((3, 2), np.float16)
    >>> native_matrix(X).dtype, native_matrix(X.astype(np.int32)).dtype
    (dtype('float32'), dtype('float64'))
    """
    if isinstance(X, NativeRows):
        X = X.values
    native = X.dtype.newbyteorder("=")
    if X.dtype.kind == "b" and NUMBER_TYPES[2] in dtypes:
        X, native = X.view(np.uint8), NUMBER_TYPES[2]
    elif native not in dtypes:
        if X.dtype.kind not in "fiub":
            raise ParameterTypeError(_no_numbers("X", X.dtype))
        small = np.result_type(native, np.float32) == np.float32
        native = FLOAT_TYPES[0] if small else FLOAT_TYPES[1]
        X = X.astype(native)
    item = X.dtype.itemsize
    rows_fit = X.shape[0] == 1 or (X.strides[0] >= item * X.shape[1] and not X.strides[0] % item)
    columns_fit = X.shape[1] == 1 or X.strides[1] == item
    if rows_fit and columns_fit and X.dtype.isnative and X.flags.aligned:
        return X
    return np.ascontiguousarray(X, native)


def native_vector(x: AnyArray) -> Array:
    """Return `x` as a contiguous float64 vector."""
    return np.ascontiguousarray(x, dtype=np.float64)


def as_dense(X: Any) -> AnyArray:
    """Return rows as an array, also those that were sparse."""
    dense: AnyArray = X.toarray() if sp.issparse(X) else X
    return dense


def value_range(X: AnyArray, threads: int = 0) -> ValueRange:
    """Return which values a native matrix holds, in one pass."""
    if X.size == 0:
        return ValueRange(-1, -1, 0.0, 0.0, True)
    if X.dtype.kind != "f":
        return ValueRange(-1, -1, float(X.min()), float(X.max()), True)
    return ValueRange(*_core.value_range(X=X, threads=threads or default_threads()))


def table_shape(X: RowsLike, *, name: str = "X") -> tuple[int, int]:
    """Return the number of rows and columns of a table of any kind, frames included."""
    try:
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
    except ValueError as error:  # rows of unequal length
        raise ShapeError(f"{name} is not a matrix: {error}. Give rows of one length.") from error
    if len(shape) != 2:
        raise ShapeError(
            f"{name} has {len(shape)} dimensions, not 2. Give rows and columns: one row is "
            f"{name}.reshape(1, -1), one column {name}.reshape(-1, 1)."
        )
    return int(shape[0]), int(shape[1])


def _as_array(X: RowsLike, name: str) -> AnyArray:
    try:
        return np.asarray(X)
    except Exception as error:
        if type(X).__module__.partition(".")[0] != "polars":
            raise
        raise ParameterTypeError(
            f"{name} cannot become an array: {error}. Give columns of numbers of 64 bits."
        ) from None


def _numbers(X: AnyArray, name: str) -> AnyArray:
    """Return `X` as real numbers, warning where float64 cannot hold one of them."""
    if X.dtype.kind == "O":
        return _from_objects(X, name)
    if X.dtype.kind not in "fiub":
        raise ParameterTypeError(_no_numbers(name, X.dtype))
    if X.dtype.kind == "f" and X.dtype.itemsize > 8:
        warnings.warn(f"{name} holds {X.dtype}, which is rounded to float64.", stacklevel=4)
    inexact = first_inexact(X)
    if inexact is not None:
        row, column = divmod(inexact[0], X.shape[1])
        warn_inexact(inexact[1], row, column, of=name, depth=5)
    return X


def _no_numbers(name: str, dtype: np.dtype) -> str:
    return (
        f"{name} is of dtype {dtype}, not of real numbers. Give real numbers, for example "
        f"{name}.astype(float)."
    )


def _from_objects(X: AnyArray, name: str) -> Array:
    numbers = np.empty(X.shape)
    for (row, column), cell in np.ndenumerate(X):
        try:
            if cell is None or isinstance(cell, str | bytes | complex):
                raise TypeError
            numbers[row, column] = cell
        except (TypeError, ValueError) as error:
            raise MissingValueError(
                f"{name} holds {cell!r} at row {row}, column {column}. Give a number."
            ) from error
    return numbers


def _first_infinite(X: AnyArray) -> tuple[int, int] | None:
    if not (np.isinf(np.fmin.reduce(X, axis=None)) or np.isinf(np.fmax.reduce(X, axis=None))):
        return None
    row = next(i for i, values in enumerate(X) if np.isinf(values).any())
    return row, int(np.flatnonzero(np.isinf(X[row]))[0])


def _not_finite(X: AnyArray, name: str, missing: bool, measured: ValueRange) -> Exception:
    infinite = _first_infinite(X) if missing else None
    row, column = infinite or (measured.bad_row, measured.bad_column)
    return MissingValueError(
        f"{name} is {X[row, column]} at row {row}, column {column}. Every value must be finite: "
        "drop or fill them, or use a metric for missing values ('nan_euclidean', 'gower')."
    )
