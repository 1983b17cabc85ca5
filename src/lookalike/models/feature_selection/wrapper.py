"""Selection of columns by a search over subsets, scored on held-out rows."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.models.estimator import feature_names, with_callbacks
from lookalike.models.feature_selection.selector import Selector
from lookalike.models.feature_selection.subset_scorers import (
    CVSubsetScorer,
    KNNSubsetScorer,
    SubsetScorer,
    note_scales,
)
from lookalike.models.feature_selection.subset_search import (
    SEARCH_DIRECTIONS,
    Step,
    SubsetSearch,
    best_step,
    parsimonious_step,
    stalled,
)
from lookalike.models.inputs import require_dense
from lookalike.models.targets import read_target
from lookalike.progress import progress
from lookalike.typing import AnyArray
from lookalike.validation import check_choice, check_int

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

WRAPPER_NEIGHBORS = 5


class SelectByWrapper(Selector):
    """Sequential feature selection: search for the columns with which a model scores best.

    [LUMS; Bishop95, fig. 8.8]. "forward" starts with no column and adds the best, "backward"
    starts with all and removes the least useful, "floating" goes forward and removes columns
    again while that beats the best subset of that size [Pudil94]. Of equal subsets the one with
    the lower column is taken. A constant column is never selected.

    "knn-loo" is leave-one-out K-NN. A candidate column changes each squared distance by one term,
    so nothing is fitted: a step costs one pass over the pairs of rows for each candidate, without
    a matrix of them, and the predictions are those of :class:`KNeighborsClassifier` on the
    columns of the subset, bit for bit.

    Parameters
    ----------
    estimator : "knn-loo" or estimator, default="knn-loo"
        What scores the subsets. Other estimators are cross-validated by scikit-learn.
    direction : {"forward", "backward", "floating"}, default="forward"
        The direction of the search.
    k : "best", "one_se" or int, default="best"
        Which subset of the path is selected: the best, the smallest within a standard error of it
        [Breiman84], or the one of `k` columns, at which the search ends.
    scoring : str or callable, optional
        For "knn-loo" "accuracy" or "balanced_accuracy" of classes, "neg_mean_squared_error",
        "neg_mean_absolute_error" or "r2" of numbers, the first of them where None. For others
        anything that scikit-learn takes.
    cv : int or splitter, optional
        Folds for other estimators, 5 where None; "knn-loo" is leave-one-out.
    n_neighbors : int, optional
        For "knn-loo"; if None 5; below 25 rows an odd number up to their root.
    stop : {None, "one_se"}, default=None
        "one_se" ends the search early: forward when a step gains less than a standard error,
        backward when the set has lost more than one against the best.
    max_features : int, optional
        The largest set of a forward or floating search; all columns where None.
    task : {"auto", "classification", "regression"}, default="auto"
        What the target holds.
    warm_start : bool, default=False
        Whether `fit` continues the search of the last `fit` on the same rows, which may have been
        interrupted or have ended at a smaller `k`.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where `transform` runs; `fit` reads all rows into memory.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    path_ : list of Step
        The best set of every size met, the smallest first: `features`, `score`,
        `standard_error`, and the column that `moved` last.
    support_ : ndarray of shape (n_features,)
        Whether a column stays.
    score_, standard_error_ : float
        Of the selected subset. It was selected for this score: estimate the error of a model on
        other rows.
    n_evaluated_ : int
        Subsets that were evaluated.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lookalike.feature_selection import SelectByWrapper
    >>> model = SelectByWrapper().fit(*load_iris(return_X_y=True))
    >>> [(step.features, round(step.score, 3)) for step in model.path_]
    [((3,), 0.96), ((2, 3), 0.96), ((0, 2, 3), 0.967), ((0, 1, 2, 3), 0.967)]
    >>> model.get_support(indices=True)
    array([0, 2, 3])
    """

    path_: list[Step]
    n_evaluated_: int
    score_: float
    standard_error_: float

    _kept_on_failure = ("_search",)  # goes on where it was stopped

    def __init__(
        self,
        estimator: object = "knn-loo",
        *,
        direction: str = "forward",
        k: str | int = "best",
        scoring: object = None,
        cv: object = None,
        n_neighbors: int | None = None,
        stop: str | None = None,
        max_features: int | None = None,
        task: str = "auto",
        warm_start: bool = False,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.direction = direction
        self.k = k
        self.scoring = scoring
        self.cv = cv
        self.n_neighbors = n_neighbors
        self.stop = stop
        self.max_features = max_features
        self.task = task
        self.warm_start = warm_start
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Search sets of columns of `X`, any table of numbers, and keep those of the chosen set.

        `y` holds classes or numbers, unless the source brings them.
        """
        self._check()
        decisions = Decisions()
        rows, target, task = read_rows(self, X, y, self.task, decisions)
        columns = self._varying(rows, decisions)
        last = self._last(len(columns))
        scorer = scorer_for(
            self.estimator,
            rows,
            target,
            task=task,
            n_neighbors=self.n_neighbors,
            scoring=self.scoring,
            cv=self.cv,
            n_jobs=self.n_jobs,
        )
        if isinstance(scorer, KNNSubsetScorer):
            note_scales(rows, list(feature_names(self)), decisions)
        mark = self._fingerprint(rows, target)
        search = self._resume(mark, decisions) or SubsetSearch(columns, self.direction)
        if self.warm_start:
            self._search = mark, search
        self._walk(search, scorer, last, decisions)
        path = [search.path[size] for size in sorted(search.path)]
        step = self._chosen(path)
        self.path_, self.n_evaluated_ = path, search.n_evaluated
        self.score_, self.standard_error_ = step.score, step.standard_error
        self.support_: AnyArray = np.isin(np.arange(rows.shape[1]), step.features)
        self.decisions_ = decisions
        return self

    def _check(self) -> None:
        check_choice("direction", self.direction, SEARCH_DIRECTIONS)
        check_choice("stop", self.stop, (None, "one_se"))
        check_choice("warm_start", self.warm_start, (True, False))
        if isinstance(self.k, str):
            check_choice("k", self.k, ("best", "one_se"))
        else:
            check_int("k", self.k, least=1)
            if self.stop is not None:
                raise ParameterError(
                    f"stop={self.stop!r} may end the search before k={self.k} columns. "
                    "Give k='best' or k='one_se', or leave stop out."
                )
        if self.max_features is not None:
            check_int("max_features", self.max_features, least=1)
            if self.direction == "backward" or not isinstance(self.k, str):
                raise ParameterError(
                    "max_features limits a growing search without k; here "
                    f"direction={self.direction!r} and k={self.k!r}. Leave it out."
                )

    def _varying(self, rows: AnyArray, decisions: Decisions) -> tuple[int, ...]:
        """Return the columns that can be chosen: all that are not constant."""
        varying = np.flatnonzero(rows.max(axis=0) > rows.min(axis=0))
        if not len(varying):
            raise ShapeError(
                f"No column of X varies in n_samples = {len(rows)}: nothing can be selected."
            )
        if len(varying) < rows.shape[1]:
            left = rows.shape[1] - len(varying)
            decisions.add("columns", f"{left} never selected", "constant")
        return tuple(varying.tolist())

    def _last(self, n_features: int) -> int:
        """Return the size at which the search ends."""
        if isinstance(self.k, str):
            most = n_features if self.max_features is None else self.max_features
            return 1 if self.direction == "backward" else min(most, n_features)
        return check_int("k", self.k, least=1, most=n_features)

    def _walk(
        self, search: SubsetSearch, scorer: SubsetScorer, last: int, decisions: Decisions
    ) -> None:
        done = stalled(self.direction)
        made: list[Step] = []
        with progress("columns", abs(last - len(search.current)) or None) as advance:
            for step in search.steps(scorer, last):
                made.append(step)
                advance(1)
                if self.stop == "one_se" and done(made):
                    decisions.add("stop", f"{len(step.features)} columns", "one standard error")
                    return

    def _chosen(self, path: list[Step]) -> Step:
        if self.k == "best":
            return best_step(path)
        if self.k == "one_se":
            return parsimonious_step(path)
        return next(step for step in path if len(step.features) == self.k)

    def _resume(self, mark: str, decisions: Decisions) -> SubsetSearch | None:
        """Return the search of the last fit where rows and parameters are the same."""
        if not self.warm_start or not hasattr(self, "_search"):
            return None
        known, search = self._search
        if known != mark:
            decisions.add("warm_start", "a new search", "the rows or the parameters differ")
            return None
        decisions.add("warm_start", f"from {len(search.current)} columns on", "the same rows")
        return search

    def _fingerprint(self, X: AnyArray, y: AnyArray) -> str:
        rules = (self.direction, self.n_neighbors, self.scoring, self.cv, self.estimator)
        text = repr((X.shape, y.tolist(), rules)).encode()
        return hashlib.sha256(np.ascontiguousarray(X).tobytes() + text).hexdigest()


