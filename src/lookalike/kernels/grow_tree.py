"""One tree of a random forest or of extra trees, with the bits of scikit-learn's."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike import _core
from lookalike.kernels.forest import LEAF_FEATURE
from lookalike.typing import AnyArray, Array, Rows


class GrowthPlan(NamedTuple):
    """How a tree grows."""

    random_thresholds: bool  # one for each feature tried, in the place of the best
    tried: int  # features at a node
    min_rows: int  # in a leaf
    max_depth: int  # levels below the root


class GrownTree(NamedTuple):
    """A tree as plain arrays."""

    nodes: AnyArray  # (nodes, 3) int32, as those of a forest of one
    value: Array  # (leaves, outputs): means, or shares of the classes
    importance: Array  # (features,) impurity that splits on each take away

    def leaves(self, X: AnyArray) -> Rows:
        """Return the leaf of every row of float32."""
        leaf = np.empty((len(X), 1), np.int32)
        root = np.zeros(1, np.int64)
        _core.find_leaves(nodes=self.nodes, root=root, X=X, threads=1, leaf=leaf)
        return leaf[:, 0].astype(np.int64)

    def leaf_nodes(self) -> Rows:
        """Return the node that each leaf is."""
        return np.flatnonzero(self.nodes[:, 0] == LEAF_FEATURE)


def grow_tree(
    columns: AnyArray,
    targets: Array,
    n_classes: int,
    *,
    weight: Array | None,
    plan: GrowthPlan,
    seed: int,
) -> GrownTree:
    """Grow a tree on finite float32 `columns` (features, rows) and `targets` (rows, outputs).

    With `n_classes` above 0, the targets are one column of classes from 0. `weight` is how often
    each row counts, 0 for those that do not. `seed` starts the draws of features and thresholds.
    """
    node, value, importance = _core.grow_tree(
        column=columns,
        target=targets,
        classes=n_classes,
        weight=np.empty(0) if weight is None else weight,
        seed=seed,
        **plan._asdict(),
    )
    n_outputs = n_classes or targets.shape[1]
    return GrownTree(node.reshape(-1, 3), value.reshape(-1, n_outputs), importance)
