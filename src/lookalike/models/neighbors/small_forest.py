"""Trees of few rows, grown by scikit-learn's builder without what its estimators do around it.

Of few rows nearly all the time of a forest goes into copying and checking parameters. The trees are
those that scikit-learn's forests grow from the same seed, bit for bit; where its builder is called
in another way than here, its forests are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from lookalike.typing import AnyArray, Rows

MOST_SEED = np.iinfo(np.int32).max  # as scikit-learn draws the seeds of trees
DEEPEST = 2**31 - 1


class TreeOptions(NamedTuple):
    """How trees are grown; see :class:`lookalike.ForestNeighborsClassifier`."""

    n_estimators: int
    splitter: str
    max_features: Any
    min_samples_leaf: int
    max_depth: int | None
    bootstrap: bool
    seed: int
    n_classes: int | None  # None of regression


def small_forest(X: AnyArray, y: AnyArray, options: TreeOptions) -> SimpleNamespace | None:
    """Return a forest of rows without weights or missing values; None where it cannot be grown.

    It has the attributes of a forest of scikit-learn that `forest_of` reads.
    """
    try:
        trees, drawn = zip(*_trees(X, y, options), strict=True)
    except (ImportError, AttributeError, TypeError):
        return None
    return SimpleNamespace(
        estimators_=list(trees), estimators_samples_=list(drawn), bootstrap=options.bootstrap
    )


def _trees(X: AnyArray, y: AnyArray, options: TreeOptions) -> Iterator[tuple[Any, Rows]]:
    """Give every tree, and the rows that it drew."""
    from sklearn.tree._criterion import MSE, Gini
    from sklearn.tree._splitter import BestSplitter, RandomSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

    n_rows, n_features = X.shape
    targets = np.ascontiguousarray(y.reshape(n_rows, -1), np.float64)
    n_outputs = targets.shape[1]
    classes = np.array([options.n_classes or 1] * n_outputs, np.intp)
    splitter = BestSplitter if options.splitter == "best" else RandomSplitter
    depth = DEEPEST if options.max_depth is None else options.max_depth
    least = options.min_samples_leaf
    seeds = np.random.RandomState(options.seed).randint(MOST_SEED, size=options.n_estimators)
    for seed in seeds.tolist():
        drawn, weight = np.arange(n_rows), None
        if options.bootstrap:
            drawn = np.asarray(np.random.RandomState(seed).randint(0, n_rows, n_rows))
            weight = np.bincount(drawn, minlength=n_rows).astype(np.float64)
        random = np.random.RandomState(seed)
        criterion = Gini(n_outputs, classes) if options.n_classes else MSE(n_outputs, n_rows)
        tried = features_tried(options.max_features, n_features)
        split = splitter(criterion, tried, least, 0.0, random, None)
        tree = Tree(n_features, classes, n_outputs)
        builder = DepthFirstTreeBuilder(split, max(2, 2 * least), least, 0.0, depth, 0.0)
        builder.build(tree, X, targets, weight, None)
        yield SimpleNamespace(tree_=tree), drawn


def features_tried(max_features: Any, n_features: int) -> int:
    """Return how many features are tried at a node.

    Examples
    --------
    >>> features_tried("sqrt", 30), features_tried(0.5, 30), features_tried(None, 30)
    (5, 15, 30)
    """
    if max_features is None:
        return n_features
    if isinstance(max_features, str):
        power = np.sqrt(n_features) if max_features == "sqrt" else np.log2(n_features)
        return max(1, int(power))
    if isinstance(max_features, (float, np.floating)):
        return max(1, int(max_features * n_features))
    return int(max_features)
