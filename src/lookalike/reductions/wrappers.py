"""Reductions built from another one: of checked, mapped, grouped or otherwise changed rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.errors import ShapeError
from lookalike.kernels.gram import row_blocks
from lookalike.reductions.base import Reduction, runs_on_gpu
from lookalike.reductions.joint_counts import dense_column
from lookalike.typing import AnyArray

State = TypeVar("State")
Result = TypeVar("Result")


class Wrapper(Generic[State, Result]):
    """What is made of another reduction.

    Parameters
    ----------
    reduction : Reduction
        The wrapped reduction.
    """

    def __init__(self, reduction: Reduction[State, Result]) -> None:
        self.reduction = reduction

    @property
    def on_gpu(self) -> bool:
        """Whether rows may lie on a GPU."""
        return runs_on_gpu(self.reduction)


class Wrapped(Wrapper[State, Result]):
    """Another reduction as it is; a subclass changes the rows, the state or the result."""

    def init(self, n_features: int) -> State:
        """Return the state of no rows."""
        return self.reduction.init(n_features)

    def update(self, state: State, chunk: Chunk) -> State:
        """Add the rows of `chunk`."""
        return self.reduction.update(state, chunk)

    def merge(self, left: State, right: State) -> State:
        """Join the states of two groups of rows."""
        return self.reduction.merge(left, right)

    def finalize(self, state: State) -> Result:
        """Return the statistic."""
        return self.reduction.finalize(state)


class Checked(Wrapped[State, Result]):
    """Another reduction, of rows that must be finite: the first value that is not is an error.

    Parameters
    ----------
    reduction : Reduction
        The wrapped reduction.
    columns : sequence of Column, optional
        Column names for the error message.
    allow_nan : bool
        Whether NaN is accepted as a missing value.
    """

    def __init__(
        self,
        reduction: Reduction[State, Result],
        columns: Sequence[Column] | None = None,
        *,
        allow_nan: bool = False,
    ) -> None:
        super().__init__(reduction)
        self.columns = columns
        self.allow_nan = allow_nan

    def update(self, state: State, chunk: Chunk) -> State:
        """Check the rows of `chunk`, then add them."""
        require_finite(chunk.X, chunk.offset, self.columns, allow_nan=self.allow_nan)
        return self.reduction.update(state, chunk)


class StateOf(Wrapped[State, Any]):
    """Another reduction whose state is the result, so that more rows can be added later.

    The `finalize` of the wrapped reduction makes the statistic when it is needed.
    """

    def finalize(self, state: State) -> State:
        """Return the state."""
        return state


class CountedState(NamedTuple, Generic[State]):
    """The number of rows with a weight above zero, and the state of the wrapped reduction."""

    rows: int
    state: State


class WithRowCount(Wrapper[State, Any]):
    """Another reduction whose state is the result, together with the number of rows.

    Rows are counted in addition to their weights, which need not be whole numbers.
    """

    def init(self, n_features: int) -> CountedState[State]:
        """Return the state of no rows."""
        return CountedState(0, self.reduction.init(n_features))

    def update(self, state: CountedState[State], chunk: Chunk) -> CountedState[State]:
        """Count and add the rows of `chunk`."""
        rows = chunk.X.shape[0] if chunk.weight is None else np.count_nonzero(chunk.weight)
        return CountedState(state.rows + int(rows), self.reduction.update(state.state, chunk))

    def merge(self, left: CountedState[State], right: CountedState[State]) -> CountedState[State]:
        """Join the states of two groups of rows."""
        joined = self.reduction.merge(left.state, right.state)
        return CountedState(left.rows + right.rows, joined)

    def finalize(self, state: CountedState[State]) -> CountedState[State]:
        """Return the state."""
        return state


class RowMap(Protocol):
    """A function of rows, each by itself; picklable, so that it can be sent to a cluster."""

    width: int  # number of columns it returns

    def __call__(self, X: AnyArray) -> AnyArray:
        """Return the mapped rows of `X`."""
        ...


class OnHost(Wrapped[State, Result]):
    """Another reduction, of rows that NumPy changes first: they cannot lie on a GPU."""

    on_gpu = False


class Mapped(OnHost[State, Result]):
    """Another reduction, of the rows after a function."""

    def __init__(self, reduction: Reduction[State, Result], function: RowMap) -> None:
        super().__init__(reduction)
        self.function = function

    def init(self, n_features: int) -> State:  # noqa: ARG002 - the function sets the width
        """Return the state of no rows."""
        return self.reduction.init(self.function.width)

    def update(self, state: State, chunk: Chunk) -> State:
        """Map and add the rows of `chunk`, a block at a time."""
        for block in row_blocks(chunk.X.shape[0], self.function.width):
            part = chunk.part(block)
            state = self.reduction.update(state, part._replace(X=self.function(part.X)))
        return state


class Grouped(Generic[State]):
    """Another reduction for each of several groups; row n belongs to group ``n % n_groups``.

    With the state of every group, any group can be left out: the folds of a cross-validation,
    or the groups of a jackknife estimate of uncertainty [Efron82].

    Parameters
    ----------
    reduction : Reduction
        The reduction of every group; its `finalize` makes the statistic of joined states.
    n_groups : int
        Number of groups.
    """

    def __init__(self, reduction: Reduction[State, object], n_groups: int = 5) -> None:
        self.reduction = reduction
        self.n_groups = n_groups

    @property
    def on_gpu(self) -> bool:
        """Whether rows may lie on a GPU."""
        return runs_on_gpu(self.reduction)

    def init(self, n_features: int) -> tuple[State, ...]:
        """Return the states of no rows."""
        return tuple(self.reduction.init(n_features) for _ in range(self.n_groups))

    def update(self, state: tuple[State, ...], chunk: Chunk) -> tuple[State, ...]:
        """Add the rows of `chunk`, each to its group."""
        if self.n_groups == 1:
            return (self.reduction.update(state[0], chunk),)
        groups = []
        for group, before in enumerate(state):
            rows = slice((group - chunk.offset) % self.n_groups, None, self.n_groups)
            part = chunk.part(rows)
            groups.append(self.reduction.update(before, part) if part.X.shape[0] else before)
        return tuple(groups)

    def merge(self, left: tuple[State, ...], right: tuple[State, ...]) -> tuple[State, ...]:
        """Join the states of two groups of rows, group by group."""
        join = self.reduction.merge
        return tuple(join(mine, theirs) for mine, theirs in zip(left, right, strict=True))

    def finalize(self, state: tuple[State, ...]) -> tuple[State, ...]:
        """Return the state of each group."""
        return state


class OfTarget(OnHost[State, Result]):
    """Another reduction, of the target as the only column."""

    def init(self, n_features: int) -> State:  # noqa: ARG002 - the target is one column
        """Return the state of no rows."""
        return self.reduction.init(1)

    def update(self, state: State, chunk: Chunk) -> State:
        """Add the targets of `chunk`."""
        if chunk.y is None:
            raise ShapeError("The rows have no target. Give y, or name the target of the source.")
        y = np.asarray(chunk.y).reshape(-1, 1)
        return self.reduction.update(state, Chunk(y, None, chunk.weight, chunk.offset))


class WithWeight(OnHost[State, Result]):
    """Another reduction, of the rows with their weight as a last column."""

    def init(self, n_features: int) -> State:
        """Return the state of no rows."""
        return self.reduction.init(n_features + 1)

    def update(self, state: State, chunk: Chunk) -> State:
        """Add the rows of `chunk`."""
        weight = np.ones(chunk.X.shape[0]) if chunk.weight is None else chunk.weight
        if sp.issparse(chunk.X):
            X = sp.hstack([chunk.X, weight[:, None]], format="csr")
        else:
            X = np.column_stack([chunk.X, weight])
        return self.reduction.update(state, Chunk(X, chunk.y, None, chunk.offset))


class AgainstColumn(OnHost[State, Result]):
    """Another reduction, with a column by number as the target; rows that lack it are left out."""

    def __init__(self, reduction: Reduction[State, Result], column: int) -> None:
        super().__init__(reduction)
        self.column = column

    def update(self, state: State, chunk: Chunk) -> State:
        """Add the rows of `chunk` that have the column."""
        y = dense_column(chunk.X, self.column).astype(np.float64)
        known = ~np.isnan(y)
        if not known.any():
            return state
        chunk = chunk._replace(y=y)
        return self.reduction.update(state, chunk if known.all() else chunk.part(known))
