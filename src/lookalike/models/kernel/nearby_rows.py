"""Sums of kernels over the rows near a query; the rest is proven to be negligible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lookalike.index.rescale import scales_of
from lookalike.models.cross_validation import HeldOutRows
from lookalike.models.neighbors.supervised import SupervisedNeighbors, rows_of
from lookalike.reductions.columns import require_columns_fit
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix

NEGLIGIBLE_SUM_SHARE = 1e-16  # of a sum, at most
NEIGHBOR_PAIRS_IN_MEMORY = 2**22  # neighbors in memory at once
MAX_RADIUS_RATIO = 1.03  # radii of queries that are searched together differ by less
LARGEST_DISTANCE = float(np.finfo(np.float64).max)


class NearbyRows(NamedTuple):
    """Rows around some queries, nearest first within each; copies of a query come last."""

    part: Rows  # the numbers of the queries
    query: Rows  # for every pair the place of its query in `part`
    row: Rows  # for every pair its row
    squared: Array  # for every pair its squared distance, in units
    weight: Array | None  # for every pair what it counts; None where each counts once
    first: Array  # (queries,), the squared distance of the nearest, in units
    unit: Array  # (queries,), the power of two that their distances were multiplied by

    @property
    def distance(self) -> Array:
        """For every pair its distance."""
        return np.asarray(np.sqrt(self.squared) / self.unit[self.query])

    @property
    def first_squared(self) -> Array:
        """For every query the squared distance of the nearest row, infinite beyond float64."""
        with np.errstate(over="ignore"):
            return np.asarray(self.first / self.unit / self.unit)

    def in_bandwidths(self, squared: Array, bandwidth: float) -> Array:
        """Return squares of distances of pairs, in bandwidths; infinite where that overflows."""
        return in_widths(np.sqrt(squared), bandwidth * self.unit[self.query])

    def within(self, reach: Array) -> NearbyRows:
        """Return the pairs whose squared distance exceeds that of the nearest by `reach` at most.

        `reach` is in units, for every query.
        """
        kept = self.squared <= (self.first + reach)[self.query]
        weight = None if self.weight is None else self.weight[kept]
        return self._replace(
            query=self.query[kept], row=self.row[kept], squared=self.squared[kept], weight=weight
        )


def log_spread(weight: Array) -> float:
    """Return the logarithm of the factor by which weights above zero differ."""
    present = weight[weight > 0]
    return float(np.log(present.max()) - np.log(present.min()))


def gaussian_reach(bandwidth: Array, n_rows: int, log_spread: float = 0.0) -> Array:
    r"""Return how much the squared distance of rows that matter exceeds that of the nearest.

    Of n kernels, those with :math:`d^2 > d_{(1)}^2 + 2 \sigma^2 \log(n s / \epsilon)` add less
    than :math:`\epsilon` of the largest, where weights differ by a factor s at most, of which
    the logarithm is given.
    """
    return np.asarray(2 * bandwidth**2 * (np.log(n_rows / NEGLIGIBLE_SUM_SHARE) + log_spread))


def rows_that_matter(
    model: SupervisedNeighbors,
    queries: Array,
    held_out: HeldOutRows | None,
    *,
    bandwidth: float,
    log_spread: float | None,
) -> Iterator[NearbyRows]:
    """Yield the rows around the queries, some queries at a time.

    These are the nearest row and all that a Gaussian kernel of this bandwidth reaches, where
    weights differ by a factor of this logarithm; for other kernels, where that is None, all rows
    up to the bandwidth. Of queries that are training rows, without those held out with them.
    Distances of unusual size are multiplied by a power of two: squares would overflow or underflow.
    """
    # Rows beyond float64 are all as far as it can tell, and count alike.
    distance = np.minimum(nearest_distances(model, queries, held_out), LARGEST_DISTANCE)
    unit = scales_of(np.where(np.isfinite(distance), np.maximum(distance, bandwidth), 1.0))
    nearest = (distance * unit) ** 2
    with np.errstate(over="ignore"):  # an infinite radius holds all rows
        if log_spread is None:
            radius = np.maximum(np.sqrt(nearest) * (1 + 1e-12), bandwidth * unit) / unit
        else:
            beyond = gaussian_reach(bandwidth * unit, model.n_samples_fit_, log_spread)
            radius = np.sqrt(nearest + beyond) * (1 + 1e-12) / unit
    order = np.argsort(radius, kind="stable")  # queries of similar radius are searched together
    begin, batch = 0, max(1, NEIGHBOR_PAIRS_IN_MEMORY // model.n_samples_fit_)
    while begin < len(order):
        alike = np.searchsorted(
            radius[order], MAX_RADIUS_RATIO * radius[order[begin]], side="right"
        )
        part = order[begin : min(begin + batch, int(alike))]
        neighbors = model.space_.within(
            rows_of(queries, part),
            float(radius[part[-1]]),
            exclude=None if held_out is None else held_out.row[part],
            n_jobs=model.n_jobs,
        )
        query = np.repeat(np.arange(len(part)), np.diff(neighbors.start))
        kept = neighbors.distance <= radius[part][query]
        if held_out is not None:
            kept &= in_other_part(held_out, part[query], neighbors.row)
        query, row = query[kept], neighbors.row[kept]
        reached = np.minimum(neighbors.distance[kept], LARGEST_DISTANCE)
        squared = (reached * unit[part][query]) ** 2
        weight = None if model.space_.weight is None else model.space_.weight[row]
        copies = copies_left(model, held_out)
        if weight is not None and copies is not None:
            first_copies = np.flatnonzero(copies[part])
            query, squared = (
                np.append(query, first_copies),
                np.append(squared, np.zeros(len(first_copies))),
            )
            weight = np.append(weight, copies[part[first_copies]])
            row = row if held_out is None else np.append(row, held_out.row[part[first_copies]])
        yield NearbyRows(part, query, row, squared, weight, nearest[part], unit[part])
        begin += len(part)
        batch = max(1, min(4 * batch, NEIGHBOR_PAIRS_IN_MEMORY * len(part) // max(1, len(kept))))


def nearest_distances(
    model: SupervisedNeighbors, queries: Array, held_out: HeldOutRows | None
) -> Array:
    """Return the distance of the nearest row that has any weight, 0 where copies stay."""
    nearest = np.full(queries.shape[0], np.inf)
    copies = copies_left(model, held_out)
    waiting, k = np.arange(queries.shape[0]), 1
    if copies is not None:
        nearest[copies > 0] = 0.0
        waiting = np.flatnonzero(copies == 0)
    most = model.n_samples_fit_ - (held_out is not None)
    while len(waiting) and most:
        without = None if held_out is None else held_out.row[waiting]
        neighbors = model.space_.nearest(
            rows_of(queries, waiting), k, exclude=without, n_jobs=model.n_jobs
        )
        counts = np.ones(neighbors.row.shape, bool)
        if model.space_.weight is not None:
            counts = model.space_.weight[neighbors.row] > 0
        if held_out is not None:
            counts &= in_other_part(held_out, waiting[:, None], neighbors.row)
        any_neighbor = counts.any(axis=1)
        first = neighbors.distance[np.arange(len(waiting)), counts.argmax(axis=1)]
        nearest[waiting[any_neighbor]] = first[any_neighbor]
        waiting = waiting[~any_neighbor] if k < most else waiting[:0]
        k = min(2 * k, most)
    return nearest


def copies_left(model: SupervisedNeighbors, held_out: HeldOutRows | None) -> Array | None:
    """Return how many copies stay of rows that are held out alone; None where none can."""
    if held_out is None or held_out.part is not None or model.space_.weight is None:
        return None
    copies: Array = np.maximum(model.space_.weight[held_out.row] - 1.0, 0.0)
    return copies


def in_other_part(held_out: HeldOutRows, query: Rows, row: Rows) -> AnyArray:
    """Return for pairs whether the row is of another fold or group than the query."""
    if held_out.part is None:
        return np.ones(row.shape, bool)
    other: AnyArray = held_out.part[row] != held_out.part[held_out.row[query]]
    return other


def gaussians(near: NearbyRows, bandwidth: float) -> Array:
    """Return the Gaussian kernel of every pair, relative to that of the nearest row."""
    difference = np.maximum(near.squared - near.first[near.query], 0.0)
    kernel = np.exp(-near.in_bandwidths(difference, bandwidth) / 2)
    return kernel if near.weight is None else kernel * near.weight


def in_widths(distance: Array, bandwidth: float | Array) -> Array:
    """Return the squared distance in bandwidths; infinite where that overflows."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        squared = np.square(distance / bandwidth)
    return np.where(distance == 0, 0.0, squared)


def dense_rows(rows: Matrix) -> AnyArray:
    """Return rows as an array, also those that were sparse, where that fits the memory."""
    if not hasattr(rows, "toarray"):
        return np.asarray(rows)
    require_columns_fit(rows.shape[1], rows.shape[0])
    dense: AnyArray = rows.toarray()
    return dense
