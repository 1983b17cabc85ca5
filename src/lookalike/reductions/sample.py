"""Some rows drawn at random, the same ones however the rows are cut and wherever they lie."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk, Matrix
from lookalike.typing import AnyArray, Rows


class Draw(NamedTuple):
    """The rows drawn so far, by rising key."""

    key: AnyArray  # (m,) uint64, the lot of each row
    row: Rows  # (m,) global row numbers
    X: Matrix | None  # (m, d)


class Sample:
    """A simple random sample without replacement, of at most `size` rows.

    Every row draws a lot from its global number and the seed alone [Vitter85's aim, by the
    bottom-k sketch]; the rows with the smallest lots are kept. So pieces join in any order.

    Parameters
    ----------
    size : int
        Rows that are kept.
    seed : int
        Another seed, another sample.
    weighted : bool
        Whether the weight of each row, dense, follows as a last column; rows of none are not drawn.

    Examples
    --------
    >>> reduction = Sample(2, seed=0)
    >>> state = reduction.update(reduction.init(1), Chunk(np.arange(9.0)[:, None]))
    >>> reduction.finalize(state).X.ravel()
    array([2., 4.])
    """

    def __init__(self, size: int, *, seed: int = 0, weighted: bool = False) -> None:
        self.size = size
        self.seed = seed
        self.weighted = weighted

    def init(self, n_features: int) -> Draw:  # noqa: ARG002 - the rows bring their width and type
        """Return the sample of no rows."""
        return Draw(np.empty(0, np.uint64), np.empty(0, np.int64), None)

    def update(self, state: Draw, chunk: Chunk) -> Draw:
        """Let the rows of `chunk` draw their lots."""
        row, X = chunk.offset + np.arange(chunk.X.shape[0], dtype=np.int64), chunk.X
        if self.weighted:
            weight = np.ones(len(row)) if chunk.weight is None else chunk.weight
            row, X = row[weight > 0], np.column_stack([np.asarray(X), weight])[weight > 0]
        return self.merge(state, self._least(Draw(_lots(row, self.seed), row, X)))

    def merge(self, left: Draw, right: Draw) -> Draw:
        """Keep the smallest lots of both."""
        if left.X is None:
            return right
        if right.X is None:
            return left
        stack = sp.vstack if sp.issparse(left.X) else np.concatenate
        both = Draw(
            np.concatenate([left.key, right.key]),
            np.concatenate([left.row, right.row]),
            stack([left.X, right.X]),
        )
        return self._least(both)

    def finalize(self, state: Draw) -> Draw:
        """Return the sample in the order of the rows."""
        order = np.argsort(state.row, kind="stable")
        X = None if state.X is None else state.X[order]
        return Draw(state.key[order], state.row[order], X)

    def _least(self, draw: Draw) -> Draw:
        kept = np.lexsort((draw.row, draw.key))[: self.size]
        X = draw.X[kept]  # type: ignore[index]
        return Draw(draw.key[kept], draw.row[kept], X)


def _lots(row: Rows, seed: int) -> AnyArray:
    """Return a well-mixed number for every row [Steele14, splitmix64]."""
    with np.errstate(over="ignore"):
        mixed = row.astype(np.uint64) + np.uint64(seed % 2**64) * np.uint64(0xD1342543DE82EF95)
        mixed = (mixed + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))