def read_rows(
    model: BaseEstimator, X: object, y: object, task: str, decisions: Decisions
) -> tuple[AnyArray, AnyArray, str]:
    """Return all rows as finite numbers, their targets, and what these are."""
    require_dense(X, "subsets of columns are scored dense")
    y, task = read_target(type(model).__name__, X, y, task, decisions)
    source = model._open(X, y)
    chunk = gather(source)
    require_finite(chunk.X, 0, source.columns)
    if chunk.y is None:
        raise ParameterError("The source brings no target. Give y, or open it with target=….")
    rows = np.asarray(chunk.X)
    return rows, np.asarray(chunk.y), task


def default_neighbors(n_rows: int) -> int:
    """Return K where none is given: the largest odd number up to 5 and to the root of N [LUMS]."""
    root = min(WRAPPER_NEIGHBORS, int(n_rows**0.5))
    return max(1, root - 1 + root % 2)


def scorer_for(
    estimator: object,
    X: AnyArray,
    y: AnyArray,
    *,
    task: str,
    scoring: Any = None,
    n_neighbors: int | None = None,
    cv: object = None,
    n_jobs: int | None = None,
) -> SubsetScorer:
    """Return the scorer of subsets of columns."""
    if isinstance(estimator, str):
        check_choice("estimator", estimator, ("knn-loo",))
        if cv is not None:
            raise ParameterError(
                f"cv={cv!r} gives folds, and 'knn-loo' is leave-one-out. Leave it "
                "out, or give a KNeighborsClassifier as estimator."
            )
        k = (
            default_neighbors(len(X))
            if n_neighbors is None
            else check_int("n_neighbors", n_neighbors, least=1)
        )
        return KNNSubsetScorer(X, y, task=task, n_neighbors=k, scoring=scoring, n_jobs=n_jobs)
    if not hasattr(estimator, "fit"):
        raise ParameterTypeError(
            f"estimator={estimator!r} has no fit. Give 'knn-loo' or an estimator."
        )
    if n_neighbors is not None:
        raise ParameterError(
            f"n_neighbors={n_neighbors} is for 'knn-loo', and the estimator is another. Leave it "
            "out, or set it on the estimator."
        )
    return CVSubsetScorer(estimator, X, y, task=task, scoring=scoring, cv=cv, n_jobs=n_jobs)
