"""Training rows as a candidate model sees them: its features, and what it is tuned on."""

from __future__ import annotations

from copy import copy, deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.models.neighbors.metric_options import NeighborOptions, metric_of
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.neighbors.search_plan import search_plan
from lookalike.studies.effort import Effort
from lookalike.studies.scoring import Scoring
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import AnyArray, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.chunk import Matrix

MOST_HELD_OUT = 20_000  # rows that K is selected on
MOST_NEIGHBORS = 25  # K tried
UNMEASURED_ROWS = 5000  # up to which how long a search takes is not worth measuring
ALL_ROWS = slice(None)

Choice = TypeVar("Choice")


class ProblemSize(NamedTuple):
    """What the time that a model takes depends on."""

    rows: int
    columns: int
    classes: int  # 1 of regression
    search: float = 0.0  # seconds in which the neighbors of all rows are found

    def nominal(self) -> ProblemSize:
        """Return the size with a search that depends on nothing measured."""
        return self._replace(search=1e-9 * self.rows**2 * (1 + self.columns / 8))

    def first(self, rows: int) -> ProblemSize:
        """Return the size of this many of the rows."""
        return self._replace(rows=rows, search=self.search * (rows / self.rows) ** 2)


class TreeColumns(NamedTuple):
    """Which columns of the features hold the cells of the table as they are, for trees."""

    begin: int  # they are the last ones
    width: int  # of all features
    codes: tuple[int, ...]  # of categories, counted from `begin`


class TrainingRows:
    """Preprocessed training rows, as candidates are tuned and fitted on them.

    Parameters
    ----------
    Z, y : ndarray
        The features and targets of the rows, in random order.
    task : Task
        Classification or regression.
    seed : int
        Random seed of the models.
    search : mapping, optional
        The parameters of a neighbor search.
    scaled : bool
        Whether columns are of one scale.
    groups : ndarray, optional
        Hyperparameters are not chosen by rows of one group on each other.
    scoring : Scoring, optional
        What models are compared by, if not by error or RMSE.
    effort : Effort, optional
        How large the models are.
    tree_columns : TreeColumns, optional
        The features for trees, where they are not all of them.
    unlabeled : matrix, optional
        The features of rows without a target.
    """

    tree_columns: TreeColumns | None
    unlabeled: Matrix | None
    y: AnyArray
    task: Task
    seed: int
    scaled: bool
    groups: Rows | None
    scoring: Scoring | None

    def __init__(
        self,
        Z: AnyArray,
        y: AnyArray,
        task: Task,
        seed: int,
        search: NeighborOptions | None = None,
        *,
        scaled: bool = True,
        groups: Rows | None = None,
        scoring: Scoring | None = None,
        effort: Effort | None = None,
        tree_columns: TreeColumns | None = None,
        unlabeled: Matrix | None = None,
    ) -> None:
        self.tree_columns, self.unlabeled = tree_columns, unlabeled
        self.Z, self.y, self.task, self.seed = Z, y, task, seed
        self.search: NeighborOptions = search or {}
        self.scaled, self.groups, self.scoring = scaled, groups, scoring
        self.effort: Effort = effort or Effort.full()

    @cached_property
    def k_selection(self) -> KSelection:
        """The validation errors of every K and both weightings, from one search.

        Of very many rows some are held out in turn, and all are their neighbors.
        """
        model = self.fitted_neighbors(1, "uniform")
        n, held_out = len(self.y), None
        if n > MOST_HELD_OUT:  # evenly, as folds are contiguous
            held_out = np.linspace(0, n - 1, MOST_HELD_OUT).astype(np.int64)
        selection: KSelection = model.select(groups=self.groups, rows=held_out)
        return selection

    @cached_property
    def neighbor_model(self) -> BaseEstimator:
        """1-NN on these rows, whose index those of every K share."""
        return neighbors(self, 1, "uniform").fit(self.Z, self.y)

    def fitted_neighbors(self, k: int, weights: str) -> BaseEstimator:
        """Return K-NN fitted to these rows."""
        model = copy(self.neighbor_model).set_params(n_neighbors=k, weights=weights)
        model.decisions_ = deepcopy(model.decisions_)  # to which predictions add
        return model

    @cached_property
    def tuning(self) -> AnyArray:
        """Rows that hyperparameters are tuned on by leave-one-out: the first of every group.

        All rows where groups are large, as those of a column are: one row of each is too little.
        """
        everyone = np.arange(len(self.y))
        if self.groups is None:
            return everyone
        first = np.sort(np.unique(self.groups, return_index=True)[1])
        return first if 2 * len(first) >= len(everyone) else everyone

    @cached_property
    def size(self) -> ProblemSize:
        """How large they are, and how long a search of them takes: measured with many rows."""
        classes = len(np.unique(self.y)) if self.task is CLASSIFICATION_TASK else 1
        width, of_trees = self.Z.shape[1], self.tree_columns
        width = width if of_trees is None else of_trees.width - of_trees.begin
        size = ProblemSize(self.Z.shape[0], width, classes).nominal()
        if size.rows <= UNMEASURED_ROWS or of_trees is not None:
            return size
        n_neighbors = min(MOST_NEIGHBORS, size.rows)
        plan = search_plan(self.Z, n_neighbors, **metric_of(self.search))
        return size._replace(search=plan.build_seconds + plan.query_seconds)

    def first(self, rows: int) -> TrainingRows:
        """Return the first rows, which are in random order."""
        first = self.with_features(self.Z[:rows], rows=slice(rows), search=self.search)
        first.tree_columns, first.unlabeled = self.tree_columns, self.unlabeled
        return first

    def with_features(
        self,
        Z: AnyArray,
        *,
        rows: slice | Rows = ALL_ROWS,
        search: NeighborOptions | None = None,
    ) -> TrainingRows:
        """Return all rows, or some by their places, with features `Z` and a search of these."""
        return TrainingRows(
            Z,
            self.y[rows],
            self.task,
            self.seed,
            search,
            scaled=self.scaled,
            groups=None if self.groups is None else self.groups[rows],
            scoring=self.scoring,
            effort=self.effort,
        )

    def either(self, classifier: Choice, regressor: Choice) -> Choice:
        """Return the one that suits the task."""
        return classifier if self.task is CLASSIFICATION_TASK else regressor


def neighbors(training: TrainingRows, k: int | str, weights: str) -> BaseEstimator:
    """Return K-NN with the metric of the training rows, not fitted yet."""
    kind = training.either(KNeighborsClassifier, KNeighborsRegressor)
    return kind(k, weights=weights, **training.search)
