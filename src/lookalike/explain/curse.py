"""Curse of dimensionality: what many features do to neighbors, in theory and in the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from lookalike.decisions import Decisions
from lookalike.errors import ParameterTypeError
from lookalike.explain.dimension import two_nn
from lookalike.explain.self_search import SelfSearch, self_search
from lookalike.index.base import Neighbors
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.printable import number
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_int, typed

SHELL_EPSILONS = (0.1, 0.01)
CONCENTRATION_SAMPLE_ROWS = 1000  # rows whose distances are all computed


@dataclass(frozen=True)
class DimensionalityReport:
    """The result of `dimensionality_report`.

    Attributes
    ----------
    n_rows, n_features : int
        Of the data.
    shells : mapping
        The share of rows in the outer shell of each thickness, of the ball around the mean with the
        farthest row on its surface; :func:`shell_fraction` gives that of uniform rows.
    empty_bins : mapping
        The share of empty cells of a histogram over the 1, 2 and 3 columns of largest variance, by
        number of columns; :func:`empty_fraction` gives that of uniform rows.
    n_bins : int
        Bins along each axis.
    distance_spread : float
        Deviation of the distances between rows, as a share of their mean.
    distance_contrast : float
        Mean distance to any row / mean distance to the nearest.
    radius_spread : float
        Deviation of the distances from the mean row, as a share of their mean.
    k : int
        Neighbors of hubness.
    hubness : float
        Skewness of the k-occurrences; 0 where no row is preferred.
    occurrences : ndarray of shape (n_rows,)
        How often each row is among the k nearest of others.
    dimension : float
        Intrinsic: TwoNN.
    dimension_interval : tuple of float
        Its 95% confidence interval.
    decisions : Decisions
        What was decided, and why.
    """

    n_rows: int
    n_features: int
    shells: Mapping[float, float]
    empty_bins: Mapping[int, float]
    n_bins: int
    distance_spread: float
    distance_contrast: float
    radius_spread: float
    k: int
    hubness: float
    occurrences: Rows
    dimension: float
    dimension_interval: tuple[float, float]
    decisions: Decisions

    def __str__(self) -> str:
        low, high = self.dimension_interval
        return (
            f"{self.n_rows} rows of {self.n_features} columns, intrinsic dimension "
            f"{self.dimension:.1f} ({low:.1f} to {high:.1f}); mean distance "
            f"{number(self.distance_contrast)} times that to the nearest row; "
            f"hubness {number(self.hubness)}"
        )


def shell_fraction(epsilon: object, d: object) -> float | AnyArray:
    r"""Return the share of a ball that lies in its outer shell of thickness `epsilon`.

    .. math:: \frac{V(1) - V(1 - \epsilon)}{V(1)} = 1 - (1 - \epsilon)^D

    [LUMS]. Computed so that neither it nor one less it loses digits.

    Examples
    --------
    >>> shell_fraction(0.1, [1, 2, 10]).round(2)
    array([0.1 , 0.19, 0.65])
    """
    share = -np.expm1(np.asarray(d, np.float64) * np.log1p(-np.asarray(epsilon, np.float64)))
    return float(share) if share.ndim == 0 else share


def inner_fraction(epsilon: object, d: object) -> float | AnyArray:
    r"""Return the share of a ball that lies inside the shell, :math:`(1 - \epsilon)^D` [LUMS].

    Examples
    --------
    >>> f"{inner_fraction(0.1, 400):.4e}"
    '4.9774e-19'
    """
    share = np.exp(np.asarray(d, np.float64) * np.log1p(-np.asarray(epsilon, np.float64)))
    return float(share) if share.ndim == 0 else share


def points_per_bin(n_rows: int, n_bins: int, d: int) -> float:
    r"""Return the mean number of rows in a cell, :math:`N / B^D` [UCSD].

    Examples
    --------
    >>> [points_per_bin(100, 10, d) for d in (1, 2, 3)]
    [10.0, 1.0, 0.1]
    """
    return float(n_rows * float(n_bins) ** -d)


def empty_fraction(n_rows: int, n_bins: int, d: int) -> float:
    r"""Return the share of cells expected empty of uniform rows, :math:`(1 - B^{-D})^N` [UCSD].

    Examples
    --------
    >>> round(empty_fraction(100, 10, 3), 3)  # "9 out of each 10 bins are empty"
    0.905
    """
    if n_bins == 1:
        return 0.0
    return float(np.exp(n_rows * np.log1p(-(float(n_bins) ** -d))))


@typed
def dimensionality_report(
    X: object,
    *,
    k: int = 10,
    n_bins: int = 10,
    random_state: int = 0,
    search: NearestNeighbors | None = None,
) -> DimensionalityReport:
    """Measure how much the rows are affected by the curse of dimensionality.

    Shells and bins compare the rows with uniformly distributed ones. Distances are compared
    with each other among at most 1000 rows drawn at random. Hubness is the skewness of the
    k-occurrences [Radovanovic10]. The intrinsic dimension comes from the ratio of the distances
    to the two nearest neighbors [Facco17], exact duplicates aside; its interval takes rows
    for independent, which makes it somewhat narrow.

    Parameters
    ----------
    X : table or SelfSearch
        The rows, or a search of them made by :func:`self_search`.
    k : int, default=10
        Neighbors of hubness, at least 2.
    n_bins : int, default=10
        Bins along each axis.
    random_state : int, default=0
        Random seed of the rows whose distances are compared.
    search : NearestNeighbors, optional
        How to search: metric, engine, threads.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(500, 20))
    >>> print(dimensionality_report(X))
    500 rows of 20 columns, intrinsic dimension 17.4 (16.0 to 19.2); mean distance 1.652
    times that to the nearest row; hubness 2.114
    """
    k, n_bins = check_int("k", k, least=2), check_int("n_bins", n_bins, least=1)
    neighbors = self_search(X, k, search=search)
    rows = _dense(neighbors)
    distance, row = neighbors.first(k)
    occurrences = np.bincount(row.ravel(), minlength=neighbors.n_rows)
    dimension, interval = two_nn(Neighbors(distance, row))
    decisions = neighbors.decisions
    if neighbors.n_rows > CONCENTRATION_SAMPLE_ROWS:
        decisions.add(
            "concentration", f"of {CONCENTRATION_SAMPLE_ROWS} rows", "drawn at random from all"
        )
    return DimensionalityReport(
        neighbors.n_rows,
        neighbors.n_features,
        _shells(rows),
        _empty_bins(rows, n_bins),
        n_bins,
        *_concentration(neighbors, rows, random_state),
        k,
        _skewness(occurrences),
        occurrences,
        dimension,
        interval,
        decisions,
    )


def _dense(neighbors: SelfSearch) -> Array:
    rows = neighbors.model.space_.queries(None)
    if sp.issparse(rows) or not isinstance(rows, np.ndarray):
        raise ParameterTypeError("Shells and bins need dense rows of numbers. Give an array.")
    return rows.astype(np.float64, copy=False)


def _shells(rows: Array) -> dict[float, float]:
    radius = np.linalg.norm(rows - rows.mean(axis=0), axis=1)
    most = radius.max()
    return {epsilon: float(np.mean(radius > (1 - epsilon) * most)) for epsilon in SHELL_EPSILONS}


def _empty_bins(rows: Array, n_bins: int) -> dict[int, float]:
    """Fill the cells over the one, two and three columns of the largest variance."""
    widest = np.argsort(-rows.var(axis=0), kind="stable")[:3]
    low, high = rows[:, widest].min(axis=0), rows[:, widest].max(axis=0)
    scaled = (rows[:, widest] - low) / np.where(high > low, high - low, 1.0)
    bin_of = np.minimum((scaled * n_bins).astype(np.int64), n_bins - 1)
    cells = {d: bin_of[:, :d] @ n_bins ** np.arange(d) for d in range(1, len(widest) + 1)}
    return {d: 1 - len(np.unique(cell)) / n_bins**d for d, cell in cells.items()}


def _concentration(
    neighbors: SelfSearch, rows: Array, random_state: int
) -> tuple[float, float, float]:
    """Return the spread and the contrast of the distances, and the spread of the radius."""
    nearest = float(neighbors.distance[:, 0].mean())
    if neighbors.n_rows > CONCENTRATION_SAMPLE_ROWS and neighbors.model.metric != "precomputed":
        rng = np.random.default_rng(check_int("random_state", random_state, least=0))
        sample = rows[
            np.sort(rng.choice(neighbors.n_rows, CONCENTRATION_SAMPLE_ROWS, replace=False))
        ]
        distance = self_search(
            sample, CONCENTRATION_SAMPLE_ROWS - 1, search=neighbors.model
        ).distance
    else:
        distance = neighbors.first(neighbors.n_rows - 1).distance
    mean = float(distance.mean())
    radius = np.linalg.norm(rows - rows.mean(axis=0), axis=1)
    return (
        float(distance.std() / mean) if mean > 0 else 0.0,
        mean / nearest if nearest > 0 else np.inf,
        float(radius.std() / radius.mean()) if radius.any() else 0.0,
    )


def _skewness(occurrences: Rows) -> float:
    difference = occurrences - occurrences.mean()
    spread = difference.std()
    return float((difference**3).mean() / spread**3) if spread > 0 else 0.0
