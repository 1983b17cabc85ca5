"""A forest as plain arrays: leaves of rows, means of targets, training rows that share leaves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from lookalike import _core
from lookalike.errors import ModelFileError
from lookalike.kernels.class_codes import require_class_codes
from lookalike.kernels.radius import RadiusResult
from lookalike.typing import AnyArray, Array, Rows

LEAF_FEATURE = -1  # feature of a node that is a leaf
MISSING_LEFT = int(_core.MISSING_LEFT)


class Forest:
    r"""Trees whose leaves hold training rows.

    A row that falls into leaf :math:`L_t(x)` of tree t is given the weights

    .. math:: w_n(x) = \frac{1}{T} \sum_t \frac{v_{tn} [n \in L_t(x)]}
              {\sum_{m \in L_t(x)} v_{tm}}

    of the training rows [Lin & Jeon 2006, J. Am. Stat. Assoc. 101, 578], :math:`v_{tn}` being how
    often row n was drawn for tree t, times its sample weight. The mean of targets with these
    weights is what the forest predicts.

    Parameters
    ----------
    nodes : int32 array of shape (n_nodes, 3)
        Of one tree after the other, depth first: the feature (`LEAF` of leaves; plus
        `MISSING_LEFT` where missing values go left), the right child (of leaves their number, in
        rising order), and the bits of the float32 threshold. The left child follows its parent and
        has the rows with x <= threshold.
    root : int64 array of shape (n_trees,)
        The first node of each tree.
    start : int64 array of shape (n_leaves + 1,)
        Where the training rows of each leaf begin.
    row : int32 array
        Training rows by leaf, all of them for every tree.
    drawn : uint16 array
        How often each was drawn for the tree; 0 out of bag.
    weight : float64 array of shape (n_rows,), or of none
        Sample weights; without any, each row counts as often as it was drawn.
    targets : float64 array of shape (n_rows, n_outputs), or int64 array of shape (n_rows,)
        Numbers to average; or the class of every row, of which shares are averaged.
    n_outputs : int
        Numbers of a row, or classes.
    n_features : int
        Columns of the rows.
    """

    nodes: AnyArray
    root: Rows
    start: Rows
    row: AnyArray
    drawn: AnyArray
    weight: Array
    targets: AnyArray
    n_outputs: int
    n_features: int
    value: Array

    def __init__(
        self,
        *,
        nodes: AnyArray,
        root: Rows,
        start: Rows,
        row: AnyArray,
        drawn: AnyArray,
        weight: Array,
        targets: AnyArray,
        n_outputs: int,
        n_features: int,
    ) -> None:
        self.nodes, self.root, self.start, self.row = nodes, root, start, row
        self.drawn, self.weight, self.targets = drawn, weight, targets
        self.n_outputs, self.n_features = n_outputs, n_features
        self._check()
        self.value, self._inverse_weight = self._leaf_values()

    @property
    def n_trees(self) -> int:
        """How many trees there are."""
        return len(self.root)

    @property
    def n_rows(self) -> int:
        """How many training rows there are."""
        return len(self.targets)

    def leaves(self, X: AnyArray, threads: int) -> AnyArray:
        """Return the leaf of every row in every tree, (rows, trees)."""
        leaf = np.empty((len(X), self.n_trees), np.int32)
        _core.find_leaves(nodes=self.nodes, root=self.root, X=X, threads=threads, leaf=leaf)
        return leaf

    def training_leaves(self) -> AnyArray:
        """Return the leaf of every training row in every tree, (rows, trees)."""
        leaf = np.empty((self.n_rows, self.n_trees), np.int32)
        for tree, (number, member) in enumerate(self._by_tree()):
            leaf[self.row[member], tree] = number
        return leaf

    def means(self, X: AnyArray, threads: int) -> Array:
        """Return the prediction for every row, (rows, outputs)."""
        mean = np.empty((len(X), self.n_outputs))
        _core.mean_leaf_values(
            nodes=self.nodes, root=self.root, X=X, value=self.value, threads=threads, mean=mean
        )
        return mean

    def weights(self, leaf: AnyArray, threads: int) -> RadiusResult:
        """Return the weights of training rows for some leaves (queries, trees), rows in order."""
        result = _core.forest_weights(
            leaf=leaf,
            start=self.start,
            row=self.row,
            drawn=self.drawn,
            weight=self.weight,
            inverse_weight=self._inverse_weight,
            rows=self.n_rows,
            threads=threads,
        )
        return RadiusResult(*result)

    def nearest(self, leaf: AnyArray, k: int, exclude: Rows, threads: int) -> tuple[AnyArray, Rows]:
        """Return in how many trees the `k` rows that share the most leaves do, and their numbers.

        `exclude` is empty, or holds a row that is not a neighbor of each query.
        """
        shared, row = np.empty((len(leaf), k), np.int32), np.empty((len(leaf), k), np.int64)
        _core.most_shared_leaves(
            leaf=leaf,
            start=self.start,
            member=self.row,
            rows=self.n_rows,
            exclude=exclude,
            threads=threads,
            shared=shared,
            row=row,
        )
        return shared, row

    def out_of_bag(self, groups: Rows | None = None) -> Array:
        """Return the mean over the trees that did not draw a row, for every row; NaN without any.

        With `groups` (rows,), over the trees that drew no row of its group. Shape (rows, outputs).
        """
        total, count = np.zeros((self.n_rows, self.n_outputs)), np.zeros(self.n_rows)
        for leaf, member in self._by_tree():
            row, out = self.row[member], self.drawn[member] == 0
            if groups is not None:
                out = np.bincount(groups[row], self.drawn[member])[groups[row]] == 0
            total[row[out]] += self.value[leaf[out]]
            count[row[out]] += 1
        return np.divide(
            total, count[:, None], out=np.full_like(total, np.nan), where=count[:, None] > 0
        )

    def _leaf_values(self) -> tuple[Array, Array]:
        """Return the mean target of every leaf, and one over the weight in it."""
        n_leaves = len(self.start) - 1
        value, total = np.zeros((n_leaves, self.n_outputs)), np.zeros(n_leaves)
        for leaf, member in self._by_tree():
            row, weight = self.row[member], self.drawn[member].astype(np.float64)
            if len(self.weight):
                weight *= self.weight[row]
            local_leaf, width = leaf - leaf[0], int(leaf[-1] - leaf[0]) + 1
            leaf_range = slice(leaf[0], leaf[-1] + 1)
            total[leaf_range] = np.bincount(local_leaf, weight, width)
            value[leaf_range] = self._sums(local_leaf, row, weight, width)
        if not (total > 0).all():
            raise ModelFileError("a leaf of the forest holds no row that was drawn")
        value /= total[:, None]
        return value, 1.0 / total

    def _sums(self, leaf: Rows, row: AnyArray, weight: Array, width: int) -> Array:
        """Return the sum of the targets in every leaf of a tree, (leaves, outputs)."""
        if self.targets.ndim == 1:
            cell = leaf * self.n_outputs + self.targets[row]
            sums = np.asarray(np.bincount(cell, weight, width * self.n_outputs), np.float64)
            return sums.reshape(width, -1)
        return np.stack([np.bincount(leaf, weight * y[row], width) for y in self.targets.T], axis=1)

    def _by_tree(self) -> Iterator[tuple[Rows, slice]]:
        """Give the leaf of every training row of every tree, and where these rows are listed."""
        n = self.n_rows
        first = np.searchsorted(self.start, np.arange(self.n_trees + 1) * n)
        for tree, (begin, end) in enumerate(pairwise(first)):
            counts = np.diff(self.start[begin : end + 1])
            yield np.repeat(np.arange(begin, end), counts), slice(tree * n, (tree + 1) * n)

    def _check(self) -> None:
        """Raise unless every walk ends in a leaf that lists training rows: loops trust them."""
        n_leaves = int(leaves_per_tree(self.nodes, self.root, self.n_features).sum())
        if not self._members_are_right(n_leaves):
            raise ModelFileError("the leaves of the forest do not list its training rows")
        if self.targets.ndim == 1:
            require_class_codes(self.targets, self.n_outputs, "the trees of the forest")

    def _members_are_right(self, n_leaves: int) -> bool:
        n, trees = self.n_rows, self.n_trees
        return bool(
            n > 0
            and self.start.shape == (n_leaves + 1,)
            and self.start[0] == 0
            and (self.start[1:] > self.start[:-1]).all()
            and self.start[-1] == len(self.row) == len(self.drawn) == n * trees
            and np.isin(np.arange(1, trees) * n, self.start).all()
            and (self.row >= 0).all()
            and (self.row < n).all()
            and len(self.weight) in (0, n)
            and (self.targets.ndim == 1 or self.targets.shape[1] == self.n_outputs)
        )


def leaves_per_tree(nodes: AnyArray, root: Rows, n_features: int) -> Rows:
    """Return how many leaves every tree has; raise where nodes are not trees: loops trust them.

    A child comes after its parent and within the tree, so that every walk ends in a leaf.
    """
    after = np.append(root[1:], len(nodes))  # compared, as a difference may overflow
    if not len(root) or root[0] != 0 or not (root < after).all():
        raise ModelFileError("the trees of the forest do not begin at their roots")
    feature, right = nodes[:, 0], nodes[:, 1].astype(np.int64)
    node, leaf = np.arange(len(nodes)), feature == LEAF_FEATURE
    inner = ~leaf
    threshold = np.ascontiguousarray(nodes[inner, 2]).view(np.float32)
    good = (
        (feature[inner] >= 0).all()
        and ((feature[inner] & ~MISSING_LEFT) < n_features).all()
        and not np.isnan(threshold).any()
        and np.array_equal(right[leaf], np.arange(np.count_nonzero(leaf)))
        and (right[inner] > node[inner] + 1).all()
        and (right[inner] < np.repeat(after, after - root)[inner]).all()
    )
    if not good:
        raise ModelFileError("the nodes of the forest make no trees")
    return np.add.reduceat(leaf.astype(np.int64), root)


def float32_below(threshold: Array) -> AnyArray:
    """Return the largest float32 that is no larger: x <= threshold is the same for it."""
    with np.errstate(over="ignore"):
        nearest = threshold.astype(np.float32)
    lower = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > threshold, lower, nearest).astype(np.float32)
