"""Rows as hashes: how many are exact duplicates, and which are held out, whoever reads them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.reductions.sample import scrambled
from lookalike.typing import AnyArray, Array

MAX_ROW_HASHES = 2**21  # that a state keeps
HASH_BITS = 64
NUMBERS_HASHED_AT_ONCE = 4096  # their steps reuse cached memory


class HashCounts(NamedTuple):
    """Hashes whose first `level` bits are zero, in order, and how many rows have each."""

    level: int
    value: AnyArray  # (m,), uint64
    count: Array  # type: ignore[assignment]  # hides tuple.count; (m,)
    n_rows: int


class DuplicateRows:
    """Exact duplicates by a hash of 64 bits of every row, in a state of bounded size.

    As long as there are few distinct rows all hashes are kept; beyond that those whose first bits
    are zero: a random half, quarter … of the distinct rows, from which the number is estimated.

    Parameters
    ----------
    most : int
        Hashes that are kept.
    """

    def __init__(self, most: int = MAX_ROW_HASHES) -> None:
        self.most = most

    def init(self, n_features: int) -> HashCounts:  # noqa: ARG002 - a hash for any width
        """Return the state of no rows."""
        return HashCounts(0, np.empty(0, np.uint64), np.empty(0), 0)

    def update(self, state: HashCounts, chunk: Chunk) -> HashCounts:
        """Add the rows of `chunk`."""
        hashes = row_hashes(chunk.X)
        value, count = np.unique(_of_level(hashes, state.level), return_counts=True)
        numbers: Array = count.astype(np.float64)
        part = HashCounts(state.level, value, numbers, len(hashes))
        return self.merge(state, part)

    def merge(self, left: HashCounts, right: HashCounts) -> HashCounts:
        """Join two groups of rows."""
        level = max(left.level, right.level)
        sides = [_keep(side, level) for side in (left, right)]
        value, inverse = np.unique(
            np.concatenate([side.value for side in sides]), return_inverse=True
        )
        counts = np.concatenate([side.count for side in sides])
        count: Array = np.bincount(inverse, counts, minlength=len(value)).astype(np.float64)
        joined = HashCounts(level, value, count, left.n_rows + right.n_rows)
        while len(joined.value) > self.most and joined.level < HASH_BITS - 1:
            joined = _keep(joined, joined.level + 1)
        return joined

    def finalize(self, state: HashCounts) -> tuple[int, float, float]:
        """Return the rows, how many of them repeat another, and which part was counted.

        Where only a part of the distinct rows was counted, the number of duplicates is an estimate.
        """
        part = 0.5**state.level
        return state.n_rows, float((state.count - 1).sum() / part), part


def row_hashes(X: AnyArray) -> AnyArray:
    """Return 64 bits of every row, equal for rows that are equal number by number.

    Zeros of both signs are equal, and so are missing values.

    Examples
    --------
    >>> first, second, other = row_hashes(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]]))
    >>> bool(first == second), bool(first == other)
    (True, False)
    """
    n_rows, width = X.shape
    rng = np.random.default_rng(2026)
    factor: AnyArray = np.asarray(rng.integers(0, 2**63, width, dtype=np.uint64)) * 2 + 1
    total = np.empty(n_rows, np.uint64)
    step = max(1, NUMBERS_HASHED_AT_ONCE // max(1, width))
    with np.errstate(over="ignore"):
        for start in range(0, n_rows, step):
            block = np.array(X[start : start + step], np.float64)
            block += 0.0
            block[np.isnan(block)] = np.nan
            bits = block.view(np.uint64)
            bits ^= bits >> np.uint64(32)
            total[start : start + step] = (scrambled(bits) * factor).sum(axis=1, dtype=np.uint64)
        return scrambled(total)


def is_held_out(X: AnyArray, parts: int = 5) -> AnyArray:
    """Return which rows are held out, one part of several: equal rows are on one side together."""
    held: AnyArray = (row_hashes(X) % np.uint64(parts)) == 0
    return held


def _of_level(hashes: AnyArray, level: int) -> AnyArray:
    return hashes if level == 0 else hashes[hashes >> np.uint64(HASH_BITS - level) == 0]


def _keep(state: HashCounts, level: int) -> HashCounts:
    if state.level == level:
        return state
    kept = state.value >> np.uint64(HASH_BITS - level) == 0
    return HashCounts(level, state.value[kept], state.count[kept], state.n_rows)
