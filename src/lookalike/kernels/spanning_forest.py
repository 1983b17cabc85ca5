"""Spanning trees of mutual reachability, and the trees of clusters that they make."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike import _core
from lookalike.kernels.native_arrays import NUMBER_TYPES, native_matrix
from lookalike.typing import AnyArray, Array, Rows


class TreeEdges(NamedTuple):
    """The edges of a spanning tree, smallest first, equal weights by row numbers."""

    weight: Array
    low: Rows  # the smaller row of each
    high: Rows


class SpanningForest:
    r"""The edges of a minimum spanning tree found so far, and the components that they make.

    The weight of two rows is their mutual reachability,

    .. math:: \max\big(c(a), c(b), d(a, b) / \alpha\big)

    with core distances :math:`c`. Edges of equal weight go by row numbers, so that there is one
    tree, whatever found it.

    Examples
    --------
    >>> forest = SpanningForest(np.zeros(3))
    >>> forest.join(np.array([2.0, 1.0]), np.array([0, 2]), np.array([1, 1]))
    >>> forest.components
    1
    >>> forest.edges().weight
    array([1., 2.])
    """

    native: _core.SpanningForest

    def __init__(self, core: Array, alpha: float = 1.0) -> None:
        self.native = _core.SpanningForest(core=np.ascontiguousarray(core, np.float64), alpha=alpha)

    @property
    def components(self) -> int:
        """How many components are left."""
        return int(self.native.components)

    def component(self) -> Rows:
        """Return the number of the component of every row."""
        component = np.empty(self.native.rows, np.int64)
        self.native.copy_component(component=component)
        return component

    def join(self, distance: Array, a: Rows, b: Rows) -> None:
        """Join rows by edges that are given, smallest first."""
        self.native.join(
            distance=np.ascontiguousarray(distance, np.float64),
            a=np.ascontiguousarray(a, np.int64),
            b=np.ascontiguousarray(b, np.int64),
        )

    def join_listed(self, distance: Array, row: Rows) -> None:
        """Join components by edges that lists of the nearest other rows prove."""
        self.native.join_listed(distance=distance, row=row)

    def edges(self) -> TreeEdges:
        """Return the edges found, smallest first."""
        weight, low, high = self.native.edges()
        order = np.lexsort((high, low, weight))
        return TreeEdges(weight[order], low[order], high[order])


class ForestPass:
    """One look at all pairs of rows, in blocks: every component then has its next edge at least.

    `order` names the row at each place of the blocks.
    """

    def __init__(self, forest: SpanningForest, order: Rows, threads: int) -> None:
        self._native = _core.ForestPass(forest=forest.native, order=order, threads=threads)

    def offer_distances(self, distance: Array, query: int, place: int) -> None:
        """Look at the distances of the rows from place `query` on to those from `place` on."""
        self._native.offer_distances(distance=distance, query=query, place=place)

    def offer_products(
        self, product: AnyArray, squared: Array, X: AnyArray, query: int, place: int
    ) -> None:
        """Look at the inner products, in float32, of rows of these squared lengths.

        `X` holds the rows by place; it decides where rounding leaves open which pair is nearer.
        """
        self._native.offer_products(
            product=product,
            squared=squared,
            X=native_matrix(X, NUMBER_TYPES),
            query=query,
            place=place,
        )

    def finish(self) -> None:
        """Join what was found."""
        self._native.finish()


class Merges(NamedTuple):
    """Rows joined from near to far: merge i is node `n_rows + i`."""

    left: Rows
    right: Rows
    height: Array
    size: Array  # the weight of the rows below


class CondensedEdges(NamedTuple):
    """What each cluster loses: a row, or a cluster, at a density lambda = 1 / height."""

    parent: Rows
    child: Rows
    density: Array
    size: Array


def merge_rows(edges: TreeEdges, weight: Array) -> Merges:
    """Return the merges of rows by the edges of their spanning tree, smallest first.

    Examples
    --------
    >>> edges = TreeEdges(np.array([1.0, 2.0]), np.array([1, 0]), np.array([2, 1]))
    >>> merge_rows(edges, np.ones(3)).left
    array([1, 0])
    """
    count = len(edges.weight)
    left, right, size = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count)
    _core.merge_rows(a=edges.low, b=edges.high, weight=weight, left=left, right=right, size=size)
    return Merges(left, right, edges.weight, size)


def condense(merges: Merges, weight: Array, least: float) -> CondensedEdges:
    """Return the tree of clusters of which every side weighs `least`; others fall out row by row.

    Clusters are numbered from ``len(weight)`` on, parents before their children.

    Examples
    --------
    >>> edges = TreeEdges(np.array([1.0, 2.0]), np.array([1, 0]), np.array([2, 1]))
    >>> condense(merge_rows(edges, np.ones(3)), np.ones(3), 2).density
    array([0.5, 1. , 1. ])
    """
    return CondensedEdges(
        *_core.condense(
            left=merges.left,
            right=merges.right,
            height=merges.height,
            size=merges.size,
            weight=weight,
            least=least,
        )
    )
