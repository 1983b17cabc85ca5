"""Scorers of subsets of columns: leave-one-out K-NN, or any estimator by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import check_cv, cross_val_score

from lookalike.decisions import Decisions
from lookalike.errors import MagnitudeError, ParameterError
from lookalike.kernels.leave_one_out import ColumnSets
from lookalike.models.estimator import cloned
from lookalike.models.feature_selection.univariate_inputs import require_classes
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice

CLASS_SCORES = ("accuracy", "balanced_accuracy")
NUMBER_SCORES = ("neg_mean_squared_error", "neg_mean_absolute_error", "r2")
MAX_DEVIATION_RATIO = 100.0  # standard deviations of columns that differ by more are reported


Scores: TypeAlias = tuple[Array, Array]  # of several subsets, and their standard errors


class SubsetScorer(Protocol):
    """Scores subsets of columns that differ by one column; more is better."""

    def score(self, chosen: Sequence[int], candidates: Sequence[int], *, add: bool) -> Scores:
        """Return the scores of `chosen` with each candidate added, or each removed."""
        ...


class KNNSubsetScorer:
    """Leave-one-out K-NN: the nearest other rows of every row, without a model being fitted.

    Parameters
    ----------
    X, y
        Rows, and codes of classes or numbers.
    task : {"classification", "regression"}
        What `y` is.
    n_neighbors : int
        Number of neighbors.
    scoring : str, optional
        One of `CLASS_SCORES` or `NUMBER_SCORES`; the first of them where None.
    n_jobs : int, optional
        Threads.
    """

    y: AnyArray
    task: str
    k: int
    classes: AnyArray
    code: Rows

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
        self.scoring: str = known[0] if scoring is None else scoring
        check_choice("scoring", self.scoring, known)
        if n_neighbors >= len(X):
            raise ParameterError(
                f"n_neighbors={n_neighbors}, and a row left out of n_samples = {len(X)} has "
                f"{len(X) - 1} others. Give n_neighbors <= {len(X) - 1}."
            )
        self.y, self.task, self.k = y, task, n_neighbors
        self.sets: ColumnSets = ColumnSets(_squarable(X), threads=resolve_threads(n_jobs))
        if task == "classification":
            self.classes, self.code = np.unique(y, return_inverse=True)
            require_classes(self.classes)

    def score(self, chosen: Sequence[int], candidates: Sequence[int], *, add: bool) -> Scores:
        """Return the scores of `chosen` with each candidate added, or each removed."""
        if self.task == "classification":
            predicted = self.sets.classes(
                chosen, candidates, self.code, len(self.classes), self.k, add=add
            )
            return self._mean((predicted == self.code).astype(np.float64))
        difference = self.sets.means(chosen, candidates, self.y, self.k, add=add) - self.y
        if self.scoring == "neg_mean_absolute_error":
            return self._mean(-np.abs(difference))
        score, error = self._mean(-(difference**2))
        if self.scoring == "r2":
            variance = max(float(np.var(self.y)), np.finfo(float).tiny)
            return 1.0 + score / variance, error / variance
        return score, error

    def _mean(self, value: Array) -> Scores:
        """Return the mean of (sets, rows) over the rows or the classes, and its standard error."""
        if self.scoring != "balanced_accuracy":
            return _mean_of_rows(value)
        parts = [_mean_of_rows(value[:, self.code == c]) for c in range(len(self.classes))]
        score, error = (np.stack(values) for values in zip(*parts, strict=True))
        return score.mean(axis=0), np.sqrt((error**2).sum(axis=0)) / len(parts)


class CVSubsetScorer:
    """Any scikit-learn estimator, cross-validated on every subset.

    Parameters
    ----------
    estimator, X, y, scoring, cv
        As for scikit-learn's `cross_val_score`.
    task : {"classification", "regression"}
        Whether folds are stratified.
    n_jobs : int, optional
        Subsets that are scored in parallel.
    """

    estimator: object
    y: AnyArray
    scoring: object

    def __init__(
        self,
        estimator: object,
        X: AnyArray,
        y: AnyArray,
        *,
        task: str,
        scoring: object = None,
        cv: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator, self.X, self.y, self.scoring = estimator, X, y, scoring
        splits = check_cv(5 if cv is None else cv, y, classifier=task == "classification")
        self.folds: list[object] = list(splits.split(X, y))
        self.jobs: int = resolve_threads(n_jobs)

    def score(self, chosen: Sequence[int], candidates: Sequence[int], *, add: bool) -> Scores:
        """Return the scores of `chosen` with each candidate added, or each removed."""
        sets = [sorted([*chosen, c]) if add else [j for j in chosen if j != c] for c in candidates]
        tasks = (delayed(self._scores)(columns) for columns in sets)
        scores = np.array(Parallel(n_jobs=self.jobs, prefer="threads")(tasks))
        spread = scores.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
        return scores.mean(axis=1), spread

    def _scores(self, columns: Sequence[int]) -> AnyArray:
        scores: AnyArray = cross_val_score(
            cloned(self.estimator, "estimator"),
            self.X[:, columns],
            self.y,
            scoring=self.scoring,
            cv=self.folds,
            error_score="raise",
        )
        return scores


def note_scales(X: AnyArray, names: Sequence[str], decisions: Decisions) -> None:
    """Record that the column of largest scale dominates the distances."""
    spread = X.std(axis=0)
    wide, narrow = int(spread.argmax()), int(np.where(spread > 0, spread, np.inf).argmin())
    if spread[wide] > MAX_DEVIATION_RATIO * spread[narrow] > 0:
        decisions.add(
            "scale",
            "columns as they are",
            f"{names[wide]!r} varies {spread[wide] / spread[narrow]:.0f} times as much as "
            f"{names[narrow]!r} and dominates the distances; put a StandardScaler before",
        )


def _mean_of_rows(value: Array) -> Scores:
    """Return sums over the count, so that equally many hits are equal scores to the bit."""
    rows = value.shape[1]
    score = value.sum(axis=1) / rows
    spread = ((value - score[:, None]) ** 2).sum(axis=1) / max(rows - 1, 1)
    return score, np.sqrt(spread / rows)


def _squarable(X: AnyArray) -> AnyArray:
    """Return the columns as float64 where their squared distances are finite, or raise."""
    X = np.asarray(X, np.float64)
    with np.errstate(over="ignore"):
        reach = (X.max(axis=0) / 2 - X.min(axis=0) / 2).max()
        total = X.shape[1] * (2.0 * reach) ** 2
    if not np.isfinite(total):
        row, column = np.unravel_index(np.abs(X).argmax(), X.shape)
        raise MagnitudeError(
            f"X holds {X[row, column]:.3g} at row {row}, column {column}: squared distances "
            "overflow float64. Correct or drop the row, or divide the columns by a number."
        )
    return X
