"""Base of the forest neighbors: trees choose which training rows are near, and how near."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.kernels.forest import Forest
from lookalike.models.estimator import check_is_fitted, with_callbacks
from lookalike.models.inputs import require_dense
from lookalike.models.trees.forest_arrays import forest_of
from lookalike.models.trees.grow_forest import MIN_CELLS_FOR_THREADS, GrownForest, grow_forest
from lookalike.models.trees.growth_targets import growth_targets
from lookalike.models.trees.tree_neighbors import DENSE_ROWS_REASON, TreeNeighbors
from lookalike.progress import progress
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_float, check_int, check_random_state

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

FOREST_SPLITTERS = ("best", "random")
LEAF_SIZES = (1, 2, 5, 10, 20)  # tried by "oob"
MAX_GROWTH_PARTS = 20
CELLS_PER_PART = 10**6  # that the trees of a part look at, at least


class ForestNeighbors(TreeNeighbors):
    """Training rows weighted by the leaves that they share with a query.

    Subclasses read targets, name the forest of scikit-learn that is grown, and measure the error
    of out-of-bag predictions.
    """

    n_estimators: int
    splitter: str
    max_features: object
    min_samples_leaf: Any
    max_depth: int | None
    bootstrap: bool
    random_state: Any
    min_samples_leaf_: int
    n_samples_fit_: int
    oob_error_: float

    @abstractmethod
    def _kind(self) -> type[BaseEstimator]:
        """Return the class of scikit-learn that grows the trees."""

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Grow the trees on `X`, any table of numbers, and keep which rows are in which leaf.

        NaN is a missing value. `y` are the targets, None where a source holds them, and
        `sample_weight` what each row counts.
        """
        self._check_parameters()
        require_dense(X, DENSE_ROWS_REASON)
        decisions = Decisions()
        given = self._given_targets(X, y)
        chunk, rows, (shift, scale) = self._training_rows(X, given, sample_weight, decisions)
        targets, n_outputs, note = self._read(chunk.y)
        sizes = LEAF_SIZES if self.min_samples_leaf == "oob" else (int(self.min_samples_leaf),)
        grown, errors = [], []
        for size in sizes:
            ensemble = self._grown(rows, targets, chunk.weight, size)
            grown.append(
                forest_of(
                    ensemble,
                    rows,
                    targets=targets,
                    weight=chunk.weight,
                    n_outputs=n_outputs,
                    threads=self._threads(),
                )
            )
            errors.append(self._error(grown[-1].out_of_bag(), targets))
        best = int(np.nanargmin([*errors, np.inf])) % len(sizes)
        if len(sizes) > 1:
            why = f"lowest out-of-bag error, {errors[best]:.4g}"
            decisions.add("min_samples_leaf", str(sizes[best]), why)
        self._forest, self._shift, self._scale = grown[best], shift, scale
        self.min_samples_leaf_, self.n_samples_fit_ = sizes[best], len(rows)
        self.oob_errors_: dict[int, object] = dict(zip(sizes, errors, strict=True))
        self.oob_error_ = errors[best]
        self._keep(targets, note)
        self.decisions_ = decisions
        return self

    def apply(self, X: object) -> AnyArray:
        """Return the leaf of every row of `X` in every tree, of shape (n_rows, n_estimators)."""
        return self._map_trees(Forest.leaves, X)

    def kneighbors(
        self, X: object = None, n_neighbors: int = 5, return_distance: bool = True
    ) -> tuple[Array, Rows] | Rows:
        """Return the training rows that share the most leaves with every row of `X`.

        Their distance is the share of the trees in which they are in another leaf; equal ones go
        by row number.

        Parameters
        ----------
        X : table, optional
            The queries; None means the training rows, each without itself.
        n_neighbors : int, default=5
            Neighbors of each.
        return_distance : bool, default=True
            Whether distances are returned too, before the rows.
        """
        check_is_fitted(self)
        most = self.n_samples_fit_ - (X is None)
        k = check_int("n_neighbors", n_neighbors, least=1, most=most)
        forest, exclude = self._forest, np.empty(0, np.int64)
        if X is None:
            leaf, exclude = forest.training_leaves(), np.arange(self.n_samples_fit_)
        else:
            leaf = self.apply(X)
        shared, row = forest.nearest(leaf, k, exclude, self._threads())
        return (1.0 - shared / forest.n_trees, row) if return_distance else row

    def neighbor_weights(self, X: object) -> sp.csr_array:
        """Return the weight of every training row in the prediction of every row of `X`.

        A sparse matrix of shape (n_queries, n_training_rows), whose rows sum to 1. Its product with
        the targets is the prediction.
        """
        leaf = self.apply(X)
        weight, row, start = self._forest.weights(leaf, self._threads())
        return sp.csr_array((weight, row, start), shape=(len(leaf), self.n_samples_fit_))

    def _contributions(self, x: object, leave_out: int | None) -> tuple[Rows, Array, Array]:
        """Return the rows that make the prediction of one row, nearest first, and their weights.

        With `leave_out`, by the trees that did not draw this row.
        """
        leaf = self.apply(x)
        forest = self._forest
        if leave_out is not None:
            unseen = self._out_of_bag(leave_out)
            if not unseen.any():
                raise ParameterError(
                    f"every tree drew row {leave_out}, so that none can leave it out. Give more "
                    "n_estimators, or bootstrap=True."
                )
            leaf = np.ascontiguousarray(leaf[:, unseen])
        weight, row, _ = forest.weights(leaf, self._threads())
        shared = np.zeros(self.n_samples_fit_)
        for number in leaf[0]:
            shared[forest.row[forest.start[number] : forest.start[number + 1]]] += 1
        distance = 1.0 - shared[row] / leaf.shape[1]
        order = np.lexsort((row, -weight, distance))
        return row[order], distance[order], weight[order]

    def _out_of_bag(self, row: int) -> AnyArray:
        """Return for every tree whether it did not draw this training row."""
        is_row = self._forest.row == row
        return np.asarray(self._forest.drawn[is_row] == 0)

    @abstractmethod
    def _read(self, y: object) -> tuple[AnyArray, int, object]:
        """Return targets as a forest takes them, the number of outputs, and what `_keep` needs."""

    @abstractmethod
    def _keep(self, targets: AnyArray, note: Any) -> None:
        """Keep the targets."""

    @abstractmethod
    def _error(self, predicted: Array, targets: AnyArray) -> float:
        """Return the error of predictions, NaN where there are none."""

    def _grown(
        self, rows: AnyArray, targets: AnyArray, weight: Array | None, size: int
    ) -> BaseEstimator | GrownForest:
        """Return a forest grown natively; of rows with weights or missing values by scikit-learn.

        That one is grown in parts, so that it can be watched and stopped.
        """
        labels = growth_targets(targets)
        labels = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        ensemble = self._kind()(
            self.n_estimators,
            max_features=_plain(self.max_features),
            min_samples_leaf=size,
            max_depth=self.max_depth,
            bootstrap=self.bootstrap,
            random_state=seed,
            n_jobs=self._threads() if rows.size > MIN_CELLS_FOR_THREADS else 1,
            warm_start=True,
        )
        if weight is None and not np.isnan(rows).any():
            return grow_forest(rows, labels, ensemble, threads=self._threads(), values=False)
        work = self.n_estimators * rows.size
        parts = min(max(work // CELLS_PER_PART, 1), MAX_GROWTH_PARTS)
        bounds = np.unique(np.linspace(0, self.n_estimators, parts + 1).astype(int))[1:]
        with progress("trees grown", self.n_estimators) as advance:
            done = 0
            for count in bounds.tolist():
                ensemble.set_params(n_estimators=count).fit(rows, labels, sample_weight=weight)
                advance(count - done)
                done = count
        return ensemble

    @property
    def _ensemble(self) -> Forest:
        return self._forest

    def _check_parameters(self) -> None:
        check_int("n_estimators", self.n_estimators, least=1)
        check_choice("splitter", self.splitter, FOREST_SPLITTERS)
        if self.max_depth is not None:
            check_int("max_depth", self.max_depth, least=1)
        if self.min_samples_leaf != "oob":
            check_int("min_samples_leaf", self.min_samples_leaf, least=1)
        elif not self.bootstrap:
            raise ParameterError(
                "min_samples_leaf='oob' needs rows that trees did not draw, and bootstrap=False "
                "draws all. Give bootstrap=True or a number."
            )
        if isinstance(self.max_features, str):
            check_choice("max_features", self.max_features, ("sqrt", "log2"))
        elif isinstance(self.max_features, (float, np.floating)):
            check_float("max_features", self.max_features, least=1e-9, most=1.0)
        elif self.max_features is not None:
            check_int("max_features", self.max_features, least=1)


def forest_contributions(
    model: ForestNeighbors, x: object, leave_out: int | None
) -> tuple[Rows, Array, Array]:
    """Return the training rows in the leaves of one row, their distances and weights."""
    return model._contributions(x, leave_out)


def _plain(value: object) -> object:
    """Return a number of NumPy's as Python's, which scikit-learn's forests ask for."""
    return value.item() if isinstance(value, np.generic) else value
