"""A reduction whose state itself is wanted, to be joined with more rows later."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from lookalike.data.chunk import Chunk
from lookalike.reductions.base import Reduction

State = TypeVar("State")


class Kept(Generic[State]):
    """Another reduction, of which the result is the state.

    Parameters
    ----------
    reduction : Reduction
        What is gathered; its own `finalize` makes the statistic of the state when it is needed.
    """

    def __init__(self, reduction: Reduction[State, Any]) -> None:
        self.reduction = reduction

    def init(self, n_features: int) -> State:
        """Return the state of no rows."""
        return self.reduction.init(n_features)

    def update(self, state: State, chunk: Chunk) -> State:
        """Join the rows of `chunk`."""
        return self.reduction.update(state, chunk)

    def merge(self, left: State, right: State) -> State:
        """Join two groups of rows."""
        return self.reduction.merge(left, right)

    def finalize(self, state: State) -> State:
        """Return the state."""
        return state
