"""Random forests whose trees are grown in threads, and whose answers are summed in one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from lookalike.models.trees.forest_arrays import grown_tree
from lookalike.models.trees.grow_forest import MIN_CELLS_FOR_THREADS, grow_forest
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from lookalike.kernels.grow_tree import GrownTree


TREES_WITHOUT_A_ROW = 100  # that did not draw a row, on average
DRAWN_SHARE_OF_ROWS = 1.0  # times as many rows as there are, drawn for a tree
MAX_ROWS_OF_A_TREE = 10_000  # rows that a tree sees at most
ROWS_PER_LEAF_SEARCH = 50_000  # rows that find their leaves at once


class OrderedTrees:
    """Trees of a forest of scikit-learn, to the same bits with any number of threads.

    Threads that predict add up the answers of trees in the order in which they finish. Trees are
    grown and asked without the checks of scikit-learn's estimators around each.
    """

    classes_: AnyArray
    n_outputs_: int
    n_jobs: int
    trees_: list[GrownTree]
    n_features_in_: int

    def fit(self: Any, X: AnyArray, y: AnyArray) -> Any:
        """Grow the trees of dense rows, in the threads of the process where many."""
        rows = np.ascontiguousarray(X, np.float32)
        if np.isfinite(rows).all():
            self._grow(rows, y)
            return self
        self.n_jobs = 1 if X.size <= MIN_CELLS_FOR_THREADS else resolve_threads(None)
        super().fit(X, y)  # type: ignore[misc]  # of the forest mixed in
        self.n_jobs = 1
        self.trees_ = [grown_tree(estimator.tree_) for estimator in self.estimators_]
        self._drawn = self.estimators_samples_
        return self

    def _grow(self: Any, rows: AnyArray, y: AnyArray) -> None:
        """Grow the trees that scikit-learn grows of finite rows."""
        self._validate_estimator()
        targets = y
        if isinstance(self, RandomForestClassifier):
            self.classes_, targets = np.unique(y, return_inverse=True)
            self.n_classes_: int = len(self.classes_)
        grown = grow_forest(rows, targets, self, threads=resolve_threads(None))
        self.trees_, self._drawn = grown.trees, grown.drawn
        self.n_features_in_, self.n_outputs_ = rows.shape[1], 1

    def drawn_rows(self: Any) -> Iterable[Rows]:
        """Return the rows that were drawn for every tree."""
        drawn: Iterable[Rows] = self._drawn
        return drawn

    def apply(self: Any, X: AnyArray) -> Rows:
        """Return the node that is the leaf of every row, in every tree."""
        rows = np.asarray(X, np.float32)
        return np.column_stack([tree.leaf_nodes()[tree.leaves(rows)] for tree in self.trees_])

    @property
    def feature_importances_(self: Any) -> Array:
        """How much of the impurity the splits on each feature remove, on average over trees."""
        trees = [tree for tree in self.trees_ if len(tree.nodes) > 1]
        if not trees:
            return np.zeros(self.n_features_in_)
        sums = [tree.importance.sum() for tree in trees]
        shares = [
            tree.importance / (total if total > 0 else 1.0)
            for tree, total in zip(trees, sums, strict=True)
        ]
        mean = np.mean(shares, axis=0)
        return np.asarray(mean / mean.sum())

    def _mean(self: Any, X: AnyArray) -> Array:
        """Return the mean of what the trees say of every row."""
        rows = np.asarray(X, np.float32)
        total = np.zeros((len(rows), getattr(self, "n_classes_", 1)))
        for tree in self.trees_:
            total += tree.value[tree.leaves(rows)]
        return total / len(self.trees_)


class OrderedForest(OrderedTrees, RandomForestClassifier):
    """scikit-learn's random forest of classes."""

    def predict_proba(self, X: AnyArray) -> Array:
        """Return the mean of the class shares of the leaves."""
        return self._mean(X)


class OrderedRegressionForest(OrderedTrees, RandomForestRegressor):
    """scikit-learn's random forest of numbers."""

    def predict(self, X: AnyArray) -> Array:
        """Return the mean of the leaves."""
        return self._mean(X)[:, 0]


def out_of_bag_probabilities(X: AnyArray, codes: Rows, n_classes: int, seed: int) -> Array:
    """Return the class probabilities of every row by the trees that did not draw it.

    One forest, its trees grown on as many drawn rows as there are, and on 10,000 at most; as many
    that 100 of them, on average, did not draw a row. A row that every tree drew has the
    frequencies of the classes. A missing value counts as 0.
    """
    drawn = min(max(int(DRAWN_SHARE_OF_ROWS * len(X)), 1), MAX_ROWS_OF_A_TREE)
    count = max(round(TREES_WITHOUT_A_ROW * np.exp(drawn / len(X))), 1)
    with np.errstate(over="ignore"):  # scikit-learn refuses what is infinite
        rows = np.array(X, np.float32, order="C")
    np.nan_to_num(rows, copy=False, posinf=np.inf, neginf=-np.inf)
    forest = OrderedForest(count, max_samples=drawn, random_state=seed).fit(rows, codes)
    votes = np.zeros((len(X), n_classes))
    counted = np.zeros(len(X))
    for tree, taken in zip(forest.trees_, forest.drawn_rows(), strict=True):
        value = tree.value / tree.value.sum(axis=1, keepdims=True)
        unseen = np.ones(len(X), bool)
        unseen[taken] = False
        for begin in range(0, len(X), ROWS_PER_LEAF_SEARCH):
            rows_left_out = begin + np.flatnonzero(unseen[begin : begin + ROWS_PER_LEAF_SEARCH])
            votes[rows_left_out[:, None], forest.classes_] += value[
                tree.leaves(rows[rows_left_out])
            ]
        counted += unseen
    known = counted > 0
    votes[~known] = np.bincount(codes, minlength=n_classes)
    votes /= votes.sum(axis=1, keepdims=True)
    return votes
