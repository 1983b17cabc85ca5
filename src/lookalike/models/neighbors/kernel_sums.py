"""Sums of kernels over the rows near a query: what is left out is proven too small to show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lookalike.models.cross_validation import HeldOutRows
from lookalike.models.neighbors.supervised import SupervisedNeighbors, rows_of
from lookalike.typing import AnyArray, Array, Rows

LEFT_OUT = 1e-16  # of a sum, at most
PAIRS = 2**22  # neighbors in hand at once
LIKE = 1.03  # radii of queries that are asked together differ by less


class Near(NamedTuple):
    """Rows around some queries, nearest first within each; copies of a query come last."""

    part: Rows  # the numbers of the queries
    query: Rows  # for every pair the place of its query in `part`
    row: Rows  # for every pair its row
    squared: Array  # for every pair its squared distance
    weight: Array | None  # for every pair what it counts; None where each counts once
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
    left: HeldOutRows | None,
    *,
    beyond: float = 0.0,
    within: float = 0.0,
) -> Iterator[Near]:
    """Give the rows around the queries, some queries at a time.

    Rows with a squared distance up to the nearest one's plus `beyond` are given, and all rows
    up to distance `within`; of queries that are rows of fit, not what is left out with them.
    """
    nearest = nearest_squares(model, queries, left)
    radius = np.maximum(np.sqrt(nearest + beyond) * (1 + 1e-12), within)
    order = np.argsort(radius, kind="stable")  # queries of like reach are asked together
    begin, batch = 0, max(1, PAIRS // model.n_samples_fit_)
    while begin < len(order):
        alike = np.searchsorted(radius[order], LIKE * radius[order[begin]], side="right")
        part = order[begin : min(begin + batch, int(alike))]
        found = model._index.query_radius(
            rows_of(queries, part),
            float(radius[part[-1]]),
            exclude=None if left is None else left.row[part],
            threads=model._query_threads(),
        )
        query = np.repeat(np.arange(len(part)), np.diff(found.start))
        kept = found.distance <= radius[part][query]
        if left is not None:
            kept &= may_be_asked(left, part[query], found.row)
        query, squared, row = query[kept], found.distance[kept] ** 2, found.row[kept]
        weight = None if model._weight is None else model._weight[row]
        copies = copies_left(model, left)
        if weight is not None and copies is not None:
            own = np.flatnonzero(copies[part])
            query, squared = np.append(query, own), np.append(squared, np.zeros(len(own)))
            weight = np.append(weight, copies[part[own]])
            row = row if left is None else np.append(row, left.row[part[own]])
        yield Near(part, query, row, squared, weight, nearest[part])
        begin += len(part)
        batch = max(1, min(4 * batch, PAIRS * len(part) // max(1, len(kept))))


def nearest_squares(model: SupervisedNeighbors, queries: Array, left: HeldOutRows | None) -> Array:
    """Return the squared distance of the nearest row that has any weight, 0 where copies stay."""
    nearest = np.full(queries.shape[0], np.inf)
    copies = copies_left(model, left)
    waiting, k = np.arange(queries.shape[0]), 1
    if copies is not None:
        nearest[copies > 0] = 0.0
        waiting = np.flatnonzero(copies == 0)
    most = model.n_samples_fit_ - (left is not None)
    while len(waiting) and most:
        without = None if left is None else left.row[waiting]
        found = model._index.query(
            rows_of(queries, waiting), k, exclude=without, threads=model._query_threads()
        )
        counts = np.ones(found.row.shape, bool)
        if model._weight is not None:
            counts = model._weight[found.row] > 0
        if left is not None:
            counts &= may_be_asked(left, waiting[:, None], found.row)
        any_found = counts.any(axis=1)
        first = found.distance[np.arange(len(waiting)), counts.argmax(axis=1)]
        nearest[waiting[any_found]] = first[any_found] ** 2
        waiting = waiting[~any_found] if k < most else waiting[:0]
        k = min(2 * k, most)
    return nearest


def copies_left(model: SupervisedNeighbors, left: HeldOutRows | None) -> Array | None:
    """Return how many copies stay of rows that are left out alone; None where none can."""
    if left is None or left.part is not None or model._weight is None:
        return None
    copies: Array = np.maximum(model._weight[left.row] - 1.0, 0.0)
    return copies


def may_be_asked(left: HeldOutRows, query: Rows, row: Rows) -> AnyArray:
    """Tell of pairs whether the row is of another part than the query."""
    if left.part is None:
        return np.ones(row.shape, bool)
    apart: AnyArray = left.part[row] != left.part[left.row[query]]
    return apart


def gaussians(near: Near, bandwidth: float) -> Array:
    """Return what every pair counts by a Gaussian, as a part of that of the nearest row."""
    gap = np.sqrt(np.maximum(near.squared - near.first[near.query], 0.0))
    kernel = np.exp(-in_widths(gap, bandwidth) / 2)
    return kernel if near.weight is None else kernel * near.weight


def in_widths(distance: Array, bandwidth: float) -> Array:
    """Return the square of a distance in bandwidths; infinite where that is too large."""
    with np.errstate(over="ignore"):
        squared: Array = (distance / bandwidth) ** 2
    return squared
