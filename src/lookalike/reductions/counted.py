"""The state of another reduction as it stands, with the number of rows it was gathered from."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.reductions.base import Reduction

State = TypeVar("State")


class CountedState(NamedTuple, Generic[State]):
    """Rows that have a weight above zero, and what was gathered of them."""

    rows: int
    state: State


class Counted(Generic[State]):
    """Another reduction whose state is the result, so that more rows can join it later.

    Weights need not count rows, so these are counted beside them.

    Parameters
    ----------
    reduction : Reduction
        What is gathered.
    """

    def __init__(self, reduction: Reduction[State, object]) -> None:
        self.reduction = reduction

    def init(self, n_features: int) -> CountedState[State]:
        """Return the state of no rows."""
        return CountedState(0, self.reduction.init(n_features))

    def update(self, state: CountedState[State], chunk: Chunk) -> CountedState[State]:
        """Count and join the rows of `chunk`."""
        rows = chunk.X.shape[0] if chunk.weight is None else np.count_nonzero(chunk.weight)
        return CountedState(state.rows + int(rows), self.reduction.update(state.state, chunk))

    def merge(self, left: CountedState[State], right: CountedState[State]) -> CountedState[State]:
        """Join two groups of rows."""
        joined = self.reduction.merge(left.state, right.state)
        return CountedState(left.rows + right.rows, joined)

    def finalize(self, state: CountedState[State]) -> CountedState[State]:
        """Return the state itself."""
        return state
