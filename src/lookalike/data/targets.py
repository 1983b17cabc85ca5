"""What comes with the rows: targets and weights, one per row, or an error that names the row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from lookalike.data.column_types import is_number
from lookalike.errors import (
    LookalikeError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.missing import is_missing
from lookalike.typing import AnyArray, Array
from lookalike.validation import shown

UNORDERED_TYPES = (str, bytes, Mapping, AbstractSet, Iterator)


def as_target(y: object, n_rows: int | None) -> AnyArray | None:
    """Return `y` as an array with one entry per row."""
    if y is None:
        return None
    values = one_a_row(y)
    if n_rows is not None and len(values) != n_rows:
        raise ShapeError(
            f"y holds {len(values)} entries, X has {n_rows} rows. Give one entry of y per row."
        )
    return values


def as_weight(
    weight: object, n_rows: int | None, name: str = "weight", *, offset: int = 0
) -> Array | None:
    """Return `weight` as float64, one per row from `offset` on, each finite and none negative."""
    if weight is None:
        return None
    values = as_finite(
        weight, name, "Give finite weights >= 0.", offset=offset, error=ParameterError
    )
    if values.ndim != 1 or (n_rows is not None and len(values) != n_rows):
        raise ShapeError(
            f"{name} has shape {values.shape}, X has {n_rows} rows. Give one weight per row."
        )
    bad = np.flatnonzero(values < 0)
    if len(bad):
        raise ParameterError(
            f"{name} is {values[bad[0]]} at row {offset + bad[0]}. Give finite weights >= 0."
        )
    return values


def as_finite(
    values: object,
    name: str = "y",
    remedy: str = "Correct or drop the row.",
    *,
    offset: int = 0,
    error: type[LookalikeError] = MissingValueError,
) -> Array:
    """Return a new array of float64 of the same shape, or raise naming the first bad entry.

    Examples
    --------
    >>> as_finite([1.0, float("inf")])
    Traceback (most recent call last):
    lookalike.errors.MissingValueError: y is inf at row 1, where finite numbers are needed. ...
    """
    given = one_a_row(values, name)
    if given.dtype.kind == "c":
        raise ParameterError(f"Complex data not supported: {name} is {given.dtype}. Give reals.")
    if given.dtype.kind not in "biuf":
        given = _numbers_of(given, name, remedy, offset)
    numbers = given.astype(np.float64)
    bad = np.argwhere(~np.isfinite(numbers))
    if len(bad):
        raise error(
            f"{name} is {numbers[tuple(bad[0])]} at row {offset + bad[0][0]}, where finite "
            f"numbers are needed. {remedy}"
        )
    return numbers


def one_a_row(values: Any, name: str = "y") -> AnyArray:
    """Return `values` as an array whose entries along the first axis belong to the rows.

    What is masked, ragged, without an order, or no text to NumPy is an error.
    """
    if isinstance(values, np.ma.MaskedArray):
        masked = np.argwhere(np.ma.getmaskarray(values))
        if len(masked):
            raise MissingValueError(
                f"{name} is masked at row {[*masked[0], 0][0]}. Fill the value or drop the row."
            )
        values = values.data
    if isinstance(values, UNORDERED_TYPES) or hasattr(values, "tocsr"):
        kind = "sparse matrix" if hasattr(values, "tocsr") else type(values).__name__
        raise ParameterTypeError(
            f"{name} is a {kind}, of which no entry belongs to a row. "
            "Give a list or an array with one entry per row."
        )
    if str(getattr(values, "dtype", "")) in ("Int128", "UInt128"):  # of polars, not of NumPy
        values = values.to_list()
    try:
        array = np.asarray(values)
    except ValueError:
        raise _ragged(values, name) from None
    if 0 in array.shape:
        raise ShapeError(f"{name} is empty, of shape {array.shape}. Give one entry per row.")
    if array.ndim == 0:
        raise ShapeError(f"{name} is the single value {shown(values)}. Give one entry per row.")
    if array.dtype.kind in "US" and isinstance(values, (list, tuple)):
        _require_no_final_nul(np.array(values, object), name)
    elif array.dtype.kind == "O":
        _require_no_final_nul(array, name)
    return array


def _require_no_final_nul(values: AnyArray, name: str) -> None:
    """Raise where a text ends in NUL, which NumPy's texts lose: two classes would become one."""
    for index, value in enumerate(values.ravel().tolist()):
        if isinstance(value, (str, bytes)) and value[-1:] in ("\0", b"\0"):
            row = index // (values.size // len(values))
            raise ParameterError(
                f"{name} holds {value!r} at row {row}, whose NUL at the end arrays of text do "
                "not keep. Rename it."
            )


def _ragged(values: Any, name: str) -> ShapeError:
    lengths = [np.shape(row)[:1] if hasattr(row, "__array__") else _length(row) for row in values]
    odd = next((i for i, length in enumerate(lengths) if length != lengths[0]), 0)
    return ShapeError(
        f"{name} is ragged: row {odd} is {shown(values[odd])}, row 0 {shown(values[0])}. "
        "Give one entry per row, or rows of one length."
    )


def _length(row: object) -> tuple[int, ...]:
    return (len(row),) if isinstance(row, (list, tuple)) else ()


def _numbers_of(given: AnyArray, name: str, remedy: str, offset: int) -> Array:
    """Return objects as numbers, or raise naming the first that is not a number."""
    numbers = np.empty(given.shape)
    for position, value in np.ndenumerate(given):
        row = offset + position[0]
        if is_missing(value):
            raise MissingValueError(
                f"{name} is {value} at row {row}, where numbers are needed. {remedy}"
            )
        if not is_number(value):
            raise ParameterTypeError(
                f"{name} holds {shown(value)} at row {row}, which is not a number. {remedy}"
            )
        numbers[position] = value
    return numbers
