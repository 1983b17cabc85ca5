"""Leakage over all rows: columns that leave little of the target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.kernels.discretize import Discretizer, Levels
from lookalike.reductions.joint_counts import Coding, JointCounts
from lookalike.reductions.wrappers import Wrapped
from lookalike.studies.analyze.leakage import COLUMN_LOSS_SHARE
from lookalike.typing import AnyArray, Array

NUMBER_BINS = 64  # of numbers
MAX_LEVELS = 256  # categories, the most frequent ones
# Of the baseline's loss, that a column may leave in the sample to be looked at.
SUSPECT_LOSS_SHARE = 0.2


class LeakScreen:
    """Which columns leave little of the target in the sample, and what they leave in all rows.

    A number is known by the bin it falls into, or the leaf of a decision tree, a category by
    itself; the loss is the error of the
    most frequent class of each bin, or the variance of the target within bins.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        The rows of the sample, as the pass over all rows reads them.
    y : array of shape (n_rows,)
        Their targets: the numbers of classes, or numbers.
    kinds : mapping
        Name and kind of each column.
    n_classes : int, optional
        Of classification, with one more for classes that the sample does not have.
    """

    def __init__(
        self, X: AnyArray, y: Array, kinds: Mapping[str, str], n_classes: int | None
    ) -> None:
        self._of_classes = n_classes is not None
        if n_classes is not None:
            self._target = Discretizer(np.arange(0.5, n_classes - 1))
            self._level = np.arange(n_classes, dtype=np.float64)
        else:
            self._target = Discretizer.of_sample(y, np.ones(len(y)), NUMBER_BINS)
            code = self._target(y)
            counted = np.maximum(np.bincount(code, minlength=self._target.size), 1)
            self._level = np.bincount(code, y, minlength=self._target.size) / counted
        codings = [_coding(X[:, j], kind) for j, kind in enumerate(kinds.values())]
        self._places = list(range(len(codings)))
        self._codings: list[Coding] = codings
        loss = self.unexplained(self.gather(Chunk(X, y)))
        self._places = [j for j, left in loss.items() if left <= SUSPECT_LOSS_SHARE]
        self._codings = [self._finer(codings[j], X[:, j], y) for j in self._places]

    def gather(self, chunk: Chunk) -> tuple[Array, ...]:
        """Return the counts of rows in memory."""
        reduction = self.reduction()
        return tuple(reduction.update(reduction.init(chunk.X.shape[1]), chunk))

    def reduction(self) -> SuspectColumns:
        """Return what counts the values of suspected columns with those of the target."""
        everything = Discretizer(np.empty(0))
        return SuspectColumns(JointCounts([*self._codings, everything], self._target), self._places)

    def unexplained(self, tables: tuple[Array, ...]) -> dict[int, float]:
        """Return what each column, by its place, leaves of the baseline's loss."""
        *columns, everything = tables
        total = everything[0]
        baseline = self._loss(everything)
        shares = {}
        for column, table in zip(self._places, columns, strict=True):
            with_others = np.vstack([table, total - table.sum(axis=0)])  # missing, or not known
            shares[column] = self._loss(with_others) / baseline if baseline > 0 else 1.0
        return shares

    def determining(self, tables: tuple[Array, ...]) -> list[int]:
        """Return the places of the columns that leave at most 2% of the error of the baseline.

        Of numbers, at most 1% of the variance.
        """
        most = COLUMN_LOSS_SHARE if self._of_classes else COLUMN_LOSS_SHARE / 2
        return [j for j, left in self.unexplained(tables).items() if left <= most]

    def _finer(self, coding: Coding, column: AnyArray, y: Array) -> Coding:
        """Return bins of numbers whose edges lie where the target changes, by a decision tree."""
        if not isinstance(coding, Discretizer):
            return coding
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        kind = DecisionTreeClassifier if self._of_classes else DecisionTreeRegressor
        known = np.isfinite(column)
        tree = (
            kind(max_leaf_nodes=NUMBER_BINS, random_state=0)
            .fit(column[known, None], y[known])
            .tree_
        )
        return Discretizer(np.unique(tree.threshold[tree.feature >= 0]))

    def _loss(self, table: Array) -> float:
        if self._of_classes:
            return float(table.sum() - table.max(axis=1).sum())
        weight = table.sum(axis=1)
        mean = np.divide(table @ self._level, weight, out=np.zeros(len(table)), where=weight > 0)
        return float((table * (self._level - mean[:, None]) ** 2).sum())


class SuspectColumns(Wrapped[Any, Any]):
    """Another reduction of some columns, and of a last one that is the same in every row."""

    def __init__(self, reduction: Any, places: list[int]) -> None:
        super().__init__(reduction)
        self.places = places

    def update(self, state: object, chunk: Chunk) -> Any:
        """Add the rows of `chunk`."""
        X: AnyArray = chunk.X[:, self.places]
        X = np.column_stack([X, np.zeros(len(X))])
        return self.reduction.update(state, chunk._replace(X=X))


def _coding(column: AnyArray, kind: str) -> Coding:
    if kind not in ("category", "text"):
        return Discretizer.of_sample(column, np.ones(len(column)), NUMBER_BINS)
    values, count = np.unique(column[~np.isnan(column)], return_counts=True)
    return Levels(values[np.argsort(-count, kind="stable")[:MAX_LEVELS]].tolist())
