"""Lloyd's algorithm over rows in memory or streamed: exact assignments, sums, and when to stop."""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import deepcopy
from typing import Protocol

import numpy as np

from lookalike.data.chunk import Chunk, Matrix
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import MagnitudeError
from lookalike.kernels.assign import assigner_of, no_sums, unit_rows
from lookalike.kernels.distance import squared_distances
from lookalike.kernels.sums import ordered_total, sum_grid
from lookalike.models.cluster.row_codes import RowCodes
from lookalike.reductions.lloyd import (
    Farthest,
    FarthestRows,
    LloydArithmetic,
    LloydStep,
    farthest_of,
)
from lookalike.reductions.ranges import Range, Ranges
from lookalike.typing import AnyArray, Array, to_host

MAX_CENTERS_WITHOUT_BOUNDS = 16  # with few, distances take less time than bounds
SQUARABLE_SPANS = (1e-150, 1e150)  # spans whose squares float64 can hold


class LloydRows(Protocol):
    """The rows of k-means, which are assigned to centers in every iteration."""

    frame: LloydArithmetic

    def gather(self, centers: Array) -> Array:
        """Return the sums of the rows nearest to each center, valid until the next call."""
        ...

    def farthest(self, centers: Array, count: int) -> FarthestRows:
        """Return the rows farthest from their center."""
        ...

    def assign(self, centers: Array) -> tuple[AnyArray, float]:
        """Return the center of every row (int32), and the inertia."""
        ...


class InMemoryLloyd:
    """Rows in memory, on all threads, or on a GPU: bounds and short codes save work."""

    def __init__(
        self,
        chunk: Chunk,
        frame: LloydArithmetic,
        extent: Range,
        threads: int,
        decisions: Decisions,
    ) -> None:
        self.frame = frame
        self._extent = extent
        self._X = frame.rows(chunk.X)
        self._weight = chunk.weight
        self._rows = assigner_of(self._X, frame.scale, threads)
        self._codes = RowCodes(self._rows, self._X, frame.scale, decisions)
        self._labels = self._rows.no_labels()
        self._sums = no_sums(0, self._X.shape[1])

    def gather(self, centers: Array) -> Array:
        """Assign all rows and move those that changed between the sums."""
        if self._sums.shape[1] != len(centers):
            self._labels, self._sums = self._rows.no_labels(), no_sums(*centers.shape)
        self._codes.prepare(centers)
        grid = self.frame.grid
        distances = self._rows.step(centers, self._labels, self._weight, grid, self._sums)
        self._codes.learn(distances)
        return self._sums

    def farthest(self, centers: Array, count: int) -> FarthestRows:
        """Return the rows farthest from their center."""
        labels, key = self._assign(centers)
        return farthest_of(self._X, key, labels, self._weight, count)

    def assign(self, centers: Array) -> tuple[AnyArray, float]:
        """Return the center of every row (int32), and the inertia."""
        labels, key = self._assign(centers)
        high, low = _total(key, self._weight, largest_key(centers, self._extent), self._extent)
        return labels, float(high + low)

    def _assign(self, centers: Array) -> tuple[AnyArray, Array]:
        labels = deepcopy(self._labels)  # those of the sums stay
        self._rows.assign(centers, labels)
        return to_host(labels), to_host(self._rows.keys(centers, labels))


class StreamingLloyd:
    """Rows that are read again in every iteration, from any source."""

    def __init__(
        self, source: Source, frame: LloydArithmetic, extent: Range, engine: Engine
    ) -> None:
        self.frame = frame
        self._source, self._extent, self._engine = source, extent, engine

    def gather(self, centers: Array) -> Array:
        """Assign and sum all rows."""
        return self._engine.reduce(LloydStep(centers, self.frame), self._source)

    def farthest(self, centers: Array, count: int) -> FarthestRows:
        """Return the rows farthest from their center."""
        return self._engine.reduce(Farthest(centers, count, self.frame), self._source)

    def assign(self, centers: Array) -> tuple[AnyArray, float]:
        """Return the center of every row (int32), and the inertia."""
        parts = list(
            self._engine.map(_chunk_assignment(centers, self.frame, self._extent), self._source)
        )
        high, low = np.sum([total for _, total in parts], axis=0)
        return np.concatenate([labels for labels, _ in parts]), float(high + low)


def nearest_centers(X: Matrix, centers: Array, *, unit: bool, threads: int = 1) -> AnyArray:
    """Return the center nearest to every row (int32), of equally near ones the lowest.

    With `unit`, rows are divided by their lengths.
    """
    rows = unit_rows(X) if unit else X
    if isinstance(rows, np.ndarray) and len(rows) and len(centers) <= MAX_CENTERS_WITHOUT_BOUNDS:
        key = squared_distances(rows, centers)
        if SQUARABLE_SPANS[0] ** 2 < float(key.max()) < SQUARABLE_SPANS[1] ** 2:
            nearest: AnyArray = key.argmin(axis=1).astype(np.int32)
            return nearest
    ranges = Ranges()
    extent = ranges.update(ranges.init(rows.shape[1]), Chunk(rows))
    assigner = assigner_of(
        rows, arithmetic_of(extent, sparse=False, unit=False).scale, threads=threads
    )
    labels = assigner.no_labels()
    assigner.assign(centers, labels)
    return np.asarray(to_host(labels))


