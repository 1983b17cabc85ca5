"""Who says how good a set of columns is: neighbors left out one by one, or any model in folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import check_cv, cross_val_score

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.leave_one_out import ColumnSets
from lookalike.models.feature_selection.univariate_inputs import require_classes
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice

CLASS_SCORES = ("accuracy", "balanced_accuracy")
NUMBER_SCORES = ("neg_mean_squared_error", "neg_mean_absolute_error", "r2")
UNEVEN = 100.0  # deviations of columns that differ by more are said


class Verdict(NamedTuple):
    """Scores of several sets of columns, and their standard errors; more is better."""

    score: Array
    standard_error: Array


class Judge(Protocol):
    """Scores sets of columns that differ by one."""

    def judge(self, chosen: Sequence[int], candidates: Sequence[int], *, add: bool) -> Verdict:
        """Return the verdict on `chosen` with each candidate added, or each taken out."""
        ...


class NeighborJudge:
    """The nearest other rows of every row: leave-one-out, without a model being fitted.

    Parameters
    ----------
    X, y
        Rows, and codes of classes or numbers.
    task : {"classification", "regression"}
        What `y` is.
    n_neighbors : int
        How many of the nearest rows are asked.
    scoring : str, optional
        One of `CLASS_SCORES` or `NUMBER_SCORES`; the first of them where None.
    n_jobs : int, optional
        Threads.
    """

    def __init__(
        self,
        X: AnyArray,
        y: AnyArray,
        *,
        task: str,
        n_neighbors: int,
        scoring: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        known = CLASS_SCORES if task == "classification" else NUMBER_SCORES
        self.scoring = known[0] if scoring is None else scoring
        check_choice("scoring", self.scoring, known)
        if n_neighbors >= len(X):
            raise ParameterError(
                f"n_neighbors={n_neighbors}, and a row left out of n_samples = {len(X)} has "
                f"{len(X) - 1} others. Give n_neighbors <= {len(X) - 1}."
            )
        self.y, self.task, self.k = y, task, n_neighbors
        self.sets = ColumnSets(_squarable(X), threads=resolve_threads(n_jobs))
        if task == "classification":
            self.classes, self.code = np.unique(y, return_inverse=True)
            require_classes(self.classes)

    def judge(self, chosen: Sequence[int], candidates: Sequence[int], *, add: bool) -> Verdict:
        """Return the verdict on `chosen` with each candidate added, or each taken out."""
        if self.task == "classification":
            said = self.sets.classes(
                chosen, candidates, self.code, len(self.classes), self.k, add=add
            )
            return self._mean((said == self.code).astype(np.float64))
        gap = self.sets.means(chosen, candidates, self.y, self.k, add=add) - self.y
        if self.scoring == "neg_mean_absolute_error":
            return self._mean(-np.abs(gap))
        lost = self._mean(-(gap**2))
        if self.scoring == "r2":
            variance = max(float(np.var(self.y)), np.finfo(float).tiny)
            return Verdict(1.0 + lost.score / variance, lost.standard_error / variance)
        return lost

    def _mean(self, merit: Array) -> Verdict:
        """Return the mean of (sets, rows) over the rows or the classes, and its standard error."""
        if self.scoring != "balanced_accuracy":
            return _mean_of_rows(merit)
        parts = [_mean_of_rows(merit[:, self.code == c]) for c in range(len(self.classes))]
        score, error = (np.stack(values) for values in zip(*parts, strict=True))
        return Verdict(score.mean(axis=0), np.sqrt((error**2).sum(axis=0)) / len(parts))


class FoldJudge:
    """Any estimator of scikit-learn's kind, fitted anew for every set and fold.

    Parameters
    ----------
    estimator, X, y, scoring, cv
        As for scikit-learn's `cross_val_score`.
    task : {"classification", "regression"}
        Whether folds are stratified.
    n_jobs : int, optional
        Sets that are judged at once.
    """

    def __init__(
        self,
        estimator: Any,
        X: AnyArray,
        y: AnyArray,
        *,
        task: str,
        scoring: Any = None,
        cv: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator, self.X, self.y, self.scoring = estimator, X, y, scoring
        splits = check_cv(5 if cv is None else cv, y, classifier=task == "classification")
        self.folds = list(splits.split(X, y))
        self.jobs = resolve_threads(n_jobs)

    def judge(self, chosen: Sequence[int], candidates: Sequence[int], *, add: bool) -> Verdict:
        """Return the verdict on `chosen` with each candidate added, or each taken out."""
        sets = [sorted([*chosen, c]) if add else [j for j in chosen if j != c] for c in candidates]
        tasks = (delayed(self._scores)(columns) for columns in sets)
        scores = np.array(Parallel(n_jobs=self.jobs, prefer="threads")(tasks))
        spread = scores.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
        return Verdict(scores.mean(axis=1), spread)

    def _scores(self, columns: Sequence[int]) -> AnyArray:
        found: AnyArray = cross_val_score(
            clone(self.estimator),
            self.X[:, columns],
            self.y,
            scoring=self.scoring,
            cv=self.folds,
            error_score="raise",
        )
        return found


def note_scales(X: AnyArray, names: Sequence[str], decisions: Decisions) -> None:
    """Record that distances over these columns are ruled by the widest of them."""
    spread = X.std(axis=0)
    wide, narrow = int(spread.argmax()), int(np.where(spread > 0, spread, np.inf).argmin())
    if spread[wide] > UNEVEN * spread[narrow] > 0:
        decisions.add(
            "scale",
            "columns as they are",
            f"{names[wide]!r} varies {spread[wide] / spread[narrow]:.0f} times as much as "
            f"{names[narrow]!r} and rules the distances; put a Standardizer before",
        )


def _mean_of_rows(merit: Array) -> Verdict:
    """Return sums over the count, so that equally many hits are equal scores to the bit."""
    rows = merit.shape[1]
    score = merit.sum(axis=1) / rows
    spread = ((merit - score[:, None]) ** 2).sum(axis=1) / max(rows - 1, 1)
    return Verdict(score, np.sqrt(spread / rows))


def _squarable(X: AnyArray) -> AnyArray:
    """Return the columns as float64 where their squared distances are finite, or raise."""
    X = np.asarray(X, np.float64)
    with np.errstate(over="ignore"):
        reach = (X.max(axis=0) / 2 - X.min(axis=0) / 2).max()
        total = X.shape[1] * (2.0 * reach) ** 2
    if not np.isfinite(total):
        raise ShapeError(
            f"The columns reach {reach:.3g} to each side, and squared distances leave the range "
            "of float64. Divide the columns by a constant."
        )
    return X
