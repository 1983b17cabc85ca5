"""Sums of kernels over the rows near a query: what is left out is proven too small to show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.models.election import Electorate
from lookalike.models.supervised import SupervisedNeighbors, rows_of
from lookalike.typing import Array, Rows

LEFT_OUT = 1e-16  # of a sum, at most
PAIRS = 2**22  # neighbours in hand at once
LIKE = 1.03  # radii of queries that are asked together differ by less
GRID = 25  # widths tried
SAMPLE = 1000  # rows left out in turn while a width is chosen


class Near(NamedTuple):
    """Rows around some queries, nearest first within each."""

    part: Rows  # the numbers of the queries
    query: Rows  # for every pair the place of its query in `part`
    row: Rows  # for every pair its row
    squared: Array  # for every pair its squared distance
    first: Array  # (queries,), the squared distance of the nearest


def gaussian_reach(bandwidth: float, n_rows: int, spread: float = 1.0) -> float:
    r"""Return how much the squared distance of rows that matter exceeds that of the nearest.

    Of n kernels, those with :math:`d^2 > d_{(1)}^2 + 2 \sigma^2 \log(n s / \epsilon)` add less
    than :math:`\epsilon` of the largest, where weights differ by a factor s at most.
    """
    return float(2 * bandwidth**2 * np.log(n_rows * max(spread, 1.0) / LEFT_OUT))


def rows_that_matter(
    model: SupervisedNeighbors,
    queries: Array,
    exclude: Rows | None,
    *,
    beyond: float = 0.0,
    within: float = 0.0,
) -> Iterator[Near]:
    """Give the rows around the queries, some queries at a time.

    Rows with a squared distance up to the nearest one's plus `beyond` are given, and all rows
    up to distance `within`.
    """
    nearest = _nearest(model, queries, exclude)
    radius = np.maximum(np.sqrt(nearest**2 + beyond) * (1 + 1e-12), within)
    order = np.argsort(radius, kind="stable")  # queries of like reach are asked together
    begin, batch = 0, max(1, PAIRS // model.n_samples_fit_)
    while begin < len(order):
        alike = np.searchsorted(radius[order], LIKE * radius[order[begin]], side="right")
        part = order[begin : min(begin + batch, int(alike))]
        found = model._index.query_radius(
            rows_of(queries, part),
            float(radius[part[-1]]),
            exclude=None if exclude is None else exclude[part],
            threads=model._query_threads(),
        )
        query = np.repeat(np.arange(len(part)), np.diff(found.start))
        kept = found.distance <= radius[part][query]
        query, squared = query[kept], found.distance[kept] ** 2
        yield Near(part, query, found.row[kept], squared, nearest[part] ** 2)
        begin += len(part)
        batch = max(1, min(4 * batch, PAIRS * len(part) // max(1, len(kept))))


def _nearest(model: SupervisedNeighbors, queries: Array, exclude: Rows | None) -> Array:
    """Return the distance of the nearest row that has any weight."""
    nearest = np.empty(queries.shape[0])
    waiting, k = np.arange(queries.shape[0]), 1
    most = model.n_samples_fit_ - (exclude is not None)
    while len(waiting):
        without = None if exclude is None else exclude[waiting]
        found = model._index.query(
            rows_of(queries, waiting), k, exclude=without, threads=model._query_threads()
        )
        counts = np.ones(found.row.shape, bool)
        if model._weight is not None:
            counts = model._weight[found.row] > 0
        nearest[waiting] = found.distance[np.arange(len(waiting)), counts.argmax(axis=1)]
        waiting = waiting[~counts.any(axis=1)] if k < most else waiting[:0]
        k = min(2 * k, most)
    return nearest


def squares(electorate: Electorate) -> Array:
    """Return the squared distance of every row to its nearest other one."""
    nearest: Array = electorate.search(np.arange(electorate.n_queries), 1).distance[:, 0]
    return nearest**2


def widths(nearest: Array, total_variance: float) -> Array:
    """Return kernel widths to try, from a small part of the nearest distance to half the spread."""
    near = np.sqrt(np.median(nearest[nearest > 0])) if (nearest > 0).any() else 1.0
    far = max(near, np.sqrt(total_variance)) / 2
    return np.geomspace(near / 20, max(far, near / 2), GRID)


def gaussians(near: Near, bandwidth: float) -> Array:
    """Return the Gaussian kernel of every pair, as a part of that of the nearest row."""
    gap = np.sqrt(np.maximum(near.squared - near.first[near.query], 0.0))
    return np.exp(-in_widths(gap, bandwidth) / 2)


def in_widths(distance: Array, bandwidth: float) -> Array:
    """Return the square of a distance in bandwidths; infinite where that is too large."""
    with np.errstate(over="ignore"):
        squared: Array = (distance / bandwidth) ** 2
    return squared


def sample_of(n_rows: int) -> Rows:
    """Return the rows that are left out in turn: all, or a sample that is always the same."""
    if n_rows <= SAMPLE:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, SAMPLE, replace=False))


def check_bandwidth(bandwidth: object, chosen: tuple[str, ...]) -> None:
    """Raise unless `bandwidth` is a number above zero or one of the ways to choose one."""
    if isinstance(bandwidth, str):
        if bandwidth in chosen:
            return
        raise ParameterError(
            f"bandwidth={bandwidth!r} is not known. Give a number or one of {', '.join(chosen)}."
        )
    if isinstance(bandwidth, bool) or not isinstance(bandwidth, (int, float, np.number)):
        raise ParameterTypeError(f"bandwidth={bandwidth!r} is not a number. Give one above 0.")
    if not 0 < bandwidth < np.inf:
        raise ParameterError(f"bandwidth={bandwidth} is out of range. Give a number above 0.")
