"""Forests grown by scikit-learn's builder of trees, without what its estimators do around it.

With few rows nearly all the time of a forest goes into copying and checking parameters (0.4 ms a
tree), and with some thousands its threads wait for each other. The trees are those that
scikit-learn's forests grow from the same seed, bit for bit. Its builder is not public: it is called
in the versions in which these calls were tested, and its public trees are fitted in all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from sklearn.base import clone, is_classifier

from lookalike.engines.local import in_threads
from lookalike.progress import progress
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.ensemble._forest import BaseForest
    from sklearn.tree._tree import Tree

BUILDER_VERSIONS = ((1, 6), (1, 9))  # first and last whose builder of trees was tested
TREE_SEED_BOUND = np.iinfo(np.int32).max  # as scikit-learn draws the seeds of trees
UNLIMITED_DEPTH = 2**31 - 1
MIN_CELLS_FOR_THREADS = 20_000  # of the rows; with fewer, threads take longer than they save
CELLS_PER_TASK = 10**6  # that the trees of one task look at: threads stop between two tasks


class DrawnRows(Sequence[Rows]):
    """The rows that every tree drew, drawn again from its seed when asked for."""

    def __init__(self, seeds: Rows, n_rows: int, forest: BaseForest) -> None:
        self._seeds, self._n_rows = seeds.tolist(), n_rows
        self._size = n_rows if forest.max_samples is None else forest.max_samples
        self._bootstrap, self._random = forest.bootstrap, np.random.RandomState(0)

    def __len__(self) -> int:
        return len(self._seeds)

    def __getitem__(self, tree: object) -> Any:
        seed = self._seeds[tree]
        if not self._bootstrap:
            return np.arange(self._n_rows)
        return _sample_rows(self._random, seed, self._n_rows, self._size)


def _sample_rows(random: np.random.RandomState, seed: int, n_rows: int, size: int) -> Rows:
    """Return rows drawn as scikit-learn draws those of a tree; a new generator takes longer."""
    random.seed(seed)
    return np.asarray(random.randint(0, n_rows, size))


def grow_forest(
    X: AnyArray,
    y: AnyArray,
    forest: BaseForest,
    *,
    threads: int,
    keep: Callable[[Tree], object] | None = None,
) -> SimpleNamespace:
    """Return what `forest` would grow of rows without weights or missing values.

    Classes are numbers from 0, `max_samples` is None or a number of rows. The result has the
    attributes of a fitted forest of scikit-learn that `forest_of` reads. What `keep` makes of a
    tree stands in its place: where few of its attributes are needed, the others would take most of
    the memory.
    """
    seeds = np.random.RandomState(forest.random_state).randint(
        TREE_SEED_BOUND, size=forest.n_estimators
    )
    grow = _tree_grower(X, y, forest, keep)
    if X.size <= MIN_CELLS_FOR_THREADS or threads == 1:
        trees = grow(seeds)
    else:
        n_tasks = max(len(seeds) * X.size // CELLS_PER_TASK, 2 * threads)
        tasks = np.array_split(seeds, min(n_tasks, len(seeds)))
        trees = []
        with progress("trees grown", len(seeds)) as advance:
            for grown in in_threads(grow, tasks, threads=threads):
                trees += grown
                advance(len(grown))
    drawn = DrawnRows(seeds, len(X), forest)
    return SimpleNamespace(estimators_=trees, estimators_samples_=drawn, bootstrap=forest.bootstrap)


def _tree_grower(
    X: AnyArray, y: AnyArray, forest: BaseForest, keep: Callable[[Tree], object] | None
) -> Callable[[Rows], list[SimpleNamespace]]:
    """Return what grows the trees of a list of seeds."""
    n_rows = len(X)
    targets = np.ascontiguousarray(y.reshape(n_rows, -1), np.float64)
    size = n_rows if forest.max_samples is None else forest.max_samples
    one_tree = (_builder if _builder_is_known() else _public_tree)(X, targets, forest)

    def grow(seeds: Rows) -> list[SimpleNamespace]:
        random = np.random.RandomState(0)
        trees = []
        for seed in seeds.tolist():
            weight = None
            if forest.bootstrap:
                drawn = _sample_rows(random, seed, n_rows, size)
                weight = np.bincount(drawn, minlength=n_rows).astype(np.float64)
            random.seed(seed)
            tree = one_tree(random, weight)
            trees.append(SimpleNamespace(tree_=tree if keep is None else keep(tree)))
        return trees

    return grow


def _builder_is_known() -> bool:
    version = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
    first, last = BUILDER_VERSIONS
    return first <= version <= last


def _builder(
    X: AnyArray, targets: Array, forest: BaseForest
) -> Callable[[np.random.RandomState, Array | None], Tree]:
    """Return what grows one tree with scikit-learn's builder."""
    from sklearn.tree._criterion import MSE, Gini
    from sklearn.tree._splitter import BestSplitter, RandomSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

    (n_rows, n_features), n_outputs = X.shape, targets.shape[1]
    classify = is_classifier(forest)
    classes = np.array([int(targets.max()) + 1 if classify else 1] * n_outputs, np.intp)
    splitter = BestSplitter if forest.estimator.splitter == "best" else RandomSplitter
    depth = UNLIMITED_DEPTH if forest.max_depth is None else forest.max_depth
    leaf_size = forest.min_samples_leaf
    tried = features_tried(forest.max_features, n_features)

    def grow(random: np.random.RandomState, weight: Array | None) -> Tree:
        criterion = Gini(n_outputs, classes) if classify else MSE(n_outputs, n_rows)
        split = splitter(criterion, tried, leaf_size, 0.0, random, None)
        tree = Tree(n_features, classes, n_outputs)
        builder = DepthFirstTreeBuilder(split, max(2, 2 * leaf_size), leaf_size, 0.0, depth, 0.0)
        builder.build(tree, X, targets, weight, None)
        return tree

    return grow


def _public_tree(
    X: AnyArray, targets: Array, forest: BaseForest
) -> Callable[[np.random.RandomState, Array | None], Tree]:
    """Return what fits one tree of scikit-learn, whichever version it is."""
    options = {
        name: getattr(forest, name) for name in ("max_depth", "max_features", "min_samples_leaf")
    }

    def grow(random: np.random.RandomState, weight: Array | None) -> Tree:
        tree = clone(forest.estimator).set_params(random_state=random, **options)
        return tree.fit(X, targets, sample_weight=weight, check_input=False).tree_

    return grow


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