def lloyd(
    rows: LloydRows,
    centers: Array,
    *,
    max_iter: int,
    tol: float,
    log: Callable[[str], None],
    advance: Callable[[int], None],
) -> tuple[Array, int, Array]:
    r"""Move centers to the mean of their rows until they no longer move [UGR].

    .. math:: \mu_c = \frac{\sum_{n : c(n) = c} w_n x_n}{\sum_{n : c(n) = c} w_n}

    Stops when the squared shifts of all centers add up to at most `tol` times the mean variance
    of the columns; 0 stops when no row changes its center. Returned are the centers, the number
    of iterations, and the objective after each.
    """
    history: list[float] = []
    for n_iter in range(1, max_iter + 1):
        sums = relocated(rows.gather(centers), rows, centers)
        moved = means(sums, rows.frame, centers)
        history.append(objective(sums))
        log(f"Iteration {n_iter - 1}, inertia {history[-1]}.")
        shift = float(np.square(moved - centers).sum())
        centers = moved
        advance(1)
        if shift == 0.0:
            log(f"Converged at iteration {n_iter - 1}: strict convergence.")
            break
        if tol > 0 and shift <= (limit := tol * mean_variance(sums)):
            log(
                f"Converged at iteration {n_iter - 1}: center shift {shift} "
                f"within tolerance {limit}."
            )
            break
    return centers, n_iter, np.array(history)


def arithmetic_of(extent: Range, *, sparse: bool, unit: bool) -> LloydArithmetic:
    """Return the arithmetic of rows of this extent: their shift, scale and grid of sums."""
    least, most = extent.least, extent.most
    shift = np.zeros_like(least) if sparse or unit else 0.5 * least + 0.5 * most
    size = np.maximum(most - shift, shift - least) * (1 + 2**-50)
    largest = float(size.max(initial=0.0))
    if largest > 0 and not SQUARABLE_SPANS[0] < largest < SQUARABLE_SPANS[1]:
        raise MagnitudeError(
            f"X spans {2 * largest:.3g} in its widest column, whose square overflows float64. "
            f"Multiply X by {1 / largest:.0e} first."
        )
    sizes = np.concatenate([size, [1.0, float(np.square(size).sum()) * (1 + 2**-40)]])
    grid = sum_grid(sizes * extent.heaviest, extent.rows)
    scale = float(np.ldexp(1.0, -int(np.frexp(largest)[1]))) if largest > 0 else 1.0
    if os.environ.get("LOOKALIKE_OPTIMIZE") == "0":
        scale = 0.0
    return LloydArithmetic(np.vstack([np.concatenate([shift, [0.0, 0.0]]), grid]), scale, unit)


def relocated(sums: Array, rows: LloydRows, centers: Array) -> Array:
    """Give centers without rows the rows farthest from their own center, in order.

    A row that is its center, or all that its center has, stays. What it leaves is exact.
    """
    empty = np.flatnonzero(sums[:, :, -2].sum(axis=0) <= 0)
    if not len(empty):
        return sums
    high, low = sums = sums.copy()
    far = rows.farthest(centers, len(empty))
    shift, coarse, fine = rows.frame.grid
    for place, key, x, weight, donor in zip(
        empty, far.key, far.X, far.weight, far.label, strict=False
    ):
        difference = x - shift[: len(x)]
        term = np.concatenate([difference, [1.0, np.square(difference).sum()]]) * weight
        first = (term + coarse) - coarse
        second = ((term - first) + fine) - fine
        left = (high[donor] - first) + (low[donor] - second)
        if key == 0 or not left[-2] > 0:
            continue
        high[donor] -= first
        low[donor] -= second
        high[place], low[place] = first, second
    return sums


def means(sums: Array, frame: LloydArithmetic, old: Array) -> Array:
    """Return the mean of the rows of each center; a center without rows stays."""
    d, total = old.shape[1], sums.sum(axis=0)
    weight = total[:, -2:-1]
    moved = (
        np.divide(total[:, :d], weight, out=np.zeros_like(old), where=weight > 0)
        + frame.grid[0, :d]
    )
    if frame.unit:
        length = np.sqrt(np.square(moved).sum(axis=1))[:, None]
        weight = np.where(length > 0, weight, 0.0)  # rows that cancel have no direction
        moved = np.divide(moved, length, out=np.zeros_like(moved), where=length > 0)
    return np.where(weight > 0, moved, old)


def objective(sums: Array) -> float:
    """Return the sum of squared distances of the rows to the mean of their cluster."""
    total = sums.sum(axis=0)
    weight = total[:, -2]
    known = weight > 0
    between = np.square(total[known, :-2]).sum(axis=1) / weight[known]
    return max(float((total[known, -1] - between).sum()), 0.0)


def mean_variance(sums: Array) -> float:
    """Return the variance of all rows, averaged over the columns."""
    total = sums.sum(axis=0).sum(axis=0)
    count, d = total[-2], len(total) - 2
    return max(float(total[-1] - np.square(total[:d]).sum() / count), 0.0) / float(count * d)


def largest_key(centers: Array, extent: Range) -> float:
    """Return at least the squared distance of every row to every center, times its weight."""
    low = np.minimum(extent.least, centers.min(axis=0))
    high = np.maximum(extent.most, centers.max(axis=0))
    return extent.heaviest * float(np.square(high - low).sum()) * (1 + 2**-30)


def _total(key: Array, weight: Array | None, size: float, extent: Range) -> Array:
    return ordered_total(key if weight is None else key * weight, size, extent.rows)


def _chunk_assignment(
    centers: Array, frame: LloydArithmetic, extent: Range
) -> Callable[[Chunk], tuple[AnyArray, Array]]:
    size = largest_key(centers, extent)

    def assign(chunk: Chunk) -> tuple[AnyArray, Array]:
        rows = assigner_of(frame.rows(chunk.X), frame.scale, threads=1)
        labels = rows.no_labels()
        rows.assign(centers, labels)
        key = to_host(rows.keys(centers, labels))
        return to_host(labels), _total(key, chunk.weight, size, extent)

    vars(assign)["on_gpu"] = True
    return assign
