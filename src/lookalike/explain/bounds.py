"""Bayes error bounds from the nearest-neighbor error, and the rows that it needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lookalike.confidence import wilson
from lookalike.data.targets import as_finite
from lookalike.errors import ParameterError
from lookalike.explain.self_search import self_search
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.targets import coded_labels
from lookalike.typing import Array
from lookalike.validation import check_float, check_int, is_float, shown, typed


@dataclass(frozen=True)
class BayesBracket:
    """Estimated Bayes error, bracketed by the error of the nearest neighbor.

    :func:`bayes_error_bracket` has the inequality.

    Attributes
    ----------
    error : float
        Of the nearest neighbor.
    error_interval : tuple of float
        Its confidence interval; the error twice where the number of rows is not known.
    low, high : float
        The bracket for `error`.
    interval : tuple of float
        From the low end for the smallest to the high end for the largest error of its interval.
    n_classes : int
        M.
    n_rows : int or None
        Rows of which `error` is the share.
    confidence : float
        Of `error_interval`.
    """

    error: float
    error_interval: tuple[float, float]
    low: float
    high: float
    interval: tuple[float, float]
    n_classes: int
    n_rows: int | None
    confidence: float

    def __str__(self) -> str:
        text = f"Bayes error {self.low:.4g} to {self.high:.4g}"
        if self.n_rows is None:
            return text
        low, high = self.interval
        return f"{text}; with {self.confidence:.0%} confidence {low:.4g} to {high:.4g}"


@typed
def bayes_error_bracket(
    error: float, n_classes: int, n_rows: int | None = None, *, confidence: float = 0.95
) -> BayesBracket:
    r"""Bracket the Bayes error by the error of the nearest neighbor.

    For many rows the nearest neighbor errs with :math:`R_{NN}`, and with M classes

    .. math:: R^* \le R_{NN} \le R^* \left(2 - \frac{M}{M-1} R^*\right)

    [LUMS; Cover67]. Read the other way,

    .. math:: \frac{M-1}{M} \left(1 - \sqrt{1 - \frac{M}{M-1} R_{NN}}\right) \le R^* \le R_{NN}.

    Both ends rise with :math:`R_{NN}`, so that its Wilson interval [Wilson27] becomes theirs.
    The theorem is about the limit of many rows; with few, :math:`R_{NN}` has not converged.
    No classifier need err more often than :math:`(M-1)/M`, by which both ends are limited.

    Parameters
    ----------
    error : float
        Error rate of the nearest neighbor.
    n_classes : int
        M, at least 2.
    n_rows : int, optional
        Rows of which `error` is the share; without it there is no interval.
    confidence : float, default=0.95
        Of the interval.

    Examples
    --------
    >>> print(bayes_error_bracket(0.18, 2))
    Bayes error 0.1 to 0.18
    >>> print(bayes_error_bracket(0.18, 2, 1000))
    Bayes error 0.1 to 0.18; with 95% confidence 0.08613 to 0.205
    """
    error = check_float("error", error, least=0.0, most=1.0)
    n_classes = check_int("n_classes", n_classes, least=2)
    ends = (error, error)
    if n_rows is not None:
        ends = wilson(error, check_int("n_rows", n_rows, least=1), confidence)
    return BayesBracket(
        error,
        ends,
        _least_bayes(error, n_classes),
        _most_bayes(error, n_classes),
        (_least_bayes(ends[0], n_classes), _most_bayes(ends[1], n_classes)),
        n_classes,
        n_rows,
        confidence,
    )


@typed
def measured_bayes_bracket(
    X: object, y: object, *, confidence: float = 0.95, search: NearestNeighbors | None = None
) -> BayesBracket:
    """Bracket the Bayes error by the leave-one-out error of the nearest neighbor.

    Of equally near rows the one of the smallest number is taken. Duplicates of a row predict each
    other: `audit` flags them.

    Parameters
    ----------
    X : table or SelfSearch
        The rows, or a search of them made by :func:`self_search`.
    y : array of shape (n_rows,)
        Labels of any one kind.
    confidence : float, default=0.95
        Of the interval.
    search : NearestNeighbors, optional
        How to search: metric, engine, threads.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> print(measured_bayes_bracket(*load_iris(return_X_y=True)))
    Bayes error 0.02031 to 0.04; with 95% confidence 0.009294 to 0.08451
    """
    neighbors = self_search(X, 1, search=search)
    classes, codes = coded_labels(y, neighbors.n_rows)
    if len(classes) < 2:
        raise ParameterError(f"All labels are {classes.tolist()[0]!r}. Give rows of another class.")
    wrong = codes[neighbors.first(1).row[:, 0]] != codes
    return bayes_error_bracket(
        float(wrong.mean()), len(classes), neighbors.n_rows, confidence=confidence
    )


@typed
def nn_error_bound(n: object, d: int, c: float, bayes_error: float = 0.0) -> float | Array:
    r"""Return the bound on the error of the nearest neighbor after `n` rows.

    .. math:: E[L] \le 2 L^* + 4 c \sqrt d \, N^{-1/(d+1)}

    for rows of :math:`[0, 1]^d`, two classes, and a class probability that changes by at most c
    times the distance [UGR]. A bound above 1 says nothing.

    Parameters
    ----------
    n : int or array of int
        Rows, at least 1.
    d : int
        Columns.
    c : float
        How fast the probability of a class may change.
    bayes_error : float, default=0.0
        :math:`L^*`, the error of the best classifier.

    Examples
    --------
    >>> round(nn_error_bound(10**6, 2, 1.0, 0.05), 4)
    0.1566
    """
    d, c = check_int("d", d, least=1), check_float("c", c, least=0.0)
    bayes_error = check_float("bayes_error", bayes_error, least=0.0, most=1.0)
    rows = np.asarray(n) if is_float(n) else as_finite(n, "n", "Give at least one row.")
    if not (rows >= 1).all():
        raise ParameterError(f"n={shown(n)} is out of range. Give at least one row.")
    rows = rows.astype(np.float64)
    bound = 2 * bayes_error + 4 * c * math.sqrt(d) * rows ** (-1 / (d + 1))
    return float(bound) if bound.ndim == 0 else bound


@typed
def nn_sample_size(epsilon: float, d: int, c: float, *, log10: bool = False) -> tuple[float, float]:
    r"""Return how many rows keep the added error of the nearest neighbor below `epsilon`.

    .. math:: N > \left(\frac{4 c \sqrt d}{\epsilon}\right)^{d+1}, \qquad N \ge \frac{(c+1)^d}{2}

    The first is enough, the second is needed by any rule in the worst case [UGR].

    Parameters
    ----------
    epsilon : float
        Error beyond twice the Bayes error, above 0.
    d : int
        Columns.
    c : float
        How fast the probability of a class may change, above 0.
    log10 : bool, default=False
        Whether to return the decimal logarithms.

    Returns
    -------
    enough : float
        More rows than these keep the added error below `epsilon`; infinite beyond all floats.
    least : float
        Fewer rows than these can fail whatever is done.

    Examples
    --------
    >>> enough, least = nn_sample_size(0.1, 2, 1.0)
    >>> round(enough), least
    (181019, 2.0)
    >>> round(nn_sample_size(0.1, 784, 1.0, log10=True)[0])
    2394
    """
    epsilon, c = check_float("epsilon", epsilon, least=0.0), check_float("c", c, least=0.0)
    d = check_int("d", d, least=1)
    if epsilon == 0 or c == 0:
        raise ParameterError(
            f"epsilon={epsilon:g} and c={c:g} must both be above 0. Give larger ones."
        )
    base = 4 * c * math.sqrt(d) / epsilon
    if log10:
        return (d + 1) * math.log10(base), d * math.log10(c + 1) - math.log10(2)
    return _power(base, d + 1), _power(c + 1, d) / 2


def _least_bayes(error: float, n_classes: int) -> float:
    chance = (n_classes - 1) / n_classes
    share = min(error / chance, 1.0)
    return chance * share / (1 + math.sqrt(1 - share))  # 1 - sqrt(1 - s) without cancellation


def _most_bayes(error: float, n_classes: int) -> float:
    return min(error, (n_classes - 1) / n_classes)


def _power(base: float, exponent: int) -> float:
    try:
        return float(base) ** exponent
    except OverflowError:
        return math.inf
