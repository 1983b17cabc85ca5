"""Reductions in which other columns play the part of the rows or of the target."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk
from lookalike.errors import ShapeError
from lookalike.reductions.base import Reduction
from lookalike.reductions.joint_counts import dense_column

State = TypeVar("State")
Result = TypeVar("Result")


class _Other(Generic[State, Result]):
    """Another reduction, of other rows: `update` says which."""

    def __init__(self, reduction: Reduction[State, Result]) -> None:
        self.reduction = reduction

    def init(self, n_features: int) -> State:
        """Return the state of no rows."""
        return self.reduction.init(n_features)

    def merge(self, left: State, right: State) -> State:
        """Join two groups of rows."""
        return self.reduction.merge(left, right)

    def finalize(self, state: State) -> Result:
        """Return the statistic."""
        return self.reduction.finalize(state)


class OfTarget(_Other[State, Result]):
    """Another reduction, of the target as the only column.

    Parameters
    ----------
    reduction : Reduction
        What is gathered.
    """

    def init(self, n_features: int) -> State:  # noqa: ARG002 - the target is one column
        """Return the state of no rows."""
        return self.reduction.init(1)

    def update(self, state: State, chunk: Chunk) -> State:
        """Join the targets of `chunk`."""
        if chunk.y is None:
            raise ShapeError("The rows bring no target. Give y, or name the target of the source.")
        y = np.asarray(chunk.y).reshape(-1, 1)
        return self.reduction.update(state, Chunk(y, None, chunk.weight, chunk.offset))


class WithWeight(_Other[State, Result]):
    """Another reduction, of the rows with their weight as a last column.

    Parameters
    ----------
    reduction : Reduction
        What is gathered.
    """

    def init(self, n_features: int) -> State:
        """Return the state of no rows."""
        return self.reduction.init(n_features + 1)

    def update(self, state: State, chunk: Chunk) -> State:
        """Join the rows of `chunk`."""
        weight = np.ones(chunk.X.shape[0]) if chunk.weight is None else chunk.weight
        if sp.issparse(chunk.X):
            X = sp.hstack([chunk.X, weight[:, None]], format="csr")
        else:
            X = np.column_stack([chunk.X, weight])
        return self.reduction.update(state, Chunk(X, chunk.y, None, chunk.offset))


class AgainstColumn(_Other[State, Result]):
    """Another reduction, with one of the columns as the target; rows that lack it are left out.

    Parameters
    ----------
    reduction : Reduction
        What is gathered.
    column : int
        The number of the column.
    """

    def __init__(self, reduction: Reduction[State, Result], column: int) -> None:
        super().__init__(reduction)
        self.column = column

    def update(self, state: State, chunk: Chunk) -> State:
        """Join the rows of `chunk`."""
        y = dense_column(chunk.X, self.column).astype(np.float64)
        known = ~np.isnan(y)
        if known.all():
            return self.reduction.update(state, chunk._replace(y=y))
        if not known.any():
            return state
        weight = None if chunk.weight is None else chunk.weight[known]
        return self.reduction.update(state, Chunk(chunk.X[known], y[known], weight, chunk.offset))
