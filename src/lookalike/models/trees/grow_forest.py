"""Forests grown natively, tree by tree, with the bits of scikit-learn's.

With few rows nearly all the time of a forest of scikit-learn goes into what its estimators do
around every tree (0.4 ms), and with some thousands its threads wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import is_classifier

from lookalike.engines.local import in_threads
from lookalike.kernels.grow_tree import GrownTree, GrowthPlan, grow_tree
from lookalike.progress import progress
from lookalike.typing import AnyArray, Rows

if TYPE_CHECKING:
    from sklearn.ensemble._forest import BaseForest

TREE_SEED_BOUND = np.iinfo(np.int32).max  # as scikit-learn draws the seeds of trees
UNLIMITED_DEPTH = 2**31 - 1
MIN_CELLS_FOR_THREADS = 20_000  # of the rows; with fewer, threads take longer than they save
CELLS_PER_TASK = 10**6  # that the trees of one task look at: threads stop between two tasks


@dataclass(frozen=True)
class GrownForest:
    """Trees, and the rows that each was grown on; None where it was grown on all, once."""

    trees: list[GrownTree]
    drawn: Sequence[Rows] | None


class DrawnRows(Sequence[Rows]):
    """The rows that every tree drew, drawn again from its seed when asked for."""

    def __init__(self, seeds: Rows, n_rows: int, forest: BaseForest) -> None:
        self._seeds, self._n_rows = seeds.tolist(), n_rows
        self._size = n_rows if forest.max_samples is None else forest.max_samples
        self._random = np.random.RandomState(0)

    def __len__(self) -> int:
        return len(self._seeds)

    def __getitem__(self, tree: int) -> Rows:  # type: ignore[override]  # no slices
        return _sample_rows(self._random, self._seeds[tree], self._n_rows, self._size)


def _sample_rows(random: np.random.RandomState, seed: int, n_rows: int, size: int) -> Rows:
    """Return rows drawn as scikit-learn draws those of a tree; a new generator takes longer."""
    random.seed(seed)
    return np.asarray(random.randint(0, n_rows, size))


def grow_forest(
    X: AnyArray, y: AnyArray, forest: BaseForest, *, threads: int, values: bool = True
) -> GrownForest:
    """Return what `forest` would grow of finite float32 rows without weights.

    Classes are numbers from 0, `max_samples` is None or a number of rows. Without `values`, the
    values of leaves are left out, which take most of the memory.
    """
    seeds = np.random.RandomState(forest.random_state).randint(
        TREE_SEED_BOUND, size=forest.n_estimators
    )
    grow = _tree_grower(X, y, forest, values)
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
    return GrownForest(trees, DrawnRows(seeds, len(X), forest) if forest.bootstrap else None)


def _tree_grower(
    X: AnyArray, y: AnyArray, forest: BaseForest, values: bool
) -> Callable[[Rows], list[GrownTree]]:
    """Return what grows the trees of a list of seeds."""
    n_rows, n_features = X.shape
    columns = np.ascontiguousarray(X.T)
    targets = np.ascontiguousarray(y.reshape(n_rows, -1), np.float64)
    n_classes = int(targets.max()) + 1 if is_classifier(forest) else 0
    size = n_rows if forest.max_samples is None else forest.max_samples
    plan = GrowthPlan(
        random_thresholds=forest.estimator.splitter == "random",
        tried=features_tried(forest.max_features, n_features),
        min_rows=forest.min_samples_leaf,
        max_depth=UNLIMITED_DEPTH if forest.max_depth is None else forest.max_depth,
    )

    def grow(seeds: Rows) -> list[GrownTree]:
        random = np.random.RandomState(0)
        trees = []
        for seed in seeds.tolist():
            weight = None
            if forest.bootstrap:
                drawn = _sample_rows(random, seed, n_rows, size)
                weight = np.bincount(drawn, minlength=n_rows).astype(np.float64)
            random.seed(seed)
            first = random.randint(TREE_SEED_BOUND)
            tree = grow_tree(columns, targets, n_classes, weight=weight, plan=plan, seed=first)
            trees.append(tree if values else tree._replace(value=tree.value[:0]))
        return trees

    return grow


def features_tried(max_features: str | int | float | None, n_features: int) -> int:
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
