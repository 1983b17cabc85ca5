"""Contingency tables: how often every value of a column occurs with every value of y."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np

from lookalike.data.chunk import Chunk, Column, Matrix
from lookalike.errors import MissingValueError, ShapeError
from lookalike.kernels.native_arrays import as_dense
from lookalike.typing import AnyArray, Array, Rows

ContingencyTables: TypeAlias = tuple[Array, ...]  # (values, values of the target) each


class Coding(Protocol):
    """A function that gives each value of a column a number from 0, -1 where it is missing."""

    size: int

    def __call__(self, column: AnyArray) -> Rows:
        """Return the codes."""
        ...


class JointCounts:
    """The weight of every pair of values of a column and of the target; missing ones left out.

    Parameters
    ----------
    codings : sequence of Coding
        The coding of the values of each column.
    target : Coding or int
        The coding of y, or the number of the column that is the target.
    columns : sequence of Column, optional
        Where given, a missing value of a column is an error that names it.

    Examples
    --------
    >>> from lookalike.kernels.discretize import Discretizer, Levels
    >>> reduction = JointCounts([Discretizer(np.array([5.0]))], Levels(["no", "yes"]))
    >>> chunk = Chunk(np.array([[1.0], [9.0], [7.0]]), y=np.array(["no", "yes", "no"]))
    >>> reduction.finalize(reduction.update(reduction.init(1), chunk))
    (array([[1., 0.], [1., 1.]]),)
    """

    def __init__(
        self,
        codings: Sequence[Coding],
        target: Coding | int,
        columns: Sequence[Column] | None = None,
    ) -> None:
        self.codings = codings
        self.target = target
        self.columns = columns

    def init(self, n_features: int) -> ContingencyTables:  # noqa: ARG002 - one coding per column
        """Return the counts of no rows."""
        width = self._target_coding.size
        return tuple(np.zeros((coding.size, width)) for coding in self.codings)

    def update(self, state: ContingencyTables, chunk: Chunk) -> ContingencyTables:
        """Count the rows of `chunk`."""
        label = self._labels(chunk)
        width = self._target_coding.size
        tables = []
        for index, (coding, table) in enumerate(zip(self.codings, state, strict=True)):
            code = coding(dense_column(chunk.X, index))
            known = (code >= 0) & (label >= 0)
            if self.columns is not None and not (code >= 0).all():
                self._refuse(chunk, int(np.flatnonzero(code < 0)[0]), index)
            weight = None if chunk.weight is None else chunk.weight[known]
            pair = code[known] * width + label[known]
            tables.append(table + np.bincount(pair, weight, table.size).reshape(table.shape))
        return tuple(tables)

    def merge(self, left: ContingencyTables, right: ContingencyTables) -> ContingencyTables:
        """Add the counts of two groups of rows."""
        return tuple(mine + theirs for mine, theirs in zip(left, right, strict=True))

    def finalize(self, state: ContingencyTables) -> ContingencyTables:
        """Return the tables."""
        return state

    @property
    def _target_coding(self) -> Coding:
        return self.codings[self.target] if isinstance(self.target, int) else self.target

    def _labels(self, chunk: Chunk) -> Rows:
        if isinstance(self.target, int):
            return self._target_coding(dense_column(chunk.X, self.target))
        if chunk.y is None:
            raise ShapeError("Joint counts need a target for every row. Give y.")
        return self.target(chunk.y)

    def _refuse(self, chunk: Chunk, row: int, place: int) -> None:
        assert self.columns is not None
        raise MissingValueError(
            f"{dense_column(chunk.X, place)[row]} at row {chunk.offset + row}, column "
            f"{self.columns[place].name!r}, where every value is needed. Fill it (SimpleImputer), "
            "drop the row, or give missing='present'."
        )


def dense_column(X: Matrix, place: int) -> AnyArray:
    """Return one column of a matrix, dense or sparse."""
    column: AnyArray = X[:, [place]]
    return as_dense(column)[:, 0]
