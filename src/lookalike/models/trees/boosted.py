"""Base of the boosted neighbors: trees added up, each leaf a sum over its training rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.kernels.boosted import BoostedTrees, start_scores
from lookalike.kernels.grow_boosted import (
    MAX_HISTOGRAM_BINS,
    BinnedRows,
    BoostingPlan,
    bin_rows,
    grow_boosted,
)
from lookalike.models.cross_validation import as_groups, deal_folds
from lookalike.models.estimator import check_is_fitted, with_callbacks
from lookalike.models.inputs import require_dense
from lookalike.models.trees.growth_targets import growth_targets
from lookalike.models.trees.target_statistics import TargetStatistics
from lookalike.models.trees.tree_neighbors import DENSE_ROWS_REASON, TreeNeighbors
from lookalike.typing import AnyArray, Array
from lookalike.validation import (
    check_choice,
    check_float,
    check_int,
    check_random_state,
    is_int,
    shown,
)

GROW_POLICIES = ("lossguide", "symmetric")
SYMMETRIC_DEPTH = 6  # where no depth is given
MOST_SYMMETRIC_DEPTH = 16
MIN_ROWS_FOR_EARLY_STOPPING = 10_000  # rows beyond which "auto" stops early
MOST_FOLDED_ROWS = 5000  # up to which thirds of them are left out to choose the steps
STEP_FOLDS, STEP_HOLDOUT_FOLDS = 3, 10  # a part of the rows left out in turn, or once
MIN_ROWS_FOR_STEPS = 400  # left out in as many of the folds as that takes
PATIENCE_STEPS = 50  # steps without a lower loss, after which no more are tried
MAX_VALUES_FOR_ONE_THREAD = 200_000  # of rows, for which threads wait for each other


class BoostedNeighbors(TreeNeighbors):
    """Training rows whose contributions add up to a prediction.

    Subclasses read targets.
    """

    _statistics: TargetStatistics | None
    n_iter_: int
    n_samples_fit_: int

    def __init__(
        self,
        max_iter: int = 100,
        *,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        grow_policy: str = "lossguide",
        subsample: float = 1.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: Sequence[int] | None = None,
        early_stopping: object = "auto",
        random_state: object = None,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.grow_policy = grow_policy
        self.subsample = subsample
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.early_stopping = early_stopping
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, groups: object = None) -> Self:
        """Grow the trees, and compute the value of every leaf from its training rows.

        `X` is any table of numbers, in which NaN is a missing value; `y` are the targets, None
        where a source holds them. The number of steps is not chosen by rows of one of the `groups`
        on each other.
        """
        self._check_parameters()
        require_dense(X, DENSE_ROWS_REASON)
        decisions = Decisions()
        given = self._given_targets(X, y)
        chunk, rows, (self._shift, self._scale) = self._training_rows(X, given, None, decisions)
        targets, n_outputs = self._read(chunk.y)
        random = check_random_state(self.random_state)
        self._statistics = None
        if columns := self._categorical_columns(rows.shape[1]):
            self._statistics, rows = TargetStatistics.fit(rows, columns, targets, random)
        threads = 1 if rows.size <= MAX_VALUES_FOR_ONE_THREAD else self._threads()
        binned = bin_rows(rows, int(self.max_bins), threads)
        grown_to = growth_targets(targets)
        base = start_scores(grown_to, n_outputs)
        plan = self._plan(random.randint(2**31 - 1))
        if self._stops_early(len(rows)):
            folds = self._folds(grown_to, groups, random)
            steps = _best_steps(binned, grown_to, base, plan, folds=folds, threads=threads)
            reason = f"of {plan.steps:,}, by the loss of rows left out"
            decisions.add("boosting steps", f"{steps:,}", reason)
            plan = plan._replace(steps=steps)
        grown = grow_boosted(binned, grown_to, base, plan, threads=threads)
        self._trees = BoostedTrees(
            nodes=grown.nodes,
            root=grown.root,
            value=grown.value if grown_to is targets else np.empty((0, n_outputs)),
            X=rows,
            targets=targets,
            n_outputs=n_outputs,
            learning_rate=float(self.learning_rate),
            l2=float(self.l2_regularization),
        )
        self.n_iter_, self.n_samples_fit_ = self._trees.n_trees, len(rows)
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
        added = self._trees.contributions(leaves)
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

    def _compare(self, rows: AnyArray) -> AnyArray:
        return rows if self._statistics is None else self._statistics.transform(rows)

    def _plan(self, seed: int) -> BoostingPlan:
        symmetric = self.grow_policy == "symmetric"
        depth = self.max_depth or (SYMMETRIC_DEPTH if symmetric else 0)
        return BoostingPlan(
            steps=int(self.max_iter),
            learning_rate=float(self.learning_rate),
            l2=float(self.l2_regularization),
            symmetric=symmetric,
            max_leaves=int(self.max_leaf_nodes),
            max_depth=int(depth),
            min_rows=int(self.min_samples_leaf),
            row_share=float(self.subsample),
            column_share=float(self.max_features),
            seed=seed,
        )

    def _stops_early(self, n_rows: int) -> bool:
        if self.early_stopping == "auto":
            return n_rows > MIN_ROWS_FOR_EARLY_STOPPING
        return bool(self.early_stopping) and n_rows >= 2 * STEP_FOLDS

    def _folds(
        self, targets: AnyArray, groups: object, random: np.random.RandomState
    ) -> list[AnyArray]:
        """Return which rows are left out, one time after the other: all, or enough of them."""
        few = len(targets) <= MOST_FOLDED_ROWS
        fold = deal_folds(
            targets,
            STEP_FOLDS if few else STEP_HOLDOUT_FOLDS,
            stratify=targets.dtype.kind == "i",
            rng=np.random.default_rng(random.randint(2**31 - 1)),
            groups=None if groups is None else as_groups(groups, len(targets)),
        )
        size = np.bincount(fold)
        n_used = 1 + int(np.searchsorted(np.cumsum(size), MIN_ROWS_FOR_STEPS)) if few else 1
        return [fold == one for one in range(min(n_used, len(size)))]

    def _categorical_columns(self, n_features: int) -> list[int]:
        given = self.categorical_features
        columns = [] if given is None else list(given) if np.iterable(given) else [None]
        if any(not is_int(column) or not 0 <= column < n_features for column in columns):
            raise ParameterError(
                f"categorical_features={shown(given)} are not columns of X, which has "
                f"{n_features}. Give their numbers, from 0."
            )
        return sorted({int(column) for column in columns})

    @property
    def _ensemble(self) -> BoostedTrees:
        return self._trees

    def _check_parameters(self) -> None:
        check_int("max_iter", self.max_iter, least=1)
        check_int("max_leaf_nodes", self.max_leaf_nodes, least=2)
        check_float("learning_rate", self.learning_rate, least=1e-9)
        check_float("l2_regularization", self.l2_regularization, least=0.0)
        check_choice("grow_policy", self.grow_policy, GROW_POLICIES)
        if self.max_depth is not None:
            check_int("max_depth", self.max_depth, least=1, most=MOST_SYMMETRIC_DEPTH)
        check_int("min_samples_leaf", self.min_samples_leaf, least=1)
        check_float("subsample", self.subsample, least=1e-9, most=1.0)
        check_float("max_features", self.max_features, least=1e-9, most=1.0)
        check_int("max_bins", self.max_bins, least=2, most=MAX_HISTOGRAM_BINS)
        if not isinstance(self.early_stopping, np.bool_):
            check_choice("early_stopping", self.early_stopping, (True, False, "auto"))


def count_trees(model: BoostedNeighbors) -> int:
    """Return how many trees were grown."""
    return model._trees.n_trees


def boosted_targets(model: BoostedNeighbors) -> AnyArray:
    """Return the numbers, or the places of the classes, of the training rows."""
    return np.asarray(model._trees.targets)


def _best_steps(
    rows: BinnedRows,
    targets: AnyArray,
    base: Array,
    plan: BoostingPlan,
    *,
    folds: Sequence[AnyArray],
    threads: int,
) -> int:
    """Return the number of steps, 1 at least, of the lowest mean loss of the rows left out."""
    curves = []
    patient = plan._replace(patience=PATIENCE_STEPS)
    for left_out in folds:
        grown = grow_boosted(rows, targets, base, patient, left_out=left_out, threads=threads)
        loss = np.full(plan.steps + 1, grown.out_loss[-1])  # as it was when no more were tried
        loss[: len(grown.out_loss)] = grown.out_loss
        curves.append(loss * np.count_nonzero(left_out))
    return 1 + int(np.sum(curves, axis=0)[1:].argmin())
