"""Learning curve: the error against the number of training rows, and its power-law forecast."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.explain.self_search import (
    SelfSearch,
    self_search,
    unsearched,
)
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.targets import coded_target
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_int, typed

DECAY_EXPONENTS = np.arange(1, 201) / 100  # c of a + b n^-c
MIN_ROWS_OF_A_SAMPLE = 20  # of the smallest sample
SAMPLE_HALVINGS = 6
NEIGHBORS_AT_ONCE = 2**22  # neighbors in memory at once
MAX_CACHED_NEIGHBORS = 2**24  # neighbors kept in memory for all sizes and orders


@dataclass(frozen=True)
class LearningCurve:
    """Errors on nested training samples, and the power law a + b n^-c through them.

    Attributes
    ----------
    train_sizes : ndarray
        Training rows of each sample.
    errors : ndarray of shape (n_orders, n_sizes)
        Of each random order.
    error, low, high : ndarray of shape (n_sizes,)
        Mean over the orders, and its 95% confidence interval (bootstrap over rows and orders).
    power_law : tuple of float
        a, b and c.
    k : int
        Neighbors of each row.
    score : str
        What the errors are: "error" of classification, "rmse" or "mae" of regression.
    decisions : Decisions
        What was decided, and why.
    """

    train_sizes: Rows
    errors: Array = field(metadata={"json": False})
    error: Array
    low: Array
    high: Array
    power_law: tuple[float, float, float]
    k: int
    score: str
    decisions: Decisions = field(metadata={"json": False})
    _bootstrap: Array = field(metadata={"json": False})  # (draws, 3), the power law of each

    def forecast(self, n: object) -> Forecast:
        """Return the error expected with `n` training rows; that of infinitely many for infinity.

        Parameters
        ----------
        n : float or array
            Rows, at least 1.
        """
        rows = np.atleast_1d(np.asarray(n, np.float64))
        if not (rows >= 1).all():
            raise ParameterError(f"n={n} is out of range. Give at least one row.")
        drawn = _law(self._bootstrap[:, :, None], rows)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        return Forecast(rows, _law(np.array(self.power_law)[:, None], rows), low, high)


class Forecast(NamedTuple):
    """The error expected with this many training rows, and its 95% confidence interval."""

    train_sizes: Array
    error: Array
    low: Array
    high: Array


@typed
def neighbor_learning_curve(
    X: object,
    y: object,
    *,
    k: int = 1,
    train_sizes: object = None,
    n_orders: int = 8,
    n_draws: int = 200,
    random_state: int = 0,
    search: NearestNeighbors | None = None,
    task: str = "auto",
    score: str = "auto",
) -> LearningCurve:
    r"""Measure the error of `k` nearest neighbors against the number of training rows.

    The rows are put in random order, and the first n of the order are the training rows. Every
    row is predicted by its k nearest among those, itself left out: these are the first such in
    its list of neighbors among all rows, so that one search serves every n and every order. Lists
    are made longer only for rows that find too few. A tied vote goes to the nearest of the tied
    classes, where distances are equal to the one of smaller row number; of numbers the mean of
    the neighbors is predicted, and RMSE or MAE is the error.

    The power law :math:`a + b n^{-c}` [Cortes94], a and b not negative, is fitted by least squares
    weighted with n over the error, so that the last sizes count most. The confidence
    interval is a bootstrap over rows and orders. It is that of the power law: whether the curve
    goes on as one, no data of these sizes can show.

    Parameters
    ----------
    X : table or SelfSearch
        The rows, or a search of them made by :func:`self_search`.
    y : array of shape (n_rows,)
        Labels of any one kind, or numbers.
    k : int, default=1
        Neighbors that vote, or whose mean is taken.
    train_sizes : array of int, optional
        Numbers of training rows; halvings of all rows when None.
    n_orders : int, default=8
        Random orders over which errors are averaged.
    n_draws : int, default=200
        Bootstrap samples.
    random_state : int, default=0
        Random seed of the orders and bootstrap samples.
    search : NearestNeighbors, optional
        How to search: metric, engine, threads.
    task : {"auto", "classification", "regression"}, default="auto"
        What `y` holds, as in :func:`lookalike.audit`.
    score : {"auto", "error", "rmse", "mae"}, default="auto"
        What is measured: the share of wrong classes; of numbers the root of the mean squared
        error, or the mean absolute one.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> curve = neighbor_learning_curve(*load_digits(return_X_y=True))
    >>> curve.train_sizes
    array([  28,   56,  112,  224,  449,  898, 1797])
    >>> bool(curve.error[0] > 5 * curve.error[-1])
    True
    """
    k, n_orders = check_int("k", k, least=1), check_int("n_orders", n_orders, least=1)
    n_draws = check_int("n_draws", n_draws, least=20)
    neighbors = X if isinstance(X, SelfSearch) and search is None else unsearched(X, search)
    decisions = neighbors.decisions
    classes, target = coded_target(y, neighbors.n_rows, task, decisions)
    n_classes = None if classes is None else len(classes)
    score = _score(score, numeric=classes is None)
    used = _train_sizes(train_sizes, neighbors.n_rows, k)
    neighbors = self_search(neighbors, _width(neighbors.n_rows, int(used[0]), k))
    rng = np.random.default_rng(check_int("random_state", random_state, least=0))
    loss = np.empty((n_orders, len(used), neighbors.n_rows))
    for order in range(n_orders):
        rank = rng.permutation(neighbors.n_rows)
        for index, size in enumerate(used):
            near = nearest_among(neighbors, rank < size, k)
            loss[order, index] = _losses(target[near], target, n_classes, score)
    errors = _error_of(loss.mean(axis=2), score)
    drawn = _error_of(_bootstrap_losses(loss, n_draws, rng), score)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    error = _error_of(loss.mean(axis=(0, 2)), score)
    floor = max(error[0], 1e-300) / neighbors.n_rows
    weight = used / np.maximum(error, floor)  # the variance of a count is its mean
    law = fit_power_law(used, error[None], weight)[0]
    decisions.add("train_sizes", list(map(int, used)), f"each in {n_orders} random orders")
    return LearningCurve(
        used,
        errors,
        error,
        low,
        high,
        (float(law[0]), float(law[1]), float(law[2])),
        k,
        score,
        decisions,
        fit_power_law(used, drawn, weight),
    )


def nearest_among(neighbors: SelfSearch, sampled: AnyArray, k: int) -> Rows:
    """Return the `k` nearest of every row among the sampled ones, from longer and longer lists."""
    near = np.empty((neighbors.n_rows, k), np.int64)
    waiting, width = (
        np.arange(neighbors.n_rows),
        min(max(neighbors.row.shape[1], k), neighbors.n_rows - 1),
    )
    while len(waiting):
        lacking = []
        step = max(1, NEIGHBORS_AT_ONCE // width)
        for begin in range(0, len(waiting), step):
            part = waiting[begin : begin + step]
            row = neighbors.of(part, width).row
            may = sampled[row]
            enough = may.sum(axis=1) >= k
            first = may[enough] & (np.cumsum(may[enough], axis=1) <= k)
            near[part[enough]] = row[enough][first].reshape(-1, k)
            lacking.append(part[~enough])
        waiting, width = np.concatenate(lacking), min(2 * width, neighbors.n_rows - 1)
    return near


def majority(labels: Rows, n_classes: int) -> Rows:
    """Return the most frequent class in each row of `labels`, of tied ones that of the nearest.

    `labels` are those of neighbors, nearest first, equal distances by row number.
    """
    queries, k = labels.shape
    if k == 1:
        return labels[:, 0]
    votes = np.zeros((queries, n_classes))
    np.add.at(votes, (np.arange(queries)[:, None], labels), 1.0)
    mine = np.take_along_axis(votes, labels, axis=1)  # votes of each neighbor's class
    winner: Rows = labels[np.arange(queries), mine.argmax(axis=1)]
    return winner


def fit_power_law(sizes: Rows, errors: Array, weight: AnyArray) -> Array:
    r"""Return a, b, c of :math:`a + b n^{-c}` for every row of `errors`; a, b not negative.

    For each of 200 exponents c from 0.01 to 2, a and b are those of weighted least squares, or
    on the border where one would be negative; the best c is kept.
    """
    weight = weight / weight.sum()
    mean = errors @ weight
    best = np.column_stack([mean, np.zeros(len(errors)), np.full(len(errors), DECAY_EXPONENTS[0])])
    least = ((errors - mean[:, None]) ** 2) @ weight
    for c in DECAY_EXPONENTS:
        z = (sizes / sizes[0]) ** -c
        residual = z - weight @ z
        b = np.maximum((errors @ (weight * residual)) / max(weight @ residual**2, 1e-300), 0.0)
        a = mean - b * (weight @ z)
        through = (errors @ (weight * z)) / (weight @ z**2)
        a, b = np.where(a < 0, 0.0, a), np.where(a < 0, through, b)
        loss = ((errors - a[:, None] - b[:, None] * z) ** 2) @ weight
        better = loss < least
        least = np.where(better, loss, least)
        law = np.column_stack([a, b * sizes[0] ** c, np.full(len(errors), c)])
        best[better] = law[better]
    return best


def _score(score: str, *, numeric: bool) -> str:
    """Return what is measured, or raise where `y` is not of that kind."""
    known = ("rmse", "mae") if numeric else ("error",)
    check_choice("score", score, ("auto", "error", "rmse", "mae"))
    if score not in ("auto", *known):
        kind = "numbers" if numeric else "classes"
        raise ParameterError(
            f"score={score!r} does not measure {kind}. Choose one of {', '.join(known)}, or task=."
        )
    return known[0] if score == "auto" else score


def _losses(near: AnyArray, target: AnyArray, n_classes: int | None, score: str) -> Array:
    """Return the loss of every row, from its neighbors' classes or numbers."""
    if n_classes is not None:
        return np.asarray(majority(near, n_classes) != target, np.float64)
    difference: Array = near.mean(axis=1) - target
    return np.abs(difference) if score == "mae" else difference**2


