"""Base of the boosted neighbors: trees added up, each leaf a sum over its training rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Self

import numpy as np

from lookalike.decisions import Decisions
from lookalike.engines.blas import openmp_threads
from lookalike.interrupt import interruptible
from lookalike.kernels.boosted import BoostedTrees
from lookalike.kernels.forest import LEAF_FEATURE, MISSING_LEFT
from lookalike.models.estimator import check_is_fitted, with_callbacks
from lookalike.models.inputs import require_dense
from lookalike.models.trees.float32_rows import float32_below
from lookalike.models.trees.forest_arrays import join_trees
from lookalike.models.trees.growth_targets import growth_targets
from lookalike.models.trees.tree_neighbors import DENSE_ROWS_REASON, TreeNeighbors
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_float, check_int, check_random_state

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

MIN_ROWS_FOR_VALIDATION_SPLIT = 10_000  # rows beyond which a tenth of them says when to stop
MAX_VALUES_FOR_ONE_THREAD = 200_000  # of rows, for which threads wait for each other


class BoostedNeighbors(TreeNeighbors):
    """Training rows whose contributions add up to a prediction.

    Subclasses read targets and name the model of scikit-learn that grows the trees.
    """

    max_iter: int
    learning_rate: float
    max_leaf_nodes: int
    l2_regularization: float
    random_state: object

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Grow the trees, and compute the value of every leaf from its training rows.

        `X` is any table of numbers, in which NaN is a missing value; `y` are the targets, None
        where a source holds them.
        """
        self._check_parameters()
        require_dense(X, DENSE_ROWS_REASON)
        decisions = Decisions()
        given = self._given_targets(X, y)
        chunk, rows, (self._shift, self._scale) = self._training_rows(X, given, None, decisions)
        targets, n_outputs = self._read(chunk.y)
        nodes, root = _tree_arrays(self._grown(rows, targets), n_outputs)
        self._trees = BoostedTrees(
            nodes=nodes,
            root=root,
            value=np.empty(0),
            X=rows,
            targets=targets,
            n_outputs=n_outputs,
            learning_rate=float(self.learning_rate),
            l2=float(self.l2_regularization),
        )
        self.n_iter_, self.n_samples_fit_ = len(root) // n_outputs, len(rows)
        self.decisions_ = decisions
        return self

    def contributions(self, X: object) -> Array:
        """Return what every training row adds to the score of every row of `X`.

        Of shape (n_queries, n_training_rows), and (n_queries, n_training_rows, n_classes) of more
        than two classes. With `baseline_`, the sum over training rows is the prediction of a
        number, or the decision function of classes.
        """
        check_is_fitted(self)
        leaves = self._map_trees(BoostedTrees.leaves, X)
        added = np.stack([self._trees.contributions(leaf) for leaf in leaves])
        return added[:, :, 0] if added.shape[2] == 1 else added

    @property
    def baseline_(self) -> float | Array:
        """The score without any tree: a number, or one for every class of more than two."""
        check_is_fitted(self)
        base = self._trees.base
        return float(base[0]) if len(base) == 1 else base

    @abstractmethod
    def _read(self, y: object) -> tuple[AnyArray, int]:
        """Return targets as numbers or class codes, and the number of outputs."""

    def _grown(self, rows: AnyArray, targets: AnyArray) -> AnyArray:
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        model = self._kind()(
            learning_rate=self.learning_rate,
            max_iter=self.max_iter,
            max_leaf_nodes=self.max_leaf_nodes,
            l2_regularization=self.l2_regularization,
            early_stopping=len(rows) > MIN_ROWS_FOR_VALIDATION_SPLIT,
            random_state=seed,
        )
        threads = 1 if rows.size <= MAX_VALUES_FOR_ONE_THREAD else self._threads()

        def grow(rows: AnyArray, targets: AnyArray) -> BaseEstimator:
            with openmp_threads(threads):  # on the thread that the limit is for
                return model.fit(rows, targets)

        empty = np.isnan(rows).all(axis=0)
        if empty.any():  # such a column splits nothing, and cannot be put into bins
            rows = np.where(empty, np.float32(0.0), rows)
        return interruptible(grow, rows, growth_targets(targets))

    @property
    def _ensemble(self) -> BoostedTrees:
        return self._trees

    def _check_parameters(self) -> None:
        check_int("max_iter", self.max_iter, least=1)
        check_int("max_leaf_nodes", self.max_leaf_nodes, least=2)
        check_float("learning_rate", self.learning_rate, least=1e-9)
        check_float("l2_regularization", self.l2_regularization, least=0.0)


def count_trees(model: BoostedNeighbors) -> int:
    """Return how many trees were grown."""
    return len(model._trees.root)


def boosted_targets(model: BoostedNeighbors) -> AnyArray:
    """Return the numbers, or the places of the classes, of the training rows."""
    return np.asarray(model._trees.targets)


def _tree_arrays(model: BaseEstimator, n_outputs: int) -> tuple[AnyArray, Rows]:
    """Return the nodes and roots of the trees of a fitted model of scikit-learn."""
    assert all(len(step) == n_outputs for step in model._predictors)
    return join_trees((tree.nodes for step in model._predictors for tree in step), _nodes)


def _nodes(tree: AnyArray, first: int, first_leaf: int) -> AnyArray:
    """Return the nodes of one tree, its root being node `first` of all."""
    leaf = tree["is_leaf"] != 0
    node = np.arange(len(tree))
    assert (tree["left"][~leaf] == node[~leaf] + 1).all()  # depth first
    missing = tree["missing_go_to_left"].astype(np.int64)
    nodes = np.empty((len(tree), 3), np.int32)
    nodes[:, 0] = np.where(leaf, LEAF_FEATURE, tree["feature_idx"] + MISSING_LEFT * missing)
    nodes[:, 1] = np.where(leaf, first_leaf + np.cumsum(leaf) - 1, first + tree["right"])
    threshold = np.where(leaf, 0.0, tree["num_threshold"])
    nodes[:, 2] = float32_below(threshold).view(np.int32)
    return nodes
