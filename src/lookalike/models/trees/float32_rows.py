"""Rows as the float32 numbers that trees compare, without losing the digits of any column."""

from __future__ import annotations

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import MagnitudeError
from lookalike.models.inputs import as_floats
from lookalike.typing import AnyArray, Array

LARGEST_UNSCALED_VALUE = 2.0**100  # whose float32 is still far from infinite
LARGEST_FLOAT32 = float(np.finfo(np.float32).max)
SAMPLE_FOR_MAGNITUDE = 1024  # rows, evenly spaced


def float32_map(X: AnyArray, decisions: Decisions) -> tuple[Array, Array]:
    """Return what is taken from every column, and what it is multiplied by, before float32.

    Trees compare float32 numbers. A column far from zero for its range would lose its digits, and
    one of very large or small numbers all of them. Beside a value beyond the range of float32, the
    others keep their digits, and it stays the largest.
    """
    n_features = X.shape[1]
    shift, scale = np.zeros(n_features), np.ones(n_features)
    if X.dtype == np.float32:
        return shift, scale
    empty = np.isnan(X).all(axis=0)
    least, most = (np.zeros(n_features) for _ in range(2))
    least[~empty], most[~empty] = np.nanmin(X[:, ~empty], axis=0), np.nanmax(X[:, ~empty], axis=0)
    with np.errstate(over="ignore"):
        extent = most / 2 - least / 2
        largest = np.maximum(np.abs(least), np.abs(most))
        far = largest > 16 * extent
    shift[far] = least[far]
    size = np.where(far, 2 * extent, largest)
    usual = _usual_sizes(X, shift, size)
    mixed = size > LARGEST_UNSCALED_VALUE * usual
    size = np.where(mixed, usual, size)
    odd = (size > LARGEST_UNSCALED_VALUE) | ((size > 0) & (size < 1 / LARGEST_UNSCALED_VALUE))
    scale[odd] = np.exp2(-np.frexp(size[odd])[1].astype(np.float64).clip(-1000, 1000))
    for column in np.flatnonzero(mixed):
        _require_one_outlier(X[:, column], int(column), shift[column], scale[column])
    if far.any() or odd.any():
        decisions.add(
            "columns",
            f"{np.count_nonzero(far)} shifted, {np.count_nonzero(odd)} scaled",
            "trees compare float32, which would round their differences away",
        )
    return shift, scale


def _usual_sizes(X: AnyArray, shift: Array, largest: Array) -> Array:
    """Return the median magnitude of every column, of a sample of its values that are not 0.

    The smallest of them stands for the median where the largest is not far beyond even that.
    """
    rows = X[:: max(1, len(X) // SAMPLE_FOR_MAGNITUDE)].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.abs(rows - shift)
        known = (size > 0) & np.isfinite(size)
    usual: Array = np.where(known, size, np.inf).min(axis=0)
    for column in np.flatnonzero(largest > LARGEST_UNSCALED_VALUE * usual):
        usual[column] = np.median(size[known[:, column], column])
    return usual


def _require_one_outlier(values: AnyArray, column: int, shift: float, scale: float) -> None:
    """Raise where several values are beyond float32, which would count alike."""
    with np.errstate(over="ignore"):
        scaled = (values - shift) * scale
    for beyond in (scaled > LARGEST_FLOAT32, scaled < -LARGEST_FLOAT32):
        rows = np.flatnonzero(beyond)
        if len(np.unique(values[rows])) > 1:
            raise MagnitudeError(
                f"X holds {values[rows[0]]:.3g} at row {rows[0]} and {values[rows[1]]:.3g} at row "
                f"{rows[1]}, column {column}, beside values of size {1 / scale:.3g}: trees compare "
                "float32, which does not hold all of them. Correct these rows, or give the "
                "logarithm of the column."
            )


def as_float32(X: AnyArray, shift: Array, scale: Array) -> AnyArray:
    """Return rows as contiguous float32."""
    with np.errstate(over="ignore"):
        if shift.any() or (scale != 1).any():
            X = (as_floats(X).astype(np.float64) - shift) * scale
        rows = np.ascontiguousarray(X, np.float32)
    if np.isinf(rows).any():  # a value far beyond all others
        rows = np.clip(rows, -LARGEST_FLOAT32, LARGEST_FLOAT32)
    return rows
