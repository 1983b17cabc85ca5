"""Exact quantiles: the value of a given rank in every column, in a few counting passes."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.typing import AnyArray, Array

DIGIT_BITS = 11
N_DIGITS = 6  # 6 x 11 bits cover the 64 of a float64


# What is known of the quantiles, each (targets, d): the leading digits of their keys as uint64, low
# bits zero; the weight of the values that sort before that prefix; and how many digits these are.
Prefix: TypeAlias = tuple[AnyArray, Array, int]


class DigitCounts:
    """Weights of the next digit, among the values whose leading digits match a prefix.

    Floats are read as unsigned integers that sort alike. Each pass fixes eleven bits of the
    quantiles, so six passes find any order statistic of any number of rows exactly, with a
    state of 2048 numbers a column.

    Parameters
    ----------
    prefix : Prefix
        The digits known from earlier passes.
    """

    key: AnyArray
    digits: int

    def __init__(self, prefix: Prefix) -> None:
        self.key, _, self.digits = prefix

    def init(self, n_features: int) -> Array:
        """Return the counts of no rows."""
        return np.zeros((len(self.key), n_features, 2**DIGIT_BITS))

    def update(self, state: Array, chunk: Chunk) -> Array:
        """Count the digits of `chunk`."""
        counts = state.copy()
        keys = sortable(np.asarray(chunk.X, dtype=np.float64))
        present = ~np.isnan(np.asarray(chunk.X, dtype=np.float64))
        digit = _digit(keys, self.digits)
        known = _leading(self.digits)
        for target, quantile in enumerate(self.key):
            matches = present & ((keys & known) == quantile)
            for column in range(keys.shape[1]):
                matching = matches[:, column]
                weight = None if chunk.weight is None else chunk.weight[matching]
                counts[target, column] += np.bincount(
                    digit[matching, column], weight, minlength=2**DIGIT_BITS
                )
        return counts

    def merge(self, left: Array, right: Array) -> Array:
        """Add the counts of two groups of rows."""
        return left + right

    def finalize(self, state: Array) -> Array:
        """Return the counts, (targets, d, 2048)."""
        return state


def start(n_targets: int, n_features: int) -> Prefix:
    """Return the prefix without any digit."""
    shape = (n_targets, n_features)
    return np.zeros(shape, np.uint64), np.zeros(shape), 0


def extend(prefix: Prefix, counts: Array, rank: Array) -> Prefix:
    """Return `prefix` one digit longer: the digit under which the weight first exceeds `rank`."""
    known, below, digits = prefix
    reached = below[..., None] + np.cumsum(counts, axis=-1)
    digit = np.argmax(reached > rank[..., None], axis=-1)
    before = np.take_along_axis(reached, np.maximum(digit - 1, 0)[..., None], -1)[..., 0]
    below = np.where(digit > 0, before, below)
    key = known | (digit.astype(np.uint64) << _shift(digits))
    return key, below, digits + 1


def sortable(values: Array) -> AnyArray:
    """Return unsigned integers that sort as `values` do; -0.0 counts as 0.0."""
    bits = (values + 0.0).view(np.uint64)
    sign = np.uint64(1) << np.uint64(63)
    return np.where(bits & sign, ~bits, bits | sign)


def unsortable(keys: AnyArray) -> Array:
    """Return the values that `sortable` made `keys` of."""
    sign = np.uint64(1) << np.uint64(63)
    return np.where(keys & sign, keys ^ sign, ~keys).view(np.float64)


def _shift(digits: int) -> np.uint64:
    """Return the place of the lowest bit of the digit after `digits`; the last one is short."""
    return np.uint64(max(64 - (digits + 1) * DIGIT_BITS, 0))


def _width(digits: int) -> int:
    return min(DIGIT_BITS, 64 - digits * DIGIT_BITS)


def _digit(keys: AnyArray, digits: int) -> AnyArray:
    mask = np.uint64(2 ** _width(digits) - 1)
    return ((keys >> _shift(digits)) & mask).astype(np.int64)


def _leading(digits: int) -> np.uint64:
    """Return the mask of the leading digits."""
    return np.uint64(0) if digits == 0 else ~np.uint64(0) << np.uint64(64 - digits * DIGIT_BITS)
