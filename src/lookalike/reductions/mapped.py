"""A reduction of rows that are turned into others first."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from lookalike.data.chunk import Chunk
from lookalike.kernels.gram import row_blocks
from lookalike.reductions.base import Reduction
from lookalike.typing import AnyArray

State = TypeVar("State")
Result = TypeVar("Result")


class RowMap(Protocol):
    """A function of rows, each by itself; picklable, so that it can be sent to a cluster."""

    width: int  # columns of what it returns

    def __call__(self, X: AnyArray) -> AnyArray:
        """Return what the rows of `X` become."""
        ...


class Mapped(Generic[State, Result]):
    """Another reduction, of what a function makes of the rows.

    Parameters
    ----------
    reduction : Reduction
        What is gathered.
    function : RowMap
        What each row becomes.
    """

    def __init__(self, reduction: Reduction[State, Result], function: RowMap) -> None:
        self.reduction = reduction
        self.function = function

    def init(self, n_features: int) -> State:  # noqa: ARG002 - the function settles the width
        """Return the state of no rows."""
        return self.reduction.init(self.function.width)

    def update(self, state: State, chunk: Chunk) -> State:
        """Join what the rows of `chunk` become, a few rows at a time."""
        for part in row_blocks(chunk.X.shape[0], self.function.width):
            here = Chunk(
                self.function(chunk.X[part]),
                None if chunk.y is None else chunk.y[part],
                None if chunk.weight is None else chunk.weight[part],
                chunk.offset + part.start,
            )
            state = self.reduction.update(state, here)
        return state

    def merge(self, left: State, right: State) -> State:
        """Join two groups of rows."""
        return self.reduction.merge(left, right)

    def finalize(self, state: State) -> Result:
        """Return the statistic."""
        return self.reduction.finalize(state)
