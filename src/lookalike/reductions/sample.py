"""A random sample of the rows, the same however they are cut and on every engine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk, Matrix
from lookalike.typing import AnyArray, Array, Rows, to_host


class SampledRows(NamedTuple):
    """The rows drawn so far, by rising key."""

    key: AnyArray  # (m,) uint64
    row: Rows  # (m,) global row numbers
    X: Matrix | None  # (m, d)
    weight: Array | None = None  # (m,) where the rows have one


class RandomSample:
    """A simple random sample without replacement, of at most `size` rows.

    Every row has a random key that depends on its global number and the seed alone; the rows of
    the smallest keys are kept (a bottom-k sketch), so pieces join in any order. Rows without
    weight are left out.

    Parameters
    ----------
    size : int
        Number of rows.
    seed : int
        Another seed, another sample.
    among : int, optional
        Number of all rows with weight, where it is known. Rows whose key is too large to be among
        the smallest, six standard deviations beyond the expectation, are dropped at once: all
        states together have hardly more than `size` rows.

    Examples
    --------
    >>> reduction = RandomSample(2, seed=0)
    >>> state = reduction.update(reduction.init(1), Chunk(np.arange(9.0)[:, None]))
    >>> reduction.finalize(state).X.ravel()
    array([2., 4.])
    """

    on_gpu = True

    def __init__(self, size: int, *, seed: int = 0, among: int | None = None) -> None:
        self.size = size
        self.seed = seed
        self.among = among

    def init(self, n_features: int) -> SampledRows:  # noqa: ARG002 - the rows bring their width and type
        """Return the sample of no rows."""
        return SampledRows(np.empty(0, np.uint64), np.empty(0, np.int64), None)

    def update(self, state: SampledRows, chunk: Chunk) -> SampledRows:
        """Add the rows of `chunk`."""
        row = chunk.offset + np.arange(chunk.X.shape[0], dtype=np.int64)
        draw = SampledRows(_keys(row, self.seed), row, chunk.X, chunk.weight)
        if chunk.weight is not None and not chunk.weight.all():
            draw = _only(draw, np.flatnonzero(chunk.weight))
        enough = self.size + 6.0 * (1.0 + self.size**0.5)
        if self.among is not None and enough < self.among:
            draw = _only(draw, np.flatnonzero(draw.key < np.uint64(enough / self.among * 2.0**64)))
        draw = self._least(draw)
        return self.merge(state, draw._replace(X=to_host(draw.X)))

    def merge(self, left: SampledRows, right: SampledRows) -> SampledRows:
        """Keep the smallest keys of both."""
        if left.X is None:
            return right
        if right.X is None:
            return left
        stack = sp.vstack if sp.issparse(left.X) else np.concatenate
        both = SampledRows(
            np.concatenate([left.key, right.key]),
            np.concatenate([left.row, right.row]),
            stack([left.X, right.X]),
            None if left.weight is None else np.concatenate([left.weight, right.weight]),
        )
        return self._least(both)

    def finalize(self, state: SampledRows) -> SampledRows:
        """Return the sample in the order of the rows."""
        return _only(state, np.argsort(state.row, kind="stable"))

    def _least(self, draw: SampledRows) -> SampledRows:
        return _only(draw, np.lexsort((draw.row, draw.key))[: self.size])


def _only(draw: SampledRows, kept: Rows) -> SampledRows:
    X = None if draw.X is None else draw.X[kept]
    weight = None if draw.weight is None else draw.weight[kept]
    return SampledRows(draw.key[kept], draw.row[kept], X, weight)


def _keys(row: Rows, seed: int) -> AnyArray:
    """Return a well-mixed number for every row [Steele14, splitmix64]."""
    with np.errstate(over="ignore"):
        return mixed(
            row.astype(np.uint64) + np.uint64(seed % 2**64) * np.uint64(0xD1342543DE82EF95)
        )


def mixed(numbers: AnyArray) -> AnyArray:
    """Return a well-mixed uint64 for every uint64 [Steele14, splitmix64]."""
    with np.errstate(over="ignore"):
        return scrambled((numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))


def scrambled(bits: AnyArray) -> AnyArray:
    """Return bits each of which depends on all (the finalizer of splitmix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: AnyArray = bits ^ (bits >> np.uint64(31))
    return mixed
