"""A reduction of rows that must be finite: the first that is not is named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.reductions.base import Reduction

State = TypeVar("State")
Result = TypeVar("Result")


class Checked(Generic[State, Result]):
    """Another reduction, of rows that are looked at before they are used.

    Parameters
    ----------
    reduction : Reduction
        What is gathered.
    columns : sequence of Column, optional
        Names for the error.
    allow_nan : bool
        Whether NaN may stand for a missing value.
    """

    def __init__(
        self,
        reduction: Reduction[State, Result],
        columns: Sequence[Column] | None = None,
        *,
        allow_nan: bool = False,
    ) -> None:
        self.reduction = reduction
        self.columns = columns
        self.allow_nan = allow_nan
        self.init, self.merge, self.finalize = reduction.init, reduction.merge, reduction.finalize

    def update(self, state: State, chunk: Chunk) -> State:
        """Check the rows of `chunk`, then join them."""
        require_finite(chunk.X, chunk.offset, self.columns, allow_nan=self.allow_nan)
        return self.reduction.update(state, chunk)
