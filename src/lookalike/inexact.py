"""Whole numbers that float64 cannot hold."""

from __future__ import annotations

import warnings

import numpy as np

from lookalike.typing import AnyArray

LARGEST_EXACT_INTEGER = 2**53  # up to here float64 holds every whole number


def first_inexact(values: AnyArray) -> tuple[int, int] | None:
    """Return place and value of the first whole number of `values` that float64 cannot hold.

    Examples
    --------
    >>> first_inexact(np.array([1, 2**60, 2**53 + 1]))
    (2, 9007199254740993)
    """
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return None
    if int(values.max()) <= LARGEST_EXACT_INTEGER and int(values.min()) >= -LARGEST_EXACT_INTEGER:
        return None
    flat = values.ravel()
    size = np.abs(flat).astype(np.uint64)  # the bits of the least int64 are 2^63 too
    odd_part = size // np.maximum(size & (~size + np.uint64(1)), np.uint64(1))
    inexact = np.flatnonzero(odd_part > LARGEST_EXACT_INTEGER)
    return (int(inexact[0]), int(flat[inexact[0]])) if inexact.size else None


def warn_inexact(value: int, row: int, column: int | str, *, of: str = "X", depth: int = 3) -> None:
    """Warn that a whole number of the rows `of` loses its last digits."""
    warnings.warn(
        f"{of}: {value} at row {row}, column {column!r} is not exact in float64, in which we "
        "compute. Subtract a common offset first if the last digits matter.",
        stacklevel=depth,
    )