def _error_of(mean: Array, score: str) -> Array:
    """Return the error of a mean loss: the root of a squared one."""
    return np.sqrt(mean) if score == "rmse" else mean


def _law(abc: Array, n: Array) -> Array:
    a, b, c = np.moveaxis(abc, -2, 0)
    law: Array = a + b * n**-c
    return law


def _width(n_rows: int, least: int, k: int) -> int:
    """Return how long lists must be for nearly all rows to find `k` of the smallest sample."""
    return max(k, min(4 * k * n_rows // least, MAX_CACHED_NEIGHBORS // n_rows, n_rows - 1))


def _train_sizes(sizes: Any, n_rows: int, k: int) -> Rows:
    least = k + 1  # a row that is sampled is left out of its own sample
    if n_rows < least:
        raise ShapeError(f"k={k} needs at least {least} rows, X has {n_rows}. Give more rows.")
    if sizes is None:
        halves = [n_rows >> step for step in range(SAMPLE_HALVINGS, -1, -1)]
        return np.array([m for m in halves if m >= max(MIN_ROWS_OF_A_SAMPLE, least)] or [n_rows])
    used = np.unique([check_int("train_sizes", int(m), least=least, most=n_rows) for m in sizes])
    return used.astype(np.int64)


def _bootstrap_losses(loss: Array, n_draws: int, rng: np.random.Generator) -> Array:
    """Return the mean losses (draws, sizes) of bootstrap samples of rows and orders."""
    n_orders, n_sizes, n_rows = loss.shape
    drawn = np.empty((n_draws, n_sizes))
    for draw in range(n_draws):
        times = np.bincount(rng.integers(n_orders, size=n_orders), minlength=n_orders)
        weight = np.bincount(rng.integers(n_rows, size=n_rows), minlength=n_rows) / n_rows
        each = np.array([[loss[o, s] @ weight for s in range(n_sizes)] for o in range(n_orders)])
        drawn[draw] = times @ each / n_orders
    return drawn
