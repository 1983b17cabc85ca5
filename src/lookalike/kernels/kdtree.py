"""Rows in a native KD-tree: built once, searched on many threads, appended to."""

from __future__ import annotations

import os

import numpy as np

from lookalike import _core
from lookalike.kernels.radius import RadiusResult, no_neighbors
from lookalike.kernels.spanning_forest import SpanningForest
from lookalike.typing import AnyArray, Array, Rows

MAX_TREE_ROWS = _core.MOST_TREE_ROWS  # rows are numbered by 32 bits inside a tree


class NativeKDTree:
    """A KD-tree of float32 or float64 rows.

    `X` is a matrix that kernels can read, finite, with at least one row and column.
    """

    def __init__(
        self, X: AnyArray, *, leaf_size: int, random_split: bool, seed: int, threads: int
    ) -> None:
        self.dtype: np.dtype = X.dtype
        self._tree = _core.KDTree(
            X=X, leaf_size=leaf_size, random_split=random_split, seed=seed, threads=threads
        )

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns it holds."""
        return self._tree.shape

    @property
    def depth(self) -> int:
        """Splits from the root to the deepest leaf."""
        return self._tree.depth

    def add(self, X: AnyArray, threads: int) -> None:
        """Append rows of the dtype of the tree."""
        self._tree.add(X=X, threads=threads)

    def __copy__(self) -> NativeKDTree:
        """Return a tree of the same rows, to which others can be added."""
        twin = object.__new__(NativeKDTree)
        twin.dtype, twin._tree = self.dtype, self._tree.copy()
        return twin

    def rows(self) -> AnyArray:
        """Return the rows in the order in which they were given."""
        X = np.empty(self.shape, self.dtype)
        self._tree.copy_rows(X=X)
        return X

    def nodes(self) -> tuple[Rows, Array, Rows]:
        """Return the column and the value that every node is split at, and the rows leaf by leaf.

        Nodes come in preorder: the left child follows its parent, then all below it, then the right
        one. A node with m leaves has (m + 1) // 2 of them to the left. Every leaf but the last is
        full; the column of a leaf has no meaning. Rows below the value went left. Rows that were
        added later lie in trees of their own.
        """
        column, value = np.empty(self._tree.nodes, np.int64), np.empty(self._tree.nodes)
        row = np.empty(self._tree.placed, np.int64)
        self._tree.copy_nodes(column=column, value=value, row=row)
        return column, value, row

    def nearest(
        self, Q: AnyArray, k: int, exclude: Rows, *, p: float, slack: float, threads: int
    ) -> tuple[Array, Rows]:
        """Return distances and rows of the `k` nearest of every query; `exclude` may be empty."""
        distance, row = np.empty((len(Q), k)), np.empty((len(Q), k), np.int64)
        if len(Q) == 0:
            return distance, row
        Q = np.ascontiguousarray(Q, np.float64)
        self._tree.nearest(
            Q=Q,
            exclude=exclude,
            p=p,
            slack=slack,
            packets=_packets(),
            distance=distance,
            row=row,
            threads=threads,
        )
        return distance, row

    def nearest_of_rows(
        self, k: int, *, p: float, slack: float, threads: int
    ) -> tuple[Array, Rows]:
        """Return distances and rows of the `k` nearest other rows of every row."""
        n_rows = self.shape[0]
        distance, row = np.empty((n_rows, k)), np.empty((n_rows, k), np.int64)
        self._tree.nearest_of_rows(
            p=p, slack=slack, packets=_packets(), distance=distance, row=row, threads=threads
        )
        return distance, row

    def within(
        self, Q: AnyArray, radius: Array, exclude: Rows, *, p: float, threads: int
    ) -> RadiusResult:
        """Return the rows at distance <= radius[i] of query i, nearest first."""
        if len(Q) == 0:
            return no_neighbors()
        Q = np.ascontiguousarray(Q, np.float64)
        result = self._tree.within(Q=Q, radius=radius, exclude=exclude, p=p, threads=threads)
        return RadiusResult(*result)

    def span(
        self, forest: SpanningForest, distance: Array, row: Rows, *, p: float, threads: int
    ) -> None:
        """Join the components of a forest of the rows, whose neighbors are listed."""
        self._tree.span(forest=forest.native, distance=distance, row=row, p=p, threads=threads)

    def core_rows(self, radius: float, least: int, *, p: float, threads: int) -> AnyArray:
        """Return which rows have `least` rows, themselves among them, at distance <= radius."""
        core = np.empty(self.shape[0], np.uint8)
        self._tree.core_rows(radius=radius, least=least, p=p, core=core, threads=threads)
        return core.view(bool)

    def components(self, core: AnyArray, radius: float, *, p: float, threads: int) -> Rows:
        """Return the smallest row that steps of at most `radius`, over rows of a mask, lead to."""
        parent = np.empty(self.shape[0], np.int64)
        core = np.ascontiguousarray(core, bool).view(np.uint8)
        self._tree.components(radius=radius, p=p, core=core, parent=parent, threads=threads)
        return parent


def _packets() -> bool:
    return os.environ.get("LOOKALIKE_OPTIMIZE") != "0"
