"""Rows as the float32 numbers that trees compare, without losing the digits of any column."""

from __future__ import annotations

import numpy as np

from lookalike.decisions import Decisions
from lookalike.models.inputs import as_floats
from lookalike.typing import AnyArray, Array

FAR = 2.0**100  # beyond which columns are scaled, as their float32 would be infinite or zero


def float32_map(X: AnyArray, decisions: Decisions) -> tuple[Array, Array]:
    """Return what is taken from every column, and what it is multiplied by, before float32.

    Trees compare float32 numbers. A column far from zero for its range would lose its digits, and
    one of very large or small numbers all of them.
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
    odd = (size > FAR) | ((size > 0) & (size < 1 / FAR))
    scale[odd] = np.exp2(-np.frexp(size[odd])[1].astype(np.float64).clip(-1000, 1000))
    if far.any() or odd.any():
        decisions.add(
            "columns",
            f"{np.count_nonzero(far)} shifted, {np.count_nonzero(odd)} scaled",
            "trees compare float32, which would round their differences away",
        )
    return shift, scale


def as_float32(X: AnyArray, shift: Array, scale: Array) -> AnyArray:
    """Return rows as contiguous float32."""
    if shift.any() or (scale != 1).any():
        X = (as_floats(X).astype(np.float64) - shift) * scale
    with np.errstate(over="ignore"):
        rows = np.ascontiguousarray(X, np.float32)
    if np.isinf(rows).any():  # of queries far beyond the training rows
        largest = np.finfo(np.float32).max
        rows = np.clip(rows, -largest, largest)
    return rows


def float32_below(threshold: Array) -> AnyArray:
    """Return the largest float32 that is no larger: x <= threshold is the same for it."""
    with np.errstate(over="ignore"):
        nearest = threshold.astype(np.float32)
    lower = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > threshold, lower, nearest).astype(np.float32)
