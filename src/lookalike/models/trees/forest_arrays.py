"""A fitted forest as the plain arrays that kernels and model files use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lookalike import _core
from lookalike.kernels.forest import LEAF_FEATURE, MISSING_LEFT, Forest, float32_below
from lookalike.kernels.grow_tree import GrownTree
from lookalike.models.trees.grow_forest import GrownForest
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator
    from sklearn.tree._tree import Tree


def forest_of(
    ensemble: BaseEstimator | GrownForest,
    rows: AnyArray,
    *,
    targets: AnyArray,
    weight: Array | None,
    n_outputs: int,
    threads: int,
) -> Forest:
    """Return the trees of a random forest or of extra trees with the rows that they were grown on.

    Parameters
    ----------
    ensemble : grown forest, or fitted forest of scikit-learn
        Of which only arrays are kept.
    rows : float32 array
        What it was fitted on.
    targets : array
        Numbers (rows, outputs), or the class of every row.
    weight : array, optional
        The sample weights.
    n_outputs : int
        Numbers of a row, or classes.
    threads : int
        Threads that find the leaves.
    """
    nodes, roots = join_trees(_nodes_of_trees(ensemble), _number)
    n_rows, n_trees, n_leaves = len(rows), len(roots), int((nodes[:, 0] == LEAF_FEATURE).sum())
    leaf = np.empty((n_rows, n_trees), np.int32)
    _core.find_leaves(nodes=nodes, root=roots, X=rows, threads=threads, leaf=leaf)
    row = np.empty((n_trees, n_rows), np.int32)
    drawn = np.ones((n_trees, n_rows), np.uint16)
    count = np.zeros(n_leaves, np.int64)
    for tree, taken in enumerate(_draw_rows(ensemble)):
        row[tree] = np.argsort(leaf[:, tree], kind="stable")
        count += np.bincount(leaf[:, tree], minlength=n_leaves)
        if taken is not None:
            drawn[tree] = np.bincount(taken, minlength=n_rows).clip(max=2**16 - 1)[row[tree]]
    return Forest(
        nodes=nodes,
        root=roots,
        start=np.concatenate([[0], np.cumsum(count)]),
        row=row.reshape(-1),
        drawn=drawn.reshape(-1),
        weight=np.empty(0) if weight is None or _draw_by_weight(ensemble) else weight,
        targets=targets,
        n_outputs=n_outputs,
        n_features=rows.shape[1],
    )


def join_trees(
    trees: Iterable[object], nodes_of: Callable[[Any, int, int], AnyArray]
) -> tuple[AnyArray, Rows]:
    """Return the nodes of all trees and the root of each.

    `nodes_of` makes nodes of a tree, given the numbers of its first node and its first leaf.
    """
    parts, root, n_nodes, n_leaves = [], [], 0, 0
    for tree in trees:
        nodes = nodes_of(tree, n_nodes, n_leaves)
        parts.append(nodes)
        root.append(n_nodes)
        n_nodes, n_leaves = (
            n_nodes + len(nodes),
            n_leaves + int((nodes[:, 0] == LEAF_FEATURE).sum()),
        )
    return np.concatenate(parts), np.array(root, np.int64)


def _nodes_of_trees(ensemble: BaseEstimator | GrownForest) -> Iterator[AnyArray]:
    """Give the nodes of every tree as those of a forest of one."""
    if isinstance(ensemble, GrownForest):
        yield from (tree.nodes for tree in ensemble.trees)
    else:
        yield from (nodes_of_tree(estimator.tree_) for estimator in ensemble.estimators_)


def _number(nodes: AnyArray, first: int, first_leaf: int) -> AnyArray:
    """Return the nodes of a tree, its root being node `first` of all."""
    numbered = nodes.copy()
    is_leaf = nodes[:, 0] == LEAF_FEATURE
    numbered[:, 1] += np.where(is_leaf, first_leaf, first).astype(np.int32)
    return numbered


def grown_tree(tree: Tree) -> GrownTree:
    """Return a tree of one output that scikit-learn has grown, as those grown here."""
    value = tree.value[tree.children_left < 0, 0, :]
    return GrownTree(nodes_of_tree(tree), value, tree.compute_feature_importances(False))


def nodes_of_tree(tree: Tree) -> AnyArray:
    """Return the nodes of a tree as those of a forest of one, in a tenth of its memory."""
    left, right = tree.children_left, tree.children_right
    leaf = left < 0
    node = np.arange(len(left))
    assert (left[~leaf] == node[~leaf] + 1).all()  # depth first
    missing = getattr(tree, "missing_go_to_left", np.zeros(len(left), np.uint8)).astype(np.int64)
    nodes = np.empty((len(left), 3), np.int32)
    nodes[:, 0] = np.where(leaf, LEAF_FEATURE, tree.feature + MISSING_LEFT * missing)
    nodes[:, 1] = np.where(leaf, np.cumsum(leaf) - 1, right)
    nodes[:, 2] = float32_below(np.where(leaf, 0.0, tree.threshold)).view(np.int32)
    return nodes


class SplitNodes(NamedTuple):
    """The nodes of trees by what they are made of, each an array (nodes,)."""

    feature: Rows  # -1 of leaves
    missing_left: AnyArray  # whether missing values go left
    threshold: AnyArray  # float32; rows with x <= threshold go left, to the next node
    right: Rows  # the right child among the nodes of all trees
    leaf: Rows  # the number of the leaf, -1 of other nodes


def split_nodes(nodes: AnyArray) -> SplitNodes:
    """Return the nodes of trees, as kernels take them, by what they are made of."""
    feature, second = nodes[:, 0].astype(np.int64), nodes[:, 1].astype(np.int64)
    is_leaf = feature == LEAF_FEATURE
    return SplitNodes(
        np.where(is_leaf, -1, feature & ~MISSING_LEFT),
        ~is_leaf & ((feature & MISSING_LEFT) > 0),
        np.ascontiguousarray(nodes[:, 2]).view(np.float32),
        second,
        np.where(is_leaf, second, -1),
    )


def _draw_rows(ensemble: BaseEstimator | GrownForest) -> Sequence[Rows | None]:
    """Return the rows that were drawn for every tree; None where all were taken once."""
    if isinstance(ensemble, GrownForest):
        return [None] * len(ensemble.trees) if ensemble.drawn is None else ensemble.drawn
    if not ensemble.bootstrap:
        return [None] * len(ensemble.estimators_)
    drawn: Sequence[Rows | None] = ensemble.estimators_samples_
    return drawn


def _draw_by_weight(ensemble: BaseEstimator | GrownForest) -> bool:
    """Return whether heavy rows were drawn more often, as from scikit-learn 1.9 on."""
    if isinstance(ensemble, GrownForest) or not ensemble.bootstrap:
        return False
    counted = ensemble.estimators_[0].tree_.weighted_n_node_samples[0]
    return bool(counted == len(ensemble.estimators_samples_[0]))
