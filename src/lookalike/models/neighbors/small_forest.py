"""Trees of few rows, grown by scikit-learn's builder without what its estimators do around it.

Of few rows nearly all the time of a forest goes into copying and checking parameters. The trees are
those that scikit-learn's forests grow from the same seed, bit for bit; where its builder is called
in another way than here, its forests are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier

from lookalike.typing import AnyArray, Rows

if TYPE_CHECKING:
    from sklearn.ensemble._forest import BaseForest

MOST_SEED = np.iinfo(np.int32).max  # as scikit-learn draws the seeds of trees
DEEPEST = 2**31 - 1


def small_forest(X: AnyArray, y: AnyArray, forest: BaseForest) -> SimpleNamespace | None:
    """Return what `forest` would grow of rows without weights or missing values.

    Classes are numbers from 0, `max_samples` is None or a number of rows. The result has the
    attributes of a fitted forest of scikit-learn that `forest_of` reads; None where it cannot be
    grown.
    """
    try:
        trees, drawn = zip(*_trees(X, y, forest), strict=True)
    except (ImportError, AttributeError, TypeError):
        return None
    return SimpleNamespace(
        estimators_=list(trees), estimators_samples_=list(drawn), bootstrap=forest.bootstrap
    )


def _trees(X: AnyArray, y: AnyArray, forest: BaseForest) -> Iterator[tuple[object, Rows]]:
    """Give every tree, and the rows that it drew."""
    from sklearn.tree._criterion import MSE, Gini
    from sklearn.tree._splitter import BestSplitter, RandomSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

    n_rows, n_features = X.shape
    targets = np.ascontiguousarray(y.reshape(n_rows, -1), np.float64)
    n_outputs = targets.shape[1]
    classify = is_classifier(forest)
    classes = np.array([int(y.max()) + 1 if classify else 1] * n_outputs, np.intp)
    splitter = BestSplitter if forest.estimator.splitter == "best" else RandomSplitter
    depth = DEEPEST if forest.max_depth is None else forest.max_depth
    least = forest.min_samples_leaf
    size = n_rows if forest.max_samples is None else forest.max_samples
    seeds = np.random.RandomState(forest.random_state).randint(MOST_SEED, size=forest.n_estimators)
    random = np.random.RandomState(0)  # seeded again for every tree: quicker than one for each
    for seed in seeds.tolist():
        drawn, weight = np.arange(n_rows), None
        if forest.bootstrap:
            random.seed(seed)
            drawn = np.asarray(random.randint(0, n_rows, size))
            weight = np.bincount(drawn, minlength=n_rows).astype(np.float64)
        random.seed(seed)
        criterion = Gini(n_outputs, classes) if classify else MSE(n_outputs, n_rows)
        tried = features_tried(forest.max_features, n_features)
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
