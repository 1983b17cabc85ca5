"""The states of another reduction for groups of rows, of which any can be left out."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from lookalike.data.chunk import Chunk
from lookalike.reductions.base import Reduction

State = TypeVar("State")


class Grouped(Generic[State]):
    """Another reduction for each of several groups; row n belongs to group ``n % n_groups``.

    What is left when a group is taken away tells how uncertain a statistic is [Efron82].

    Parameters
    ----------
    reduction : Reduction
        What is gathered; its own `finalize` makes the statistic of joined states.
    n_groups : int
        How many groups.
    """

    def __init__(self, reduction: Reduction[State, Any], n_groups: int) -> None:
        self.reduction = reduction
        self.n_groups = n_groups

    def init(self, n_features: int) -> tuple[State, ...]:
        """Return the states of no rows."""
        return tuple(self.reduction.init(n_features) for _ in range(self.n_groups))

    def update(self, state: tuple[State, ...], chunk: Chunk) -> tuple[State, ...]:
        """Join the rows of `chunk`, each to its group."""
        if self.n_groups == 1:
            return (self.reduction.update(state[0], chunk),)
        found = []
        for group, held in enumerate(state):
            rows = slice((group - chunk.offset) % self.n_groups, None, self.n_groups)
            X = chunk.X[rows]
            part = Chunk(
                X,
                None if chunk.y is None else chunk.y[rows],
                None if chunk.weight is None else chunk.weight[rows],
                chunk.offset,
            )
            found.append(self.reduction.update(held, part) if X.shape[0] else held)
        return tuple(found)

    def merge(self, left: tuple[State, ...], right: tuple[State, ...]) -> tuple[State, ...]:
        """Join two collections of rows, group by group."""
        join = self.reduction.merge
        return tuple(join(mine, theirs) for mine, theirs in zip(left, right, strict=True))

    def finalize(self, state: tuple[State, ...]) -> tuple[State, ...]:
        """Return the state of each group."""
        return state
