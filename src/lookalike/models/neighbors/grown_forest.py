"""Forests grown by scikit-learn's builder of trees, without what its estimators do around it.

Of few rows nearly all the time of a forest goes into copying and checking parameters, and of some
thousands its threads wait for each other. The trees are those that scikit-learn's forests grow from
the same seed, bit for bit; where its builder is called in another way than here, its forests are
used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier

from lookalike.engines.local import in_threads
from lookalike.progress import progress
from lookalike.typing import AnyArray, Rows

if TYPE_CHECKING:
    from sklearn.ensemble._forest import BaseForest
    from sklearn.tree._tree import Tree

MOST_SEED = np.iinfo(np.int32).max  # as scikit-learn draws the seeds of trees
DEEPEST = 2**31 - 1
SMALL = 20_000  # values of rows on which threads do not pay
PART_WORK = 10**6  # values looked at by the trees of a part: threads stop between two of these


class DrawnRows(Sequence[Rows]):
    """The rows that every tree drew, drawn again from its seed when asked for."""

    def __init__(self, seeds: Rows, n_rows: int, forest: BaseForest) -> None:
        self._seeds, self._n_rows = seeds.tolist(), n_rows
        self._size = n_rows if forest.max_samples is None else forest.max_samples
        self._bootstrap, self._random = forest.bootstrap, np.random.RandomState(0)

    def __len__(self) -> int:
        return len(self._seeds)

    def __getitem__(self, place: object) -> Any:
        seed = self._seeds[place]
        if not self._bootstrap:
            return np.arange(self._n_rows)
        return _drawn(self._random, seed, self._n_rows, self._size)


def _drawn(random: np.random.RandomState, seed: int, n_rows: int, size: int) -> Rows:
    """Return rows drawn as scikit-learn draws those of a tree; a new generator takes longer."""
    random.seed(seed)
    return np.asarray(random.randint(0, n_rows, size))


def grown_forest(
    X: AnyArray,
    y: AnyArray,
    forest: BaseForest,
    *,
    threads: int,
    keep: Callable[[Tree], object] | None = None,
) -> SimpleNamespace | None:
    """Return what `forest` would grow of rows without weights or missing values.

    Classes are numbers from 0, `max_samples` is None or a number of rows. The result has the
    attributes of a fitted forest of scikit-learn that `forest_of` reads; None where it cannot be
    grown. What `keep` makes of a tree stands in its place: where few of its attributes are needed,
    the others would take most of the memory.
    """
    seeds = np.random.RandomState(forest.random_state).randint(MOST_SEED, size=forest.n_estimators)
    try:
        grow = _grower(X, y, forest, keep)
        if X.size <= SMALL or threads == 1:
            trees = grow(seeds)
        else:
            n_parts = max(len(seeds) * X.size // PART_WORK, 2 * threads)
            parts = np.array_split(seeds, min(n_parts, len(seeds)))
            trees = []
            with progress("trees grown", len(seeds)) as advance:
                for some in in_threads(grow, parts, threads=threads):
                    trees += some
                    advance(len(some))
    except (ImportError, AttributeError, TypeError):
        return None
    drawn = DrawnRows(seeds, len(X), forest)
    return SimpleNamespace(estimators_=trees, estimators_samples_=drawn, bootstrap=forest.bootstrap)


def _grower(
    X: AnyArray, y: AnyArray, forest: BaseForest, keep: Callable[[Tree], object] | None
) -> Callable[[Rows], list[object]]:
    """Return what grows the trees of some seeds."""
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
    tried = features_tried(forest.max_features, n_features)

    def grow(seeds: Rows) -> list[Any]:
        random = np.random.RandomState(0)
        grown = []
        for seed in seeds.tolist():
            weight = None
            if forest.bootstrap:
                drawn = _drawn(random, seed, n_rows, size)
                weight = np.bincount(drawn, minlength=n_rows).astype(np.float64)
            random.seed(seed)
            criterion = Gini(n_outputs, classes) if classify else MSE(n_outputs, n_rows)
            split = splitter(criterion, tried, least, 0.0, random, None)
            tree = Tree(n_features, classes, n_outputs)
            builder = DepthFirstTreeBuilder(split, max(2, 2 * least), least, 0.0, depth, 0.0)
            builder.build(tree, X, targets, weight, None)
            grown.append(SimpleNamespace(tree_=tree if keep is None else keep(tree)))
        return grown

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
