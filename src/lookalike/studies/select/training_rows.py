"""Training rows as a candidate model sees them, and how models are validated on them."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy, deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from lookalike.index.plan import search_plan
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.models.neighbors.metric_options import NeighborOptions, metric_of
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.studies.evaluate.metrics import FOLDS, cross_validated, is_far_behind
from lookalike.studies.scoring import Scoring
from lookalike.studies.task import CLASSIFICATION, Score, Task
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

MOST_HELD_OUT = 20_000  # rows that K is selected on
MOST_NEIGHBORS = 25  # K tried
REACH = 0.8  # part of a small model's loss that the whole one may come down to
DEVIATIONS = 2.0  # standard errors by which the small one is far behind
LOOKS = 2  # folds that it is fitted to at most
ALL = slice(None)

Choice = TypeVar("Choice")


class ProblemSize(NamedTuple):
    """What the time that a model takes depends on."""

    rows: int
    columns: int
    classes: int  # 1 of regression
    search: float = 0.0  # seconds in which the neighbors of all rows are found, as measured

    def nominal(self) -> ProblemSize:
        """Return the size with a search that depends on nothing measured, to sort candidates by."""
        return self._replace(search=1e-9 * self.rows**2 * (1 + self.columns / 8))

    def first(self, rows: int) -> ProblemSize:
        """Return the size of this many of the rows."""
        return self._replace(rows=rows, search=self.search * (rows / self.rows) ** 2)


class TrainingRows:
    """Preprocessed training rows, as models are tuned and validated on them.

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
        Rows of one group are not validated on each other.
    scoring : Scoring, optional
        What models are compared by, if not by error or RMSE.
    losses : list of float, optional
        The mean losses of the candidates so far; it grows while they are fitted.
    whole : int
        How many rows there are of which these are the first; 0: these are all.
    """

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
        losses: list[float] | None = None,
        whole: int = 0,
    ) -> None:
        self.Z, self.y, self.task, self.seed = Z, y, task, seed
        self.search: NeighborOptions = search or {}
        self.scaled, self.groups, self.scoring, self.whole = scaled, groups, scoring, whole
        self.losses: list[float] = [] if losses is None else losses

    @cached_property
    def k_selection(self) -> KSelection:
        """The validation errors of every K and both weightings, from one search.

        Of very many rows some are held out in turn, and all are their neighbors.
        """
        model = self.fitted_neighbors(1, "uniform")
        n, some = len(self.y), None
        if n > MOST_HELD_OUT:  # evenly, as folds are contiguous
            some = np.linspace(0, n - 1, MOST_HELD_OUT).astype(np.int64)
        selection: KSelection = model.select(groups=self.groups, rows=some)
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

    def validated(self, build: Callable[[], object], Z: AnyArray | None = None) -> Score:
        """Return the cross-validated score of a model with fixed hyperparameters."""
        rows = self.Z if Z is None else Z
        return cross_validated(
            build,
            rows,
            self.y,
            self.task,
            groups=self.groups,
            scoring=self.scoring,
            least=min(self.losses, default=math.inf),
        )

    def tried(self, trial: BaseEstimator, title: str, rows: int | None = None) -> Score | None:
        """Fit a small model to four folds; return its score on the fifth if that is far behind.

        Where chance may explain what it is behind, another fold is looked at.

        None where the loss of the whole model might be the least: at best it is `REACH` of that of
        the small one, and falls as steeply as losses of the task do at best, if all are `rows`.
        """
        least = min(self.losses, default=None)
        if least is None or self.scoring is not None:
            return None
        fold = self.task.folds(self.y, FOLDS, groups=self.groups)
        reach = REACH * (len(self.y) / (rows or len(self.y))) ** self.task.steepest
        loss: Array = np.empty(0)
        for number in range(LOOKS):
            held_out = fold == number
            trial.fit(self.Z[~held_out], self.y[~held_out])
            part = self.task.loss(trial.predict(self.Z[held_out]), self.y[held_out])
            loss = np.concatenate([loss, part])
            if is_far_behind(loss, least / reach, DEVIATIONS):
                return self.task.score(loss, f"{title}, {number + 1} of {FOLDS} folds: far behind")
            if not is_far_behind(loss, least / reach, 0.0):
                return None
        return None

    def part(self, trial: BaseEstimator) -> dict[str, str]:
        """Return how many rows a small model was fitted to, for its hyperparameters.

        One that is far behind is shown as it was tried: all rows would not bring it to the front.
        """
        return {"rows": f"{trial.n_samples_fit_:,} of {self.whole or len(self.y):,}, at random"}

    @cached_property
    def size(self) -> ProblemSize:
        """How large they are, and how long a search of them takes."""
        classes = len(np.unique(self.y)) if self.task is CLASSIFICATION else 1
        n_neighbors = min(MOST_NEIGHBORS, self.Z.shape[0])
        plan = search_plan(self.Z, n_neighbors, **metric_of(self.search))
        seconds = plan.build_seconds + plan.query_seconds
        return ProblemSize(self.Z.shape[0], self.Z.shape[1], classes, seconds)

    def first(self, rows: int) -> TrainingRows:
        """Return the first rows, which are in random order."""
        some = self.with_features(self.Z[:rows], rows=slice(rows), search=self.search)
        some.whole = self.whole or len(self.y)
        return some

    def with_features(
        self,
        Z: AnyArray,
        *,
        rows: slice | Rows = ALL,
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
            losses=self.losses,
            whole=self.whole,
        )

    def either(self, classifier: Choice, regressor: Choice) -> Choice:
        """Return the one that suits the task."""
        return classifier if self.task is CLASSIFICATION else regressor


def neighbors(training: TrainingRows, k: int | str, weights: str) -> BaseEstimator:
    """Return K-NN with the metric of the training rows, not fitted yet."""
    kind = training.either(KNeighborsClassifier, KNeighborsRegressor)
    return kind(k, weights=weights, **training.search)
