"""Mislabels: how probable it is that a label is wrong, from the labels of the neighbors."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln, roots_jacobi, xlogy

from lookalike.decisions import Decisions
from lookalike.explain.self_search import SelfSearch
from lookalike.typing import AnyArray, Array, Rows

WIDEST = 4  # times k: the most neighbors searched for k of other groups
NODES = 48  # of the integrals over s
TINY = np.finfo(np.float64).tiny


def label_errors(votes: Array, codes: Rows) -> tuple[Array, Rows, float]:
    r"""Return how probable it is that each label is wrong.

    The model: where row i lies, class g is true with probability s, which is drawn from
    Beta(a, b); a label is wrong with probability :math:`\rho`, wherever it stands, and is then
    any other of the M classes. The label and its K neighbors' labels, the row itself left out,
    each are g with

    .. math:: u(s) = s (1 - \rho) + (1 - s) \frac{\rho}{M - 1},

    of which v neighbors have probability :math:`B(v | K, u)`. a, b and :math:`\rho` are those of
    the largest likelihood over all rows and classes. Then for a row labeled g

    .. math:: P(\text{wrong} | v) = \frac{\int B(v | K, u) (1 - s) \frac{\rho}{M-1} dF(s)}
                                         {\int B(v | K, u) u \, dF(s)}.

    Disagreement that is the same everywhere is taken for noise, disagreement that is larger in
    some places for classes that overlap there. The probabilities are right where classes are
    separated; where they overlap much and labels are wrong as well, they are too high (by half,
    of normal classes two deviations apart with a tenth of the labels wrong).

    Parameters
    ----------
    votes : array of shape (n_rows, n_classes)
        Neighbors of each class, the row itself left out.
    codes : array of shape (n_rows,)
        The class of each row by number.

    Returns
    -------
    probability, suggested : ndarray of shape (n_rows,)
        That the label is wrong, and the class by number that fits better.
    noise : float
        Share of all labels that are wrong.
    """
    n_rows, n_classes = votes.shape
    everyone = np.arange(n_rows)
    others = votes.copy()
    others[everyone, codes] = -1
    if n_classes == 1:
        return np.zeros(n_rows), codes, 0.0
    count = votes.astype(np.int64)
    tables = [
        _Table(int(k), count[here], codes[here])
        for k in np.unique(count.sum(axis=1))
        for here in [np.flatnonzero(count.sum(axis=1) == k)]
    ]
    a, b, noise = _fitted(tables, n_classes)
    probability = np.empty(n_rows)
    for table in tables:
        here = np.flatnonzero(count.sum(axis=1) == table.k)
        right, _, wrong = _chances(table.k, a, b, noise, n_classes)
        share = wrong / np.maximum(right, TINY)
        probability[here] = np.minimum(share, 1.0)[count[here, codes[here]]]
    return probability, others.argmax(axis=1), noise


def leave_one_out_votes(
    search: SelfSearch, codes: Rows, k: int, groups: Rows | None, decisions: Decisions
) -> Array:
    """Return the votes (n_rows, n_classes) of the `k` nearest rows, none of the row's own group."""
    n_rows, n_classes = search.n_rows, int(codes.max()) + 1
    row, may = leave_one_out_voters(search, k, groups, decisions)
    place = np.arange(n_rows)[:, None] * n_classes + codes[row]
    counts = np.bincount(place[may], minlength=n_rows * n_classes)
    return counts.reshape(n_rows, n_classes).astype(np.float64)


def leave_one_out_voters(
    search: SelfSearch, k: int, groups: Rows | None, decisions: Decisions
) -> tuple[Rows, AnyArray]:
    """Return neighbors of every row, and which are its `k` nearest of other groups."""
    if groups is None:
        row = search.first(k).row
        return row, np.ones(row.shape, bool)
    largest = int(np.bincount(groups).max())
    width = min(k + largest - 1, WIDEST * k, search.n_rows - 1)
    row = search.first(width).row
    may = groups[row] != groups[:, None]
    may &= np.cumsum(may, axis=1) <= k
    short = np.count_nonzero(may.sum(axis=1) < k)
    if short:
        reason = f"no more rows of other groups are among the {width} nearest"
        decisions.add("groups", f"{short} rows have fewer than {k} voters", reason)
    return row, may


class _Table:
    """Of rows with `k` voters: how often v of them are of a class that the row has, or has not."""

    def __init__(self, k: int, count: Rows, codes: Rows) -> None:
        own = np.zeros(count.shape, bool)
        own[np.arange(len(count)), codes] = True
        self.k = k
        self.yes = np.bincount(count[own], minlength=k + 1)
        self.no = np.bincount(count[~own], minlength=k + 1)


def _fitted(tables: list[_Table], n_classes: int) -> tuple[float, float, float]:
    """Return a, b and the noise of the largest likelihood, by a simplex from fixed starts."""

    def negative_log_likelihood(t: Array) -> float:
        total = 0.0
        for table in tables:
            yes, no, _ = _chances(table.k, *_natural(t, n_classes), n_classes)
            total -= float(table.yes @ np.log(np.maximum(yes, TINY)))
            total -= float(table.no @ np.log(np.maximum(no, TINY)))
        return total / sum(int(table.yes.sum()) for table in tables)

    options = {"maxiter": 600, "xatol": 1e-4, "fatol": 1e-9}
    tried = []
    for noise in (-2.0, -6.0):  # much and little
        start = np.array([np.log(0.3 / n_classes), np.log(0.3 - 0.3 / n_classes), noise])
        tried.append(
            minimize(negative_log_likelihood, start, method="Nelder-Mead", options=options)
        )
    return _natural(min(tried, key=lambda fit: fit.fun).x, n_classes)


def _natural(t: Array, n_classes: int) -> tuple[float, float, float]:
    a, b = np.exp(np.clip(t[:2], -6.0, 4.0))
    chance = (n_classes - 1) / n_classes  # more noise than this would be no label at all
    return float(a), float(b), float(chance / (1 + np.exp(-np.clip(t[2], -20.0, 20.0))))


def _chances(
    k: int, a: float, b: float, noise: float, n_classes: int
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the probabilities, for v = 0..k, of v with the label, another one, a wrong one."""
    x, weight = roots_jacobi(NODES, b - 1, a - 1)  # the integral over Beta(a, b)
    s, stray = (x + 1) / 2, noise / (n_classes - 1)
    u = s * (1 - noise) + (1 - s) * stray
    v = np.arange(k + 1)[:, None]
    ways = gammaln(k + 1) - gammaln(v + 1) - gammaln(k - v + 1)
    chance = np.exp(ways + xlogy(v, u) + xlogy(k - v, 1 - u)) * (weight / weight.sum())
    return chance @ u, chance @ (1 - u), chance @ ((1 - s) * stray)
